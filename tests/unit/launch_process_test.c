/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Starting the program in two steps: what it gets, how it ends, that it never starts unasked. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "launch/identity.h"
#include "launch/process.h"

/* Longer than anything here takes on a busy machine. */
#define TIMEOUT_MS 30000

/* A directory that programs write their findings to, the current one. */
struct fixture {
	char directory[64];
	gid_t group;
	struct identity identity;
};

static char *environment[] = { (char *)"PATH=/usr/bin:/bin", NULL };

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	(void)snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/process_test.XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	assert_int_equal(chdir(fixture->directory), 0);
	fixture->group = getgid();
	fixture->identity = (struct identity){
		.uid = getuid(), .gid = getgid(), .groups = &fixture->group, .n_groups = 1
	};
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "out", "program", "kill" };
	struct fixture *fixture = *state;

	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		(void)unlink(names[i]);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(fixture->directory), 0);
	free(fixture);
	return 0;
}

static struct process *prepare(const struct process_request *request)
{
	struct process *process = NULL;
	struct process_failure failure;

	if (process_prepare(request, NULL, &process, &failure) < 0)
		fail_msg("cannot %s: %s", process_step_sentence(failure.step),
			 strerror(failure.error));
	return process;
}

static struct process_event next_event(struct process *process)
{
	struct pollfd poll_fd = { .fd = process_event_fd(process), .events = POLLIN };
	struct process_event event;

	assert_int_equal(poll(&poll_fd, 1, TIMEOUT_MS), 1);
	assert_int_equal(process_read_event(process, &event), 0);
	return event;
}

static int exit_code_of(struct process *process)
{
	struct process_event event;

	assert_int_equal(process_release(process), 0);
	event = next_event(process);
	assert_int_equal(event.type, PROCESS_EVENT_EXITED);
	return event.exit_code;
}

static int run_with(struct process_request request)
{
	_cleanup_(process_freep) struct process *process = prepare(&request);

	return exit_code_of(process);
}

static struct process_request shell_request(const struct fixture *fixture, char *const *argv)
{
	return (struct process_request){ .identity = &fixture->identity,
					 .argv = argv,
					 .environment = environment,
					 .kill_fd = -1 };
}
#define SHELL_ARGV(script) ((char *const[]){ (char *)"sh", (char *)"-c", (char *)(script), NULL })

static int run_shell(const struct fixture *fixture, const char *script)
{
	return run_with(shell_request(fixture, SHELL_ARGV(script)));
}

/* What a program wrote to "out", without the last newline. */
static const char *output(void)
{
	static char text[4096];
	FILE *file = fopen("out", "re");
	size_t size;

	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	if (size && text[size - 1] == '\n')
		size--;
	text[size] = '\0';
	return text;
}

/* ---- Ends ---- */

static void test_exit_codes_pass_through(void **state)
{
	assert_int_equal(run_shell(*state, "exit 0"), 0);
	assert_int_equal(run_shell(*state, "exit 7"), 7);
	assert_int_equal(run_shell(*state, "exit 255"), 255);
}

static void test_a_signal_is_128_and_its_number(void **state)
{
	assert_int_equal(run_shell(*state, "kill -TERM $$"), 128 + SIGTERM);
	assert_int_equal(run_shell(*state, "kill -KILL $$"), 128 + SIGKILL);
}

static void assert_not_executed(const struct process_request *request, int error, int exit_code)
{
	_cleanup_(process_freep) struct process *process = prepare(request);
	struct process_event event;

	assert_int_equal(process_release(process), 0);
	event = next_event(process);
	assert_int_equal(event.type, PROCESS_EVENT_FAILED);
	assert_int_equal(event.failure.step, PROCESS_STEP_EXECUTE);
	assert_int_equal(event.failure.error, error);
	event = next_event(process);
	assert_int_equal(event.type, PROCESS_EVENT_EXITED);
	assert_int_equal(event.exit_code, exit_code);
}

static void test_a_program_that_is_not_there_is_127(void **state)
{
	char *by_name[] = { (char *)"no-such-program", NULL };
	char *by_path[] = { (char *)"./no-such-program", NULL };
	struct process_request request = shell_request(*state, by_name);

	assert_not_executed(&request, ENOENT, 127);
	request.argv = by_path;
	assert_not_executed(&request, ENOENT, 127);
}

static void make_program(mode_t mode)
{
	int fd = open("program", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(dprintf(fd, "#!/bin/sh\nexit 42\n"), 18);
	assert_int_equal(close(fd), 0);
}

static void test_a_program_that_may_not_be_executed_is_126(void **state)
{
	char *argv[] = { (char *)"./program", NULL };
	struct process_request request = shell_request(*state, argv);

	make_program(0644);
	assert_not_executed(&request, EACCES, 126);
}

static void test_path_is_that_of_the_new_environment(void **state)
{
	const struct fixture *fixture = *state;
	char path[80];
	char *variables[] = { path, NULL };
	char *argv[] = { (char *)"program", NULL };
	struct process_request request = shell_request(fixture, argv);

	make_program(0755);
	assert_not_executed(&request, ENOENT, 127);
	(void)snprintf(path, sizeof(path), "PATH=/nowhere:%s", fixture->directory);
	request.environment = variables;
	assert_int_equal(run_with(request), 42);
}

/* ---- Never unasked ---- */

static void test_nothing_is_executed_without_release(void **state)
{
	struct process_request request = shell_request(*state, SHELL_ARGV("echo ran > out"));
	_cleanup_(process_freep) struct process *process = prepare(&request);
	struct pollfd poll_fd = { .fd = process_event_fd(process), .events = POLLIN };

	assert_int_equal(kill(process_pid(process), 0), 0);
	assert_int_equal(poll(&poll_fd, 1, 200), 0);
	process = process_free(process);
	assert_int_equal(access("out", F_OK), -1);

	/* The positive control. */
	process = prepare(&request);
	assert_int_equal(exit_code_of(process), 0);
	assert_string_equal(output(), "ran");
}

static void await_end(int pidfd)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	assert_int_equal(poll(&poll_fd, 1, TIMEOUT_MS), 1);
}

static void test_free_kills_the_program(void **state)
{
	struct process_request request = shell_request(*state, SHELL_ARGV("exec sleep 1000"));
	struct process *process = prepare(&request);
	int pidfd = dup(process_pidfd(process));

	assert_true(pidfd >= 0);
	assert_int_equal(process_release(process), 0);
	(void)process_free(process);
	await_end(pidfd);
	(void)close(pidfd);
}

/* In a child that is to be killed: prepares, tells the program's process id, waits. */
static _Noreturn void host_program(const struct process_request *request, bool is_released,
				   int report_fd)
{
	struct process_failure failure;
	struct process *process;
	pid_t pid;

	if (process_prepare(request, NULL, &process, &failure) < 0)
		_exit(1);
	if (is_released && process_release(process) < 0)
		_exit(1);
	pid = process_pid(process);
	if (write(report_fd, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	for (;;)
		pause();
}

static void assert_ends_with_its_host(struct process_request *request, bool is_released)
{
	int pipe_fds[2];
	int kill_fd = open("kill", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct stat status;
	pid_t program;
	pid_t host;

	/* The orphans come to us, to be waited for. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	assert_true(kill_fd > STDERR_FILENO);
	request->kill_fd = kill_fd;
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	host = fork();
	assert_true(host >= 0);
	if (host == 0)
		host_program(request, is_released, pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &program, sizeof(program)), sizeof(program));
	assert_int_equal(kill(host, SIGKILL), 0);
	/* The host, its session leader and the program. */
	for (int i = 0; i < 3; i++)
		assert_true(wait(NULL) > 0);
	assert_int_equal(kill(program, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(fstat(kill_fd, &status), 0);
	assert_int_equal(status.st_size, 1);
	(void)close(kill_fd);
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
}

static void test_a_killed_ringfence_takes_the_program_and_the_fence_along(void **state)
{
	struct process_request request = shell_request(*state, SHELL_ARGV("exec sleep 1000"));

	assert_ends_with_its_host(&request, true);
}

static void test_a_killed_ringfence_executes_nothing(void **state)
{
	struct process_request request = shell_request(*state, SHELL_ARGV("echo ran > out"));

	assert_ends_with_its_host(&request, false);
	assert_int_equal(access("out", F_OK), -1);
}

static pid_t parent_of(pid_t pid)
{
	char path[64];
	int parent = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %*s %*c %d", &parent), 1);
	(void)fclose(file);
	return parent;
}

static void test_a_killed_leader_ends_the_program(void **state)
{
	struct process_request request = shell_request(*state, SHELL_ARGV("exec sleep 1000"));
	_cleanup_(process_freep) struct process *process = prepare(&request);
	struct process_event event;

	assert_int_equal(process_release(process), 0);
	assert_int_equal(kill(parent_of(process_pid(process)), SIGKILL), 0);
	assert_int_equal(next_event(process).type, PROCESS_EVENT_LOST);
	await_end(process_pidfd(process));
	assert_int_equal(process_read_event(process, &event), -EAGAIN);
}

/* ---- Set-up ---- */

static void test_a_failed_step_is_named(void **state)
{
	struct process_request request = shell_request(*state, SHELL_ARGV("exit 0"));
	struct process_failure failure = { 0 };
	struct process *process = NULL;

	request.directory = "/no/such/directory";
	assert_int_equal(process_prepare(&request, NULL, &process, &failure), -ENOENT);
	assert_int_equal(failure.step, PROCESS_STEP_DIRECTORY);
	assert_int_equal(failure.error, ENOENT);
	assert_null(process);
	assert_string_equal(process_step_sentence(failure.step), "enter the working directory");
}

static void test_starts_in_the_directory(void **state)
{
	struct process_request request = shell_request(*state, SHELL_ARGV("[ \"$(pwd)\" = /usr ]"));

	assert_int_equal(run_with(request), 1);
	request.directory = "/usr";
	assert_int_equal(run_with(request), 0);
}

static void test_inherits_no_descriptor_but_the_standard_ones(void **state)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD, 100); /* Not close-on-exec. */
	char script[128];

	assert_true(fd >= 100);
	(void)snprintf(script, sizeof(script),
		       "[ ! -e /proc/self/fd/%d ] && [ -e /proc/self/fd/2 ]", fd);
	assert_int_equal(run_shell(*state, script), 0);
	(void)close(fd);
}

static void test_has_a_session_of_its_own(void **state)
{
	int session = 0;
	int group = 0;
	int pid = 0;

	/* A builtin, so that the numbers are the shell's own. */
	assert_int_equal(run_shell(*state, "read -r line < /proc/self/stat;"
					   "echo \"$line\" > out"), 0);
	assert_int_equal(sscanf(output(), "%d %*s %*c %*d %d %d", &pid, &group, &session), 3);
	assert_int_equal(group, pid);
	assert_int_not_equal(session, getsid(0));
	assert_int_not_equal(session, pid);
}

static const char *field_of_status(const char *name)
{
	static char value[128];
	const char *field = strstr(output(), name);

	assert_non_null(field);
	assert_int_equal(sscanf(field + strlen(name), ":%127[^\n]", value), 1);
	return value + strspn(value, "\t ");
}

static void test_starts_with_clean_signals(void **state)
{
	uint64_t blocked;
	uint64_t ignored;
	sigset_t signals;
	sigset_t old;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGUSR1);
	(void)sigprocmask(SIG_BLOCK, &signals, &old);
	(void)signal(SIGUSR2, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	assert_int_equal(run_shell(*state, "exec cat /proc/self/status > out"), 0);
	(void)signal(SIGHUP, SIG_DFL);
	(void)signal(SIGUSR2, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);

	blocked = strtoull(field_of_status("SigBlk"), NULL, 16);
	ignored = strtoull(field_of_status("SigIgn"), NULL, 16);
	assert_int_equal(blocked, 0);
	/* glibc keeps 32 and 33 for itself and lets nobody change what was inherited. */
	ignored &= ~(UINT64_C(3) << 31);
	assert_int_equal(ignored, 1 << (SIGHUP - 1)); /* nohup ringfence run */
}

static void test_writes_no_core_file_and_runs_no_core_helper(void **state)
{
	assert_int_equal(run_shell(*state, "exec cat /proc/self/limits > out"), 0);
	assert_non_null(strstr(output(), "Max core file size        1                    1 "));
}

static void test_becomes_the_user_for_good(void **state)
{
	static gid_t groups[] = { 2345, 3456 };
	const struct identity identity = {
		.uid = 1234, .gid = 2345, .groups = groups, .n_groups = ELEMENTSOF(groups)
	};
	struct fixture *fixture = *state;
	struct process_request request;

	if (geteuid() != 0)
		skip(); /* Only root can become somebody. */
	assert_int_equal(chmod(fixture->directory, 0777), 0);
	request = shell_request(fixture, SHELL_ARGV("exec cat /proc/self/status > out"));
	request.identity = &identity;
	assert_int_equal(run_with(request), 0);
	assert_string_equal(field_of_status("Uid"), "1234\t1234\t1234\t1234");
	assert_string_equal(field_of_status("Gid"), "2345\t2345\t2345\t2345");
	assert_string_equal(field_of_status("Groups"), "2345 3456 ");
	assert_string_equal(field_of_status("CapEff"), "0000000000000000");
	assert_string_equal(field_of_status("CapPrm"), "0000000000000000");
	assert_string_equal(field_of_status("CapInh"), "0000000000000000");
	assert_string_equal(field_of_status("CapAmb"), "0000000000000000");
	assert_string_equal(field_of_status("NoNewPrivs"), "1");
	request.may_gain_privileges = true;
	assert_int_equal(run_with(request), 0);
	assert_string_equal(field_of_status("NoNewPrivs"), "0");
}

/* As an unprivileged user, tries to have a program run as another. */
static _Noreturn void try_to_become_another(const struct fixture *fixture)
{
	const struct identity other = { .uid = 4321, .gid = 4321 };
	struct process_request request = shell_request(fixture, SHELL_ARGV("exit 0"));
	struct process_failure failure;
	struct process *process = NULL;
	int error;

	request.identity = &other;
	if (geteuid() == 0 && setresuid(1234, 1234, 1234) < 0)
		_exit(1);
	error = process_prepare(&request, NULL, &process, &failure);
	_exit(error == -EPERM && failure.step == PROCESS_STEP_IDENTITY ? 0 : 1);
}

static void test_cannot_become_another_without_privileges(void **state)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		try_to_become_another(*state);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- Job control ---- */

static void test_stops_and_continues_without_a_terminal(void **state)
{
	struct process_request request = shell_request(*state, SHELL_ARGV("kill -TSTP $$; exit 3"));
	_cleanup_(process_freep) struct process *process = prepare(&request);
	struct process_event event;

	assert_int_equal(process_release(process), 0);
	event = next_event(process);
	assert_int_equal(event.type, PROCESS_EVENT_STOPPED);
	assert_int_equal(event.signal, SIGTSTP);
	assert_int_equal(process_continue(process, false), 0);
	event = next_event(process);
	assert_int_equal(event.type, PROCESS_EVENT_EXITED);
	assert_int_equal(event.exit_code, 3);
}

static void test_signals_reach_the_whole_group(void **state)
{
	/* The shell ends only when sleep does. */
	struct process_request request =
		shell_request(*state, SHELL_ARGV("exec 2> out; trap 'exit 9' TERM; sleep 1000"));
	_cleanup_(process_freep) struct process *process = prepare(&request);
	struct process_event event;

	assert_int_equal(process_release(process), 0);
	for (int i = 0; access("out", F_OK) < 0 && i < TIMEOUT_MS / 10; i++)
		(void)usleep(10000);
	(void)usleep(100000); /* For sleep to be executed; before, it has the shell's trap. */
	assert_int_equal(process_signal(process, SIGTERM), 0);
	event = next_event(process);
	assert_int_equal(event.type, PROCESS_EVENT_EXITED);
	assert_int_equal(event.exit_code, 9);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_exit_codes_pass_through),
		TEST(test_a_signal_is_128_and_its_number),
		TEST(test_a_program_that_is_not_there_is_127),
		TEST(test_a_program_that_may_not_be_executed_is_126),
		TEST(test_path_is_that_of_the_new_environment),
		TEST(test_nothing_is_executed_without_release),
		TEST(test_free_kills_the_program),
		TEST(test_a_killed_ringfence_takes_the_program_and_the_fence_along),
		TEST(test_a_killed_ringfence_executes_nothing),
		TEST(test_a_killed_leader_ends_the_program),
		TEST(test_a_failed_step_is_named),
		TEST(test_starts_in_the_directory),
		TEST(test_inherits_no_descriptor_but_the_standard_ones),
		TEST(test_has_a_session_of_its_own),
		TEST(test_starts_with_clean_signals),
		TEST(test_writes_no_core_file_and_runs_no_core_helper),
		TEST(test_becomes_the_user_for_good),
		TEST(test_cannot_become_another_without_privileges),
		TEST(test_stops_and_continues_without_a_terminal),
		TEST(test_signals_reach_the_whole_group),
	};

	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
