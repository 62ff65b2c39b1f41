/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The process between ringfence and the program: leads its session, watches it, signals it, ends it
 * when ringfence is gone. It never executes anything.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "launch/process_private.h"
#include "launch/terminal.h"

/**
 * struct leader - What the leader knows
 * @terminal:   NULL if there is none.
 * @child_fd:   Readable when the program has changed its state.
 * @release_fd: Releases the program.
 * @has_exited: The program has; it stays unreaped, so its number stays safe to signal.
 */
struct leader {
	struct terminal *terminal;
	int socket_fd;
	int child_fd;
	int release_fd;
	int kill_fd;
	pid_t program;
	bool has_exited;
};

static _Noreturn void fail(int socket_fd, enum process_step step)
{
	process_send_report(socket_fd, &(struct report){ REPORT_FAILED, step, errno });
	_exit(1);
}

static void signal_program(const struct leader *leader, int signal)
{
	/* It may have left the group that it was started in. */
	if (!leader->has_exited && kill(-leader->program, signal) < 0)
		(void)kill(leader->program, signal);
}

static void continue_program(const struct leader *leader, bool in_foreground)
{
	if (leader->terminal)
		(void)terminal_set_group(leader->terminal,
					 in_foreground ? leader->program : getpgrp());
	signal_program(leader, SIGCONT);
}

/* ringfence is gone, or done. What it has changed and who it has let run does not outlive it. */
static _Noreturn void end(const struct leader *leader)
{
	signal_program(leader, SIGKILL);
	if (leader->kill_fd > STDERR_FILENO)
		(void)!write(leader->kill_fd, "1", 1); /* Fails if the fence is removed already. */
	if (leader->terminal)
		terminal_give_back(leader->terminal);
	_exit(0);
}

static void obey(const struct leader *leader)
{
	struct order order;
	ssize_t size = recv(leader->socket_fd, &order, sizeof(order), 0);

	if (size < 0 && errno == EINTR)
		return;
	if (size != sizeof(order))
		end(leader);
	switch (order.type) {
	case ORDER_RELEASE:
		(void)!write(leader->release_fd, "", 1); /* Fails if it has exited. */
		return;
	case ORDER_SIGNAL:
		signal_program(leader, order.value);
		return;
	case ORDER_CONTINUE_FOREGROUND:
	case ORDER_CONTINUE_BACKGROUND:
		continue_program(leader, order.type == ORDER_CONTINUE_FOREGROUND);
		return;
	}
}

static void report_stop(const struct leader *leader)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)leader->program, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid)
		process_send_report(leader->socket_fd, &(struct report){ .type = REPORT_STOPPED,
									 .value = info.si_status });
}

static void report_exit(struct leader *leader)
{
	siginfo_t info = { .si_pid = 0 };
	int code;

	if (waitid(P_PID, (id_t)leader->program, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	    !info.si_pid)
		return;
	code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	leader->has_exited = true;
	process_send_report(leader->socket_fd,
			    &(struct report){ .type = REPORT_EXITED, .value = code });
}

static void watch(struct leader *leader)
{
	struct signalfd_siginfo info;

	(void)!read(leader->child_fd, &info, sizeof(info)); /* Only that it came counts. */
	if (!leader->has_exited)
		report_stop(leader);
	if (!leader->has_exited)
		report_exit(leader);
}

static _Noreturn void lead(struct leader *leader)
{
	struct pollfd fds[] = {
		{ .fd = leader->child_fd, .events = POLLIN },
		{ .fd = leader->socket_fd, .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, ELEMENTSOF(fds), -1) < 0 && errno != EINTR)
			end(leader);
		if (fds[0].revents)
			watch(leader);
		if (fds[1].revents)
			obey(leader);
	}
}

/* The program can send signals to its session by its terminal; they end in this mask. */
static int take_signals(void)
{
	sigset_t signals;

	(void)signal(SIGCHLD, SIG_DFL); /* If it is ignored, children cannot be waited for. */
	(void)sigfillset(&signals);
	if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
		return -1;
	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGCHLD);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

static int acquire_terminal(struct terminal *terminal)
{
	int error = terminal ? terminal_acquire(terminal) : 0;

	errno = -error;
	return error;
}

_Noreturn void session_leader_run(const struct process_request *request, struct terminal *terminal,
				  int socket_fd)
{
	struct leader leader = { .terminal = terminal, .socket_fd = socket_fd,
				 .kill_fd = request->kill_fd };
	int release_fds[2];

	leader.child_fd = take_signals();
	if (leader.child_fd < 0 || setsid() < 0)
		fail(socket_fd, PROCESS_STEP_SESSION);
	if (acquire_terminal(terminal) < 0)
		fail(socket_fd, PROCESS_STEP_TERMINAL);
	if (pipe2(release_fds, O_CLOEXEC) < 0)
		fail(socket_fd, PROCESS_STEP_START);
	leader.release_fd = release_fds[1];
	leader.program = fork();
	if (leader.program < 0)
		fail(socket_fd, PROCESS_STEP_START);
	if (leader.program == 0) {
		(void)close(release_fds[1]); /* Else the program would not see the leader's end. */
		program_run(request, terminal, socket_fd, release_fds[0]);
	}
	(void)close(release_fds[0]);
	lead(&leader);
}
