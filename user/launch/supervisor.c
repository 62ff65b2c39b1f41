/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Runs one program to its end: signals, terminal and job control. */
#include "launch/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/event_loop.h"
#include "launch/identity.h"
#include "launch/terminal.h"

/**
 * struct supervisor - See the header
 * @process:       NULL until supervisor_prepare().
 * @terminal:      NULL if the program gets none.
 * @uses_terminal: The program is to be in the foreground when ringfence is: from the start, or
 *                 since it has tried to use its terminal.
 */
struct supervisor {
	struct event_loop *loop;
	struct source signal_source;
	struct source process_source;
	struct process *process;
	struct terminal *terminal;
	bool uses_terminal;
	bool has_exited;
	struct supervisor_result result;
};

/* Passed on, unless ringfence was started with them ignored (nohup). */
static const int passed_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };
/* With a meaning of their own here. The terminal is used in the background by intention. */
static const int own_signals[] = { SIGTSTP, SIGCONT, SIGWINCH, SIGTTIN, SIGTTOU };

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void fill_signals(sigset_t *signals)
{
	(void)sigemptyset(signals);
	for (size_t i = 0; i < ELEMENTSOF(passed_signals); i++)
		if (!is_ignored(passed_signals[i]))
			(void)sigaddset(signals, passed_signals[i]);
	for (size_t i = 0; i < ELEMENTSOF(own_signals); i++)
		(void)sigaddset(signals, own_signals[i]);
}

/* ---- Job control ---- */

/*
 * Stops ringfence's process group, as the terminal would, until somebody continues it. Returns
 * whether it was stopped: the kernel does not do it if there is no shell that could continue it.
 */
static bool stop_group(int number)
{
	sigset_t signals;
	sigset_t pending;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, number);
	(void)sigprocmask(SIG_UNBLOCK, &signals, NULL);
	(void)kill(0, number);
	/* Here, later: SIGCONT is pending, for it is blocked. */
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	(void)sigpending(&pending);
	return sigismember(&pending, SIGCONT) == 1;
}

static void continue_program(struct supervisor *supervisor)
{
	bool in_foreground = supervisor->uses_terminal && terminal_take(supervisor->terminal);

	(void)process_continue(supervisor->process, in_foreground); /* Or an event tells. */
}

/*
 * The program has stopped. If it wants its terminal and may have it, it goes on; else ringfence
 * stops, too, and the caller's shell sees a stopped job, as if it had started the program itself.
 */
static void follow_stop(struct supervisor *supervisor, int number)
{
	bool wants_terminal = supervisor->terminal && (number == SIGTTIN || number == SIGTTOU);

	supervisor->uses_terminal |= wants_terminal;
	if (wants_terminal && terminal_is_in_foreground(supervisor->terminal)) {
		/* In front even if the caller's terminal is gone, or it would only stop again. */
		(void)terminal_take(supervisor->terminal);
		(void)process_continue(supervisor->process, /* in_foreground= */ true);
		return;
	}
	if (supervisor->terminal)
		terminal_give_back(supervisor->terminal);
	if (stop_group(wants_terminal ? number : SIGTSTP) || !wants_terminal)
		continue_program(supervisor);
	else
		/* Likewise: it waits for keys that do not come. */
		(void)process_continue(supervisor->process, /* in_foreground= */ true);
}

static void pass_signal(struct supervisor *supervisor, int number)
{
	if (!supervisor->process)
		return;
	if (!supervisor->has_exited)
		(void)process_signal(supervisor->process, number); /* Or an event tells. */
	else if (supervisor->terminal)
		terminal_finish(supervisor->terminal);
}

static void handle_signal(struct supervisor *supervisor, int number)
{
	switch (number) {
	case SIGWINCH:
		if (supervisor->terminal)
			terminal_copy_size(supervisor->terminal);
		return;
	case SIGCONT: /* Maybe after a SIGSTOP, and with the terminal's modes changed. */
		if (supervisor->uses_terminal && !supervisor->has_exited)
			(void)terminal_take(supervisor->terminal);
		return;
	case SIGTTIN:
	case SIGTTOU:
		return;
	default:
		pass_signal(supervisor, number);
	}
}

/* ---- Sources ---- */

static int on_signal_ready(struct source *source, uint32_t ready)
{
	struct signalfd_siginfo info;

	(void)ready;
	if (read(source->fd, &info, sizeof(info)) == sizeof(info))
		handle_signal(source->owner, (int)info.ssi_signo);
	return 0;
}

static void finish(struct supervisor *supervisor, int exit_code)
{
	supervisor->has_exited = true;
	supervisor->result.exit_code = exit_code;
	event_loop_remove(supervisor->loop, &supervisor->process_source);
	if (supervisor->terminal)
		terminal_finish(supervisor->terminal);
}

static int on_process_ready(struct source *source, uint32_t ready)
{
	struct supervisor *supervisor = source->owner;
	struct process_event event;

	(void)ready;
	if (process_read_event(supervisor->process, &event) < 0)
		return 0;
	switch (event.type) {
	case PROCESS_EVENT_FAILED:
		supervisor->result.failure = event.failure;
		return 0;
	case PROCESS_EVENT_STOPPED:
		follow_stop(supervisor, event.signal);
		return 0;
	case PROCESS_EVENT_EXITED:
		finish(supervisor, event.exit_code);
		return 0;
	case PROCESS_EVENT_LOST:
		finish(supervisor, 128 + SIGKILL);
		return 0;
	}
	return 0;
}

static void on_hangup(void *owner)
{
	pass_signal(owner, SIGHUP);
	pass_signal(owner, SIGCONT);
}

/* ---- Life ---- */

int supervisor_new(struct event_loop *loop, struct supervisor **ret_supervisor)
{
	_cleanup_(supervisor_freep) struct supervisor *supervisor =
		calloc(1, sizeof(*supervisor));
	sigset_t signals;
	int error;

	if (!supervisor)
		return -ENOMEM;
	fill_signals(&signals);
	supervisor->loop = loop;
	supervisor->signal_source = (struct source){ .fd = signalfd(-1, &signals, SFD_CLOEXEC),
						     .events = EPOLLIN,
						     .on_ready = on_signal_ready,
						     .owner = supervisor };
	supervisor->process_source = (struct source){ .fd = -1 };
	if (supervisor->signal_source.fd < 0 || sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
		return -errno;
	error = event_loop_add(loop, &supervisor->signal_source);
	if (error < 0)
		return error;
	*ret_supervisor = TAKE_PTR(supervisor);
	return 0;
}

struct supervisor *supervisor_free(struct supervisor *supervisor)
{
	if (!supervisor)
		return NULL;
	event_loop_remove(supervisor->loop, &supervisor->signal_source);
	event_loop_remove(supervisor->loop, &supervisor->process_source);
	cleanup_close(&supervisor->signal_source.fd);
	(void)process_free(supervisor->process); /* Before it could see its terminal go. */
	(void)terminal_free(supervisor->terminal);
	free(supervisor);
	return NULL;
}

int supervisor_prepare(struct supervisor *supervisor, const struct process_request *request,
		       struct process_failure *reterr_failure)
{
	int error;

	error = terminal_open(request->identity->uid, &supervisor->terminal);
	if (error < 0) {
		*reterr_failure = (struct process_failure){ PROCESS_STEP_TERMINAL, -error };
		return error;
	}
	error = process_prepare(request, supervisor->terminal, &supervisor->process,
				reterr_failure);
	if (error < 0)
		return error;
	supervisor->process_source = (struct source){ .fd = process_event_fd(supervisor->process),
						      .events = EPOLLIN,
						      .on_ready = on_process_ready,
						      .owner = supervisor };
	error = event_loop_add(supervisor->loop, &supervisor->process_source);
	if (error == 0 && supervisor->terminal)
		error = terminal_attach(supervisor->terminal, supervisor->loop, on_hangup,
					supervisor);
	if (error < 0)
		*reterr_failure = (struct process_failure){ PROCESS_STEP_START, -error };
	return error;
}

pid_t supervisor_pid(const struct supervisor *supervisor)
{
	return process_pid(supervisor->process);
}

int supervisor_pidfd(const struct supervisor *supervisor)
{
	return process_pidfd(supervisor->process);
}

int supervisor_release(struct supervisor *supervisor)
{
	if (supervisor->terminal && terminal_starts_in_foreground(supervisor->terminal)) {
		supervisor->uses_terminal = true;
		(void)terminal_take(supervisor->terminal); /* If not, the program gets to know. */
	}
	return process_release(supervisor->process);
}

bool supervisor_is_finished(const struct supervisor *supervisor)
{
	return supervisor->has_exited &&
	       (!supervisor->terminal || terminal_is_finished(supervisor->terminal));
}

struct supervisor_result supervisor_result(const struct supervisor *supervisor)
{
	return supervisor->result;
}
