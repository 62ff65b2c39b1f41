/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The program's terminal as a person sees it: keys, sizes, job control, redirection, and the caller's
 * terminal afterwards.
 *
 *	this test ──outer terminal──▶ supervisor ──inner terminal──▶ PROGRAM
 *
 * Called as `launch_terminal_test --supervise PROGRAM…`, the test is what `ringfence run` is without
 * the fence. It is started on a terminal of its own, directly or by an interactive shell.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/event_loop.h"
#include "base/strbuf.h"
#include "launch/identity.h"
#include "launch/supervisor.h"

/* Longer than anything here takes on a busy machine. */
#define TIMEOUT_MS 30000

static const char *own_path;

/* ---- The supervisor under test ---- */

static int supervise(char *const *argv)
{
	_cleanup_(event_loop_freep) struct event_loop *loop = NULL;
	_cleanup_(supervisor_freep) struct supervisor *supervisor = NULL;
	gid_t group = getgid();
	const struct identity identity = {
		.uid = getuid(), .gid = group, .groups = &group, .n_groups = 1
	};
	const struct process_request request = {
		.identity = &identity, .argv = argv, .environment = environ, .kill_fd = -1
	};
	struct process_failure failure;

	if (event_loop_new(&loop) < 0 || supervisor_new(loop, &supervisor) < 0 ||
	    supervisor_prepare(supervisor, &request, &failure) < 0 ||
	    supervisor_release(supervisor) < 0)
		return 125;
	while (!supervisor_is_finished(supervisor))
		if (event_loop_run_once(loop, -1) < 0)
			return 125;
	return supervisor_result(supervisor).exit_code;
}

/* ---- A person at a terminal ---- */

/**
 * struct session - A terminal and what was started on it
 * @seen:    What came from the terminal so far.
 * @checked: Bytes of it that an expectation has used up.
 * @modes:   Of the terminal at the start.
 */
struct session {
	int terminal_fd;
	pid_t pid;
	struct strbuf seen;
	size_t checked;
	struct termios modes;
};

static void open_session(struct session *session, char *const *argv)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };

	*session = (struct session){ .terminal_fd = -1 };
	session->pid = forkpty(&session->terminal_fd, NULL, NULL, &size);
	assert_true(session->pid >= 0);
	if (session->pid == 0) {
		execv(argv[0], argv);
		_exit(125);
	}
	assert_int_equal(fcntl(session->terminal_fd, F_SETFD, FD_CLOEXEC), 0);
	assert_int_equal(tcgetattr(session->terminal_fd, &session->modes), 0);
}

/* bash, because a dash that is between vfork(2) and execve(2) loses signals. */
static void start(struct session *session, const char *script)
{
	char *argv[] = { (char *)own_path, (char *)"--supervise", (char *)"bash", (char *)"-c",
			 (char *)script, NULL };

	open_session(session, argv);
}

static void start_shell(struct session *session)
{
	char *argv[] = { (char *)"/bin/bash", (char *)"--norc", (char *)"--noediting", (char *)"-i",
			 NULL };

	assert_int_equal(setenv("PS1", "prompt> ", 1), 0);
	assert_int_equal(setenv("SUPERVISE", own_path, 1), 0);
	open_session(session, argv);
}

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns false if nothing more will come, or if nothing came in @timeout_ms. */
static bool look(struct session *session, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = session->terminal_fd, .events = POLLIN };
	char bytes[4096];
	ssize_t size;

	if (poll(&poll_fd, 1, timeout_ms) != 1)
		return false;
	size = read(session->terminal_fd, bytes, sizeof(bytes));
	if (size > 0)
		strbuf_append(&session->seen, bytes, (size_t)size);
	return size > 0;
}

static const char *unchecked(const struct session *session)
{
	return strbuf_string(&session->seen) + session->checked;
}

/* Waits until @text comes, after what was expected before. */
static void expect(struct session *session, const char *text)
{
	int64_t end_ms = now_ms() + TIMEOUT_MS;
	const char *found;

	while (!(found = strstr(unchecked(session), text)))
		if (!look(session, (int)(end_ms - now_ms())))
			fail_msg("no \"%s\" in \"%s\"", text, unchecked(session));
	session->checked = (size_t)(found - strbuf_string(&session->seen)) + strlen(text);
}

static void type(struct session *session, const char *keys)
{
	assert_int_equal(write(session->terminal_fd, keys, strlen(keys)), strlen(keys));
}

static struct termios modes_of(const struct session *session)
{
	struct termios modes;

	assert_int_equal(tcgetattr(session->terminal_fd, &modes), 0);
	return modes;
}

static bool is_raw(const struct session *session)
{
	return !(modes_of(session).c_lflag & (ICANON | ECHO | ISIG));
}

static void await_raw(const struct session *session, bool raw)
{
	for (int64_t end_ms = now_ms() + TIMEOUT_MS; is_raw(session) != raw; (void)usleep(5000))
		assert_true(now_ms() < end_ms);
}

static void assert_modes_restored(const struct session *session)
{
	struct termios modes = modes_of(session);

	assert_int_equal(modes.c_iflag, session->modes.c_iflag);
	assert_int_equal(modes.c_oflag, session->modes.c_oflag);
	assert_int_equal(modes.c_lflag, session->modes.c_lflag);
	assert_memory_equal(modes.c_cc, session->modes.c_cc, sizeof(modes.c_cc));
}

/* Reads to the end, so that the process is not held up, and returns the wait status. */
static int finish(struct session *session)
{
	int64_t end_ms = now_ms() + TIMEOUT_MS;
	int status;

	while (waitpid(session->pid, &status, WNOHANG) == 0) {
		if (now_ms() > end_ms) {
			(void)kill(session->pid, SIGKILL);
			fail_msg("still runs after \"%s\"", unchecked(session));
		}
		(void)look(session, 10);
	}
	return status;
}

static void assert_exits(struct session *session, int exit_code)
{
	int status = finish(session);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), exit_code);
	assert_modes_restored(session);
	(void)close(session->terminal_fd);
	strbuf_done(&session->seen);
}

/* ---- One program ---- */

static void test_output_and_exit_code_pass_through(void **state)
{
	struct session session;

	(void)state;
	start(&session, "echo out; echo err >&2; exit 7");
	expect(&session, "out\r\nerr\r\n");
	assert_exits(&session, 7);
}

static void test_the_last_output_is_not_lost(void **state)
{
	struct session session;

	(void)state;
	start(&session, "seq 1 20000");
	expect(&session, "1\r\n2\r\n3\r\n");
	expect(&session, "19999\r\n20000\r\n");
	assert_exits(&session, 0);
}

static void test_a_writer_left_behind_does_not_keep_it_open(void **state)
{
	struct session session;

	(void)state;
	start(&session, "trap '' HUP; (while echo more; do :; done) & exit 4");
	assert_exits(&session, 4);
}

static void test_the_terminal_is_another_one(void **state)
{
	struct session session;
	char outer[64];

	(void)state;
	start(&session, "tty; tty < /dev/tty; echo end");
	assert_int_equal(ptsname_r(session.terminal_fd, outer, sizeof(outer)), 0);
	expect(&session, "end");
	assert_non_null(strstr(strbuf_string(&session.seen), "/dev/pts/"));
	(void)strncat(outer, "\r", sizeof(outer) - strlen(outer) - 1);
	assert_null(strstr(strbuf_string(&session.seen), outer));
	assert_exits(&session, 0);
}

static void test_control_c_interrupts_the_program(void **state)
{
	struct session session;

	(void)state;
	start(&session, "echo ready; exec cat");
	expect(&session, "ready");
	type(&session, "line\r");
	expect(&session, "line\r\nline\r\n");
	type(&session, "\x03");
	assert_exits(&session, 128 + SIGINT);
}

static void test_control_c_reaches_children_of_the_program(void **state)
{
	struct session session;

	(void)state;
	start(&session, "trap 'echo trapped; exit 5' INT; sh -c 'echo ready; exec sleep 1000'");
	expect(&session, "ready");
	type(&session, "\x03");
	expect(&session, "trapped");
	assert_exits(&session, 5);
}

static void test_control_d_is_the_end_of_input(void **state)
{
	struct session session;

	(void)state;
	start(&session, "echo ready; cat; exit 6");
	expect(&session, "ready");
	type(&session, "\x04");
	assert_exits(&session, 6);
}

static void test_keys_come_alone_and_at_once(void **state)
{
	struct session session;
	int64_t typed_ms;

	(void)state;
	start(&session, "stty raw -echo; echo ready; head -c 1 | od -An -tx1");
	expect(&session, "ready");
	typed_ms = now_ms();
	type(&session, "\x1b");
	expect(&session, "1b");
	assert_true(now_ms() - typed_ms < 2000);
	assert_exits(&session, 0);
}

/* More than all buffers on the way hold, to a program that takes its time. */
static void test_a_long_paste_is_not_lost(void **state)
{
	static const char line[] = "0123456789012345678901234567890123456789012345678\r";
	struct session session;

	(void)state;
	start(&session, "stty -echo; echo ready; sleep 0.3; wc -c");
	expect(&session, "ready");
	for (int i = 0; i < 4000; i++)
		type(&session, line);
	type(&session, "\x04");
	expect(&session, "200000");
	assert_exits(&session, 0);
}

static void test_size_is_that_of_the_callers_terminal(void **state)
{
	const struct winsize size = { .ws_row = 33, .ws_col = 101 };
	struct session session;

	(void)state;
	start(&session, "stty size; trap 'stty size; exit 0' WINCH; echo ready;"
			"while :; do sleep 0.05; done");
	expect(&session, "24 80");
	expect(&session, "ready");
	assert_int_equal(ioctl(session.terminal_fd, TIOCSWINSZ, &size), 0);
	expect(&session, "33 101");
	assert_exits(&session, 0);
}

static void test_modes_are_those_of_the_callers_terminal(void **state)
{
	struct session session;

	(void)state;
	start(&session, "stty -a");
	expect(&session, "intr = ^C");
	expect(&session, " icanon");
	assert_exits(&session, 0);
}

static void test_a_signal_passes_through(void **state)
{
	struct session session;

	(void)state;
	start(&session, "trap 'echo trapped; exit 5' USR1; echo ready; while :; do sleep 0.05; done");
	expect(&session, "ready");
	assert_int_equal(kill(session.pid, SIGUSR1), 0);
	expect(&session, "trapped");
	assert_exits(&session, 5);

	start(&session, "echo ready; exec cat");
	expect(&session, "ready");
	assert_int_equal(kill(session.pid, SIGTERM), 0);
	assert_exits(&session, 128 + SIGTERM);
}

static void test_a_program_that_is_not_there(void **state)
{
	char *argv[] = { (char *)own_path, (char *)"--supervise", (char *)"no-such-program", NULL };
	struct session session;

	(void)state;
	open_session(&session, argv);
	assert_exits(&session, 127);
}

/* The session leader gives the terminal back. */
static void test_the_terminal_is_given_back_if_ringfence_is_killed(void **state)
{
	struct session session;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	start(&session, "trap '' HUP; echo ready; exec sleep 1000");
	expect(&session, "ready");
	await_raw(&session, true);
	assert_int_equal(kill(session.pid, SIGKILL), 0);
	for (int i = 0; i < 3; i++) /* It, the session leader, the program. */
		assert_true(wait(NULL) > 0);
	assert_modes_restored(&session);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
	(void)close(session.terminal_fd);
	strbuf_done(&session.seen);
}

static void test_the_program_gets_a_hangup_when_the_terminal_goes(void **state)
{
	char path[] = "/tmp/terminal_test.XXXXXX";
	int fd = mkstemp(path);
	struct session session;
	char script[256];
	char text[16] = "";
	int status;

	(void)state;
	assert_true(fd >= 0);
	(void)snprintf(script, sizeof(script),
		       "trap 'echo hangup > %s; exit 8' HUP; echo ready; while :; do sleep 0.05; done",
		       path);
	start(&session, script);
	expect(&session, "ready");
	(void)close(session.terminal_fd);
	assert_int_equal(waitpid(session.pid, &status, 0), session.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 8);
	assert_int_equal(read(fd, text, sizeof(text) - 1), strlen("hangup\n"));
	assert_string_equal(text, "hangup\n");
	(void)close(fd);
	(void)unlink(path);
	strbuf_done(&session.seen);
}

/* ---- Under a shell with job control ---- */

static void end_shell(struct session *session)
{
	type(session, "exit 0\r");
	assert_exits(session, 0);
}

static void test_control_z_and_fg(void **state)
{
	struct session session;

	(void)state;
	start_shell(&session);
	expect(&session, "prompt> ");
	type(&session, "$SUPERVISE --supervise bash -c 'echo rea''dy; exec cat'\r");
	expect(&session, "ready");
	await_raw(&session, true);
	type(&session, "\x1a");
	expect(&session, "Stopped");
	expect(&session, "prompt> ");
	assert_false(is_raw(&session));
	type(&session, "fg\r");
	await_raw(&session, true);
	type(&session, "hello\r");
	expect(&session, "hello\r\nhello\r\n");
	/* And once more. */
	type(&session, "\x1a");
	expect(&session, "Stopped");
	expect(&session, "prompt> ");
	type(&session, "fg\r");
	await_raw(&session, true);
	type(&session, "\x04");
	expect(&session, "prompt> ");
	type(&session, "echo code=$?\r");
	expect(&session, "code=0");
	end_shell(&session);
}

static void test_a_program_that_stops_itself(void **state)
{
	struct session session;

	(void)state;
	start_shell(&session);
	expect(&session, "prompt> ");
	type(&session, "$SUPERVISE --supervise bash -c 'kill -STOP $$; echo on''ward; exit 9'\r");
	expect(&session, "Stopped");
	expect(&session, "prompt> ");
	type(&session, "fg\r");
	expect(&session, "onward");
	expect(&session, "prompt> ");
	type(&session, "echo code=$?\r");
	expect(&session, "code=9");
	end_shell(&session);
}

static void test_bg_runs_on_until_it_reads(void **state)
{
	struct session session;
	size_t awake_at;

	(void)state;
	start_shell(&session);
	expect(&session, "prompt> ");
	type(&session, "$SUPERVISE --supervise bash -c 'trap \"echo awake; exec cat\" USR1; "
		       "echo rea''dy; while :; do sleep 0.05; done'\r");
	expect(&session, "ready");
	await_raw(&session, true);
	type(&session, "\x1a");
	expect(&session, "Stopped");
	expect(&session, "prompt> ");
	type(&session, "bg\r");
	expect(&session, "prompt> ");
	assert_false(is_raw(&session));
	type(&session, "kill -USR1 %1\r");
	expect(&session, "awake\r\n");
	awake_at = session.checked;
	do {
		type(&session, "\r");
		expect(&session, "prompt> ");
	} while (!strstr(strbuf_string(&session.seen) + awake_at, "Stopped"));
	type(&session, "fg\r");
	await_raw(&session, true);
	type(&session, "hello\r");
	expect(&session, "hello\r\nhello\r\n");
	type(&session, "\x03");
	expect(&session, "prompt> ");
	type(&session, "echo code=$?\r");
	expect(&session, "code=130");
	end_shell(&session);
}

static void test_a_background_job_that_reads_is_stopped(void **state)
{
	struct session session;

	(void)state;
	start_shell(&session);
	expect(&session, "prompt> ");
	type(&session, "$SUPERVISE --supervise cat &\r");
	expect(&session, "prompt> ");
	do {
		type(&session, "\r"); /* bash tells about jobs before a prompt. */
		expect(&session, "prompt> ");
	} while (!strstr(strbuf_string(&session.seen), "Stopped"));
	assert_false(is_raw(&session));
	type(&session, "fg\r");
	await_raw(&session, true);
	type(&session, "hello\r");
	expect(&session, "hello\r\nhello\r\n");
	type(&session, "\x04");
	expect(&session, "prompt> ");
	end_shell(&session);
}

static void test_a_shell_as_the_program_has_job_control_of_its_own(void **state)
{
	struct session session;

	(void)state;
	start_shell(&session);
	expect(&session, "prompt> ");
	type(&session, "PS1='inner> ' $SUPERVISE --supervise bash --norc --noediting -i\r");
	expect(&session, "inner> ");
	type(&session, "sh -c 'echo rea''dy; exec cat'\r");
	expect(&session, "ready");
	type(&session, "hello\r");
	expect(&session, "hello\r\nhello\r\n");
	type(&session, "\x1a");
	expect(&session, "Stopped");
	expect(&session, "inner> "); /* Not the outer shell. */
	type(&session, "fg\r");
	expect(&session, "exec cat'\r\n");
	type(&session, "again\r");
	expect(&session, "again\r\nagain\r\n");
	type(&session, "\x03");
	expect(&session, "inner> ");
	type(&session, "echo code=$?; exit 3\r");
	expect(&session, "code=130");
	expect(&session, "prompt> ");
	type(&session, "echo code=$?\r");
	expect(&session, "code=3");
	end_shell(&session);
}

/* ---- Redirection ---- */

static void run_line(struct session *session, const char *line)
{
	start_shell(session);
	expect(session, "prompt> ");
	type(session, line);
}

static void test_redirected_input_and_output_pass_through(void **state)
{
	struct session session;

	(void)state;
	run_line(&session, "printf 'a b c' | $SUPERVISE --supervise bash -c "
			   "'test -t 0; echo $?; test -t 1; echo $?; wc -w; exit 3'; echo code=$?\r");
	expect(&session, "1\r\n0\r\n3\r\n");
	expect(&session, "code=3");
	type(&session, "$SUPERVISE --supervise bash -c 'test -t 0; echo $?; test -t 1; echo $?' | tr 01 ab\r");
	expect(&session, "a\r\nb\r\n");
	type(&session, "echo x | $SUPERVISE --supervise cat 2>&1 | tr x y; echo code=$?\r");
	expect(&session, "y\r\ncode=0");
	end_shell(&session);
}

static void test_the_keyboard_in_a_pipeline(void **state)
{
	struct session session;

	(void)state;
	/* Reads it although its input is a pipe, as less(1) does. */
	run_line(&session, "echo x | $SUPERVISE --supervise bash -c "
			   "'cat; read -r line < /dev/tty; echo got-$line'; echo code=$?\r");
	expect(&session, "x\r\n");
	await_raw(&session, true);
	type(&session, "key\r");
	expect(&session, "got-key");
	expect(&session, "code=0");
	expect(&session, "prompt> ");
	/* Leaves it to the other program, which reads it. */
	type(&session, "$SUPERVISE --supervise echo from-pipe | "
		       "sh -c 'cat; read -r line < /dev/tty; echo got-$line'\r");
	expect(&session, "\r\nfrom-pipe");
	type(&session, "other\r");
	expect(&session, "got-other");
	end_shell(&session);
}

static void test_control_c_and_control_z_in_a_pipeline(void **state)
{
	struct session session;

	(void)state;
	run_line(&session, "$SUPERVISE --supervise bash -c 'echo rea''dy; exec sleep 1000' | cat\r");
	expect(&session, "ready\r\n");
	type(&session, "\x1a");
	expect(&session, "Stopped");
	expect(&session, "prompt> ");
	type(&session, "fg\r");
	expect(&session, "cat\r\n");
	type(&session, "\x03");
	expect(&session, "prompt> ");
	type(&session, "echo code=${PIPESTATUS[0]}\r");
	expect(&session, "code=130");
	end_shell(&session);
}

static void test_without_a_terminal(void **state)
{
	struct session session;

	(void)state;
	run_line(&session, "$SUPERVISE --supervise bash -c 'tty; (: < /dev/tty); echo rea''dy; exec sleep 1000' "
			   "< /dev/null 2>&1 | cat\r");
	expect(&session, "\r\nnot a tty\r\n");
	expect(&session, "/dev/tty"); /* cannot be opened */
	expect(&session, "\r\nready\r\n");
	type(&session, "\x03");
	expect(&session, "prompt> ");
	type(&session, "echo code=${PIPESTATUS[0]}\r");
	expect(&session, "code=130");
	end_shell(&session);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_and_exit_code_pass_through),
		cmocka_unit_test(test_the_last_output_is_not_lost),
		cmocka_unit_test(test_a_writer_left_behind_does_not_keep_it_open),
		cmocka_unit_test(test_the_terminal_is_another_one),
		cmocka_unit_test(test_control_c_interrupts_the_program),
		cmocka_unit_test(test_control_c_reaches_children_of_the_program),
		cmocka_unit_test(test_control_d_is_the_end_of_input),
		cmocka_unit_test(test_keys_come_alone_and_at_once),
		cmocka_unit_test(test_a_long_paste_is_not_lost),
		cmocka_unit_test(test_size_is_that_of_the_callers_terminal),
		cmocka_unit_test(test_modes_are_those_of_the_callers_terminal),
		cmocka_unit_test(test_a_signal_passes_through),
		cmocka_unit_test(test_a_program_that_is_not_there),
		cmocka_unit_test(test_the_terminal_is_given_back_if_ringfence_is_killed),
		cmocka_unit_test(test_the_program_gets_a_hangup_when_the_terminal_goes),
		cmocka_unit_test(test_control_z_and_fg),
		cmocka_unit_test(test_a_program_that_stops_itself),
		cmocka_unit_test(test_bg_runs_on_until_it_reads),
		cmocka_unit_test(test_a_background_job_that_reads_is_stopped),
		cmocka_unit_test(test_a_shell_as_the_program_has_job_control_of_its_own),
		cmocka_unit_test(test_redirected_input_and_output_pass_through),
		cmocka_unit_test(test_the_keyboard_in_a_pipeline),
		cmocka_unit_test(test_control_c_and_control_z_in_a_pipeline),
		cmocka_unit_test(test_without_a_terminal),
	};

	if (argc > 2 && strcmp(argv[1], "--supervise") == 0)
		return supervise(argv + 2);
	own_path = realpath(argv[0], NULL);
	if (!own_path)
		return 1;
	return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
