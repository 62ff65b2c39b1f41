/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Starting the program in two steps: prepared, with everything done but execve(2), then released.
 *
 *	ringfence ──fork──▶ session leader ──fork──▶ program
 *
 * The caller puts the prepared process into its fence before it releases it. A process that is not
 * released never executes anything: it ends when ringfence goes away.
 *
 * The session leader has to be there because the kernel ignores Ctrl-Z for a process group whose
 * parents are all in another session. It stays outside the fence, with ringfence's privileges and
 * every descriptor that ringfence had when it was forked. So what was attached to the kernel before
 * process_prepare() outlives a ringfence that is killed, until the leader, which sees that, has
 * ended the fence.
 */
#ifndef LAUNCH_PROCESS_H
#define LAUNCH_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct identity;
struct rlimit;
struct terminal;

/* X(IDENTIFIER, what was tried): "cannot SENTENCE: strerror". */
#define PROCESS_STEPS(X)                                              \
	X(START, "start a process")                                    \
	X(SESSION, "start a session")                                  \
	X(TERMINAL, "set up the terminal")                             \
	X(TMP, "mount the private temporary directory")                \
	X(LIMITS, "set resource limits")                               \
	X(IDENTITY, "become the user")                                 \
	X(DIRECTORY, "enter the working directory")                    \
	X(PRIVILEGES, "give up privileges")                            \
	X(EXECUTE, "execute the program")

enum process_step {
#define X(identifier, sentence) PROCESS_STEP_##identifier,
	PROCESS_STEPS(X)
#undef X
};

/* struct process_failure - What could not be done, and its errno (positive; 0: nothing failed). */
struct process_failure {
	enum process_step step;
	int error;
};

const char *process_step_sentence(enum process_step step);

/**
 * struct process_request - What to start; all borrowed until process_prepare() returns
 * @argv:        argv[0] is the program, looked up in the PATH of @environment if it has no slash.
 * @directory:   To start in; NULL: the caller's working directory.
 * @tmp_dir:     Mounted on /tmp and /var/tmp in a mount namespace of the program's own; NULL: none.
 * @project:     A directory that keeps its path even if @tmp_dir would cover it; NULL: none.
 * @kill_fd:     The fence's cgroup.kill, which the leader writes to when ringfence is gone, however
 *               it went; -1: none.
 * @max_fds:     Its limit of descriptors, which ringfence may have raised for itself; NULL: as it is.
 * @may_gain_privileges: Leaves setuid programs their effect. Root has them in any case.
 */
struct process_request {
	const struct identity *identity;
	char *const *argv;
	char *const *environment;
	const char *directory;
	const char *tmp_dir;
	const char *project;
	int kill_fd;
	const struct rlimit *max_fds;
	bool may_gain_privileges;
};

/* What the leader tells about the program. */
enum process_event_type {
	PROCESS_EVENT_FAILED,  /* before or at execve(2); PROCESS_EVENT_EXITED follows */
	PROCESS_EVENT_STOPPED, /* by @signal */
	PROCESS_EVENT_EXITED,  /* with @exit_code: its own, or 128 + the signal */
	PROCESS_EVENT_LOST,    /* the leader is gone, and took the program with it */
};

struct process_event {
	enum process_event_type type;
	struct process_failure failure;
	int signal;
	int exit_code;
};

struct process;

/*
 * Forks and waits until everything but execve(2) is done. @terminal: NULL if the program gets none;
 * borrowed until process_free(). Returns 0, or -errno with @reterr_failure set and nothing left.
 */
int process_prepare(const struct process_request *request, struct terminal *terminal,
		    struct process **ret_process, struct process_failure *reterr_failure);

/* Names the program for as long as the process object lives; it is not reaped before. */
pid_t process_pid(const struct process *process);
int process_pidfd(const struct process *process);

/* Lets it execute; how that went is the first event. */
int process_release(struct process *process);

/* Becomes readable when there is an event. */
int process_event_fd(const struct process *process);
/* Returns 0, or -EAGAIN if there is no event. */
int process_read_event(struct process *process, struct process_event *ret_event);

/* Sends a signal to the program's process group. */
int process_signal(struct process *process, int signal);
/* Continues the group, in the foreground of its terminal or in the background. */
int process_continue(struct process *process, bool in_foreground);

/* Kills the program if it still runs. Accepts NULL, returns NULL. */
struct process *process_free(struct process *process);
DEFINE_CLEANUP(struct process, process_free)

/* Opens /dev/null in place of closed standard descriptors; first thing of a privileged program. */
int process_open_missing_stdio(void);

#endif
