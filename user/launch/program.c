/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The process that becomes the program: everything that it does until then. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/identity.h"
#include "launch/private_mounts.h"
#include "launch/process_private.h"
#include "launch/terminal.h"

struct context {
	const struct process_request *request;
	const struct terminal *terminal;
};

/* A group of its own, or the leader would get its keyboard signals. */
static int join_session(const struct context *context)
{
	(void)context;
	return setpgid(0, 0) < 0 ? -errno : 0;
}

static int enter_terminal(const struct context *context)
{
	int error;

	if (!context->terminal)
		return 0;
	error = terminal_install_stdio(context->terminal);
	if (error < 0 || !terminal_starts_in_foreground(context->terminal))
		return error;
	return terminal_set_group(context->terminal, getpid());
}

static int mount_tmp(const struct context *context)
{
	if (!context->request->tmp_dir)
		return 0;
	return private_mounts_install(context->request->tmp_dir, context->request->project,
				      context->request->identity);
}

/* One byte: as for 0 no file is written, but other than for 0 no helper outside is run either. */
static int limit_resources(const struct context *context)
{
	const struct rlimit core = { 1, 1 };

	const struct rlimit *max_fds = context->request->max_fds;

	if (max_fds && setrlimit(RLIMIT_NOFILE, max_fds) < 0)
		return -errno;
	return setrlimit(RLIMIT_CORE, &core) < 0 ? -errno : 0;
}

static int become_user(const struct context *context)
{
	const struct identity *identity = context->request->identity;

	/* Without root's privileges, what follows succeeds only if it changes nothing. */
	if (geteuid() == 0 && setgroups(identity->n_groups, identity->groups) < 0)
		return -errno;
	if (setresgid(identity->gid, identity->gid, identity->gid) < 0 ||
	    setresuid(identity->uid, identity->uid, identity->uid) < 0)
		return -errno;
	return 0;
}

/* As the user: another one may see more or less of the path. */
static int enter_directory(const struct context *context)
{
	if (!context->request->directory)
		return 0;
	return chdir(context->request->directory) < 0 ? -errno : 0;
}

/* setresuid(2) leaves inheritable ones, and with some securebits all. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

static int give_up_privileges(const struct context *context)
{
	const struct process_request *request = context->request;
	int error;

	/* Until execve(2) the descriptors of ringfence are here: no debugger of the user's yet. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		return -errno;
	/* The session keyring may hold keys of the caller's. Kernels without keys have none. */
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	if (request->identity->uid == 0)
		return 0;
	error = drop_capabilities();
	if (error < 0 || request->may_gain_privileges)
		return error;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

static const struct {
	enum process_step step;
	int (*run)(const struct context *context);
} steps[] = {
	{ PROCESS_STEP_SESSION, join_session },
	{ PROCESS_STEP_TERMINAL, enter_terminal },
	{ PROCESS_STEP_TMP, mount_tmp },
	{ PROCESS_STEP_LIMITS, limit_resources },
	{ PROCESS_STEP_IDENTITY, become_user },
	{ PROCESS_STEP_DIRECTORY, enter_directory },
	{ PROCESS_STEP_PRIVILEGES, give_up_privileges },
};

/*
 * All as for a program that a shell starts, except that one started under nohup(1) or in the
 * background of a script keeps ignoring what it was made to ignore. Pending signals act here.
 */
static void reset_signals(void)
{
	struct sigaction action;
	sigset_t none;

	for (int number = 1; number < NSIG; number++) {
		if (number == SIGHUP || number == SIGINT || number == SIGQUIT)
			continue;
		/* Fails for SIGKILL, SIGSTOP and those of the C library. */
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			(void)signal(number, SIG_DFL);
	}
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The search for the program happens here, in the fence, so that its rules apply to it. */
static int execute(const struct process_request *request)
{
	reset_signals();
	environ = (char **)request->environment; /* execvp(3) takes PATH from there. */
	execvp(request->argv[0], request->argv);
	return errno;
}

static void report_failure(int socket_fd, enum process_step step, int error)
{
	process_send_report(socket_fd, &(struct report){ REPORT_FAILED, step, error });
}

_Noreturn void program_run(const struct process_request *request, const struct terminal *terminal,
			   int socket_fd, int release_fd)
{
	const struct context context = { .request = request, .terminal = terminal };
	int error;
	char byte;

	for (size_t i = 0; i < ELEMENTSOF(steps); i++) {
		error = steps[i].run(&context);
		if (error < 0) {
			report_failure(socket_fd, steps[i].step, -error);
			_exit(126);
		}
	}
	process_send_report(socket_fd,
			    &(struct report){ .type = REPORT_PREPARED, .value = getpid() });
	if (read(release_fd, &byte, 1) != 1)
		_exit(126);
	error = execute(request);
	report_failure(socket_fd, PROCESS_STEP_EXECUTE, error);
	_exit(error == ENOENT ? 127 : 126);
}
