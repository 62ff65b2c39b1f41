/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Starting the program in two steps: what ringfence itself does. */
#include "launch/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/process_private.h"

/**
 * struct process - See the header
 * @leader:    The session leader, a child of ours; -1 before it is there.
 * @socket_fd: Reports from the leader and the program, orders to the leader.
 * @pid:       The program. The leader does not reap it, so the number stays its own.
 * @has_lost_leader: PROCESS_EVENT_LOST has been returned.
 */
struct process {
	pid_t leader;
	int socket_fd;
	pid_t pid;
	int pidfd;
	bool has_lost_leader;
};

const char *process_step_sentence(enum process_step step)
{
	static const char *const sentences[] = {
#define X(identifier, sentence) [PROCESS_STEP_##identifier] = (sentence),
		PROCESS_STEPS(X)
#undef X
	};

	return sentences[step];
}

void process_send_report(int socket_fd, const struct report *report)
{
	/* If it cannot be sent, ringfence is gone, and the leader knows. */
	(void)send(socket_fd, report, sizeof(*report), MSG_NOSIGNAL);
}

static int send_order(struct process *process, enum order_type type, int value)
{
	const struct order order = { .type = type, .value = value };

	if (send(process->socket_fd, &order, sizeof(order), MSG_NOSIGNAL) < 0)
		return -errno;
	return 0;
}

/* -ECONNRESET: the leader is gone. */
static int receive_report(struct process *process, int flags, struct report *ret_report)
{
	ssize_t size;

	do
		size = recv(process->socket_fd, ret_report, sizeof(*ret_report), flags);
	while (size < 0 && errno == EINTR);
	if (size < 0)
		return -errno;
	return size == sizeof(*ret_report) ? 0 : -ECONNRESET;
}

static int fork_leader(struct process *process, const struct process_request *request,
		       struct terminal *terminal)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	process->socket_fd = sockets[0];
	process->leader = fork();
	if (process->leader == 0) {
		(void)close(sockets[0]); /* Else the leader would not see its end. */
		session_leader_run(request, terminal, sockets[1]);
	}
	if (process->leader < 0) {
		int error = -errno;

		(void)close(sockets[1]); /* Nothing was written. */
		return error;
	}
	(void)close(sockets[1]);
	return 0;
}

/* Waits until the program is prepared. @reterr_step: the step that failed, if it is known. */
static int await_program(struct process *process, enum process_step *reterr_step)
{
	struct report report;
	int error;

	error = receive_report(process, 0, &report);
	if (error < 0)
		return error;
	if (report.type == REPORT_FAILED) {
		*reterr_step = report.step;
		return -report.value;
	}
	if (report.type != REPORT_PREPARED)
		return -ECONNRESET;
	process->pid = report.value;
	process->pidfd = pidfd_open(process->pid, 0);
	return process->pidfd < 0 ? -errno : 0;
}

int process_prepare(const struct process_request *request, struct terminal *terminal,
		    struct process **ret_process, struct process_failure *reterr_failure)
{
	_cleanup_(process_freep) struct process *process = malloc(sizeof(*process));
	enum process_step step = PROCESS_STEP_START;
	int error = -ENOMEM;

	if (process) {
		*process = (struct process){ .leader = -1, .socket_fd = -1, .pidfd = -1 };
		error = fork_leader(process, request, terminal);
	}
	if (error == 0)
		error = await_program(process, &step);
	if (error < 0) {
		*reterr_failure = (struct process_failure){ step, -error };
		return error;
	}
	*ret_process = TAKE_PTR(process);
	return 0;
}

struct process *process_free(struct process *process)
{
	if (!process)
		return NULL;
	cleanup_close(&process->socket_fd);
	cleanup_close(&process->pidfd);
	if (process->leader > 0)
		while (waitpid(process->leader, NULL, 0) < 0 && errno == EINTR)
			;
	free(process);
	return NULL;
}

pid_t process_pid(const struct process *process)
{
	return process->pid;
}

int process_pidfd(const struct process *process)
{
	return process->pidfd;
}

int process_release(struct process *process)
{
	return send_order(process, ORDER_RELEASE, 0);
}

int process_signal(struct process *process, int signal)
{
	return send_order(process, ORDER_SIGNAL, signal);
}

int process_continue(struct process *process, bool in_foreground)
{
	return send_order(process,
			  in_foreground ? ORDER_CONTINUE_FOREGROUND : ORDER_CONTINUE_BACKGROUND, 0);
}

int process_event_fd(const struct process *process)
{
	return process->socket_fd;
}

/* Without its leader the program has no end that anybody would notice. */
static void lose_leader(struct process *process, struct process_event *ret_event)
{
	(void)pidfd_send_signal(process->pidfd, SIGKILL, NULL, 0); /* Or it has ended. */
	process->has_lost_leader = true;
	*ret_event = (struct process_event){ .type = PROCESS_EVENT_LOST };
}

int process_read_event(struct process *process, struct process_event *ret_event)
{
	struct report report;
	int error;

	if (process->has_lost_leader)
		return -EAGAIN;
	error = receive_report(process, MSG_DONTWAIT, &report);
	if (error == -EAGAIN)
		return error;
	if (error < 0) {
		lose_leader(process, ret_event);
		return 0;
	}
	switch (report.type) {
	case REPORT_FAILED:
		*ret_event = (struct process_event){ .type = PROCESS_EVENT_FAILED,
						     .failure = { report.step, report.value } };
		return 0;
	case REPORT_STOPPED:
		*ret_event = (struct process_event){ .type = PROCESS_EVENT_STOPPED,
						     .signal = report.value };
		return 0;
	case REPORT_EXITED:
		*ret_event = (struct process_event){ .type = PROCESS_EVENT_EXITED,
						     .exit_code = report.value };
		return 0;
	case REPORT_PREPARED:
		break;
	}
	lose_leader(process, ret_event); /* Nobody says that twice. */
	return 0;
}

int process_open_missing_stdio(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* open(2) takes the lowest number that is free. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return -errno;
	return 0;
}
