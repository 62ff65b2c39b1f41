/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A terminal of the program's own, relayed to and from the caller's. */
#include "launch/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "base/event_loop.h"

/*
 * More than the kernel holds for a pseudo terminal (64 KiB and a line). What is read after the
 * program's end beyond that was not written by it, and would come for as long as somebody writes.
 */
#define LAST_OUTPUT_SIZE (256 * 1024)

/* struct buffer - Bytes on their way; filled when empty, so that nothing is ever moved in it. */
struct buffer {
	char bytes[16384];
	size_t start;
	size_t end;
};

/*
 * struct caller_modes - Modes of the caller's terminal, shared with the session leader, which gives
 * them back if ringfence is killed. Valid as @saved while @is_raw.
 */
struct caller_modes {
	struct termios saved;
	bool is_raw;
};

/**
 * struct terminal - See the header
 * @caller_fd: The caller's terminal, as an open file of our own: to make the caller's descriptors
 *             non-blocking would do so for the caller's shell, too.
 * @slave_fd:  In the relaying process only until it relays: with it the end would not be seen.
 * @is_stdio:  Of descriptors 0, 1 and 2, those that are terminals.
 * @has_modes: The program's terminal has got the modes of the caller's.
 * @is_ending: The program has ended.
 * @last_size: Then: bytes that may still be relayed.
 */
struct terminal {
	int caller_fd;
	int master_fd;
	int slave_fd;
	bool is_stdio[3];
	bool starts_in_foreground;
	bool has_modes;
	bool is_ending;
	bool is_finished;
	size_t last_size;
	struct caller_modes *modes;
	struct buffer input;
	struct buffer output;
	struct event_loop *loop;
	struct source caller_source;
	struct source master_source;
	void (*on_hangup)(void *);
	void *owner;
};

/* ---- Opening ---- */

/* The first terminal among the standard descriptors, -1 if there is none. */
static int find_stdio(struct terminal *terminal)
{
	int first_fd = -1;

	for (int fd = STDERR_FILENO; fd >= STDIN_FILENO; fd--) {
		terminal->is_stdio[fd] = isatty(fd);
		if (terminal->is_stdio[fd])
			first_fd = fd;
	}
	return first_fd;
}

static int open_caller(struct terminal *terminal, int stdio_fd)
{
	char path[sizeof("/proc/self/fd/-2147483648")];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", stdio_fd);
	terminal->caller_fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	return terminal->caller_fd < 0 ? -errno : 0;
}

static int open_pair(struct terminal *terminal, uid_t owner)
{
	int unlocked = 0;

	terminal->master_fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (terminal->master_fd < 0 || ioctl(terminal->master_fd, TIOCSPTLCK, &unlocked) < 0)
		return -errno;
	terminal->slave_fd =
		ioctl(terminal->master_fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal->slave_fd < 0)
		return -errno;
	/* Else the user's programs could not open it by its name. */
	return fchown(terminal->slave_fd, owner, (gid_t)-1) < 0 ? -errno : 0;
}

/* In the background the caller's terminal has the modes of whoever is in the foreground. */
static void copy_modes(struct terminal *terminal, const struct termios *modes)
{
	if (!terminal->has_modes)
		terminal->has_modes = tcsetattr(terminal->master_fd, TCSANOW, modes) == 0;
}

static int open_all(struct terminal *terminal, int stdio_fd, uid_t owner)
{
	struct termios modes;
	int error;

	terminal->modes = mmap(NULL, sizeof(*terminal->modes), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (terminal->modes == MAP_FAILED)
		return -errno;
	error = open_caller(terminal, stdio_fd);
	if (error < 0)
		return error;
	error = open_pair(terminal, owner);
	if (error < 0)
		return error;
	terminal_copy_size(terminal);
	if (terminal_is_in_foreground(terminal)) {
		if (tcgetattr(terminal->caller_fd, &modes) == 0)
			copy_modes(terminal, &modes);
		/* In a pipeline, the other programs may need the keyboard, and this one not. */
		terminal->starts_in_foreground =
			terminal->is_stdio[STDIN_FILENO] && terminal->is_stdio[STDOUT_FILENO];
	}
	return 0;
}

int terminal_open(uid_t owner, struct terminal **ret_terminal)
{
	_cleanup_(terminal_freep) struct terminal *terminal = calloc(1, sizeof(*terminal));
	int stdio_fd;
	int error;

	if (!terminal)
		return -ENOMEM;
	terminal->caller_fd = terminal->master_fd = terminal->slave_fd = -1;
	terminal->modes = MAP_FAILED;
	stdio_fd = find_stdio(terminal);
	if (stdio_fd < 0) {
		*ret_terminal = NULL;
		return 0;
	}
	error = open_all(terminal, stdio_fd, owner);
	if (error < 0)
		return error;
	*ret_terminal = TAKE_PTR(terminal);
	return 0;
}

struct terminal *terminal_free(struct terminal *terminal)
{
	if (!terminal)
		return NULL;
	if (terminal->loop) {
		event_loop_remove(terminal->loop, &terminal->caller_source);
		event_loop_remove(terminal->loop, &terminal->master_source);
	}
	if (terminal->modes != MAP_FAILED) {
		terminal_give_back(terminal);
		(void)munmap(terminal->modes, sizeof(*terminal->modes)); /* It is ours. */
	}
	cleanup_close(&terminal->slave_fd);
	cleanup_close(&terminal->master_fd);
	cleanup_close(&terminal->caller_fd);
	free(terminal);
	return NULL;
}

bool terminal_starts_in_foreground(const struct terminal *terminal)
{
	return terminal->starts_in_foreground;
}

bool terminal_is_in_foreground(const struct terminal *terminal)
{
	pid_t group = tcgetpgrp(terminal->caller_fd);

	/* Not our controlling terminal: it has no background for us. */
	return group < 0 || group == getpgrp();
}

/* ---- For the processes that are started ---- */

int terminal_acquire(struct terminal *terminal)
{
	/* A copy of the master would keep the terminal alive when ringfence is gone. */
	cleanup_close(&terminal->master_fd);
	terminal->master_fd = -1;
	return ioctl(terminal->slave_fd, TIOCSCTTY, 0) < 0 ? -errno : 0;
}

int terminal_set_group(const struct terminal *terminal, pid_t group)
{
	return tcsetpgrp(terminal->slave_fd, group) < 0 ? -errno : 0;
}

int terminal_install_stdio(const struct terminal *terminal)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (terminal->is_stdio[fd] && dup2(terminal->slave_fd, fd) < 0)
			return -errno;
	return 0;
}

/* ---- Relaying ---- */

static bool is_empty(const struct buffer *buffer)
{
	return buffer->start == buffer->end;
}

/* Fills an empty buffer. Returns what read(2) returns, with -errno. */
static ssize_t fill(struct buffer *buffer, int fd)
{
	ssize_t size = read(fd, buffer->bytes, sizeof(buffer->bytes));

	if (size < 0)
		return -errno;
	buffer->start = 0;
	buffer->end = (size_t)size;
	return size;
}

/* Writes what @fd takes. What it will never take is dropped. */
static void flush(struct buffer *buffer, int fd)
{
	while (!is_empty(buffer)) {
		ssize_t size = write(fd, buffer->bytes + buffer->start,
				     buffer->end - buffer->start);

		if (size >= 0)
			buffer->start += (size_t)size;
		else if (errno == EAGAIN)
			return;
		else
			buffer->start = buffer->end;
	}
}

/* Never fails: both descriptors are in the set, or the source is not and the call does nothing. */
static void update_events(struct terminal *terminal)
{
	uint32_t caller = is_empty(&terminal->output) ? 0 : EPOLLOUT;
	uint32_t master = is_empty(&terminal->input) ? 0 : EPOLLOUT;

	if (terminal->modes->is_raw && is_empty(&terminal->input) && !terminal->is_ending)
		caller |= EPOLLIN;
	if (is_empty(&terminal->output))
		master |= EPOLLIN;
	(void)event_loop_change(terminal->loop, &terminal->caller_source, caller);
	(void)event_loop_change(terminal->loop, &terminal->master_source, master);
}

/*
 * For a terminal that is not raw and makes "\r\n" of "\n" once more. A pair that two reads tore
 * apart stays; one carriage return too many does no harm.
 */
static void undo_newlines(struct buffer *buffer)
{
	size_t end = 0;

	for (size_t i = 0; i < buffer->end; i++) {
		bool is_extra = buffer->bytes[i] == '\r' && i + 1 < buffer->end &&
				buffer->bytes[i + 1] == '\n';

		if (!is_extra)
			buffer->bytes[end++] = buffer->bytes[i];
	}
	buffer->end = end;
}

/*
 * Moves up to about @budget bytes, which it counts down. Returns false if the caller's terminal
 * takes no more for now, true if there is nothing more to move.
 */
static bool relay_output(struct terminal *terminal, size_t *budget)
{
	for (;;) {
		ssize_t size;

		flush(&terminal->output, terminal->caller_fd);
		if (!is_empty(&terminal->output))
			return false;
		if (!*budget)
			return true;
		size = fill(&terminal->output, terminal->master_fd);
		if (size <= 0)
			return true;
		if (!terminal->modes->is_raw)
			undo_newlines(&terminal->output);
		*budget -= (size_t)size < *budget ? (size_t)size : *budget;
	}
}

static void relay_last_output(struct terminal *terminal)
{
	if (terminal->is_finished || !relay_output(terminal, &terminal->last_size))
		return;
	terminal->is_finished = true;
	terminal_give_back(terminal);
}

static int on_master_ready(struct source *source, uint32_t ready)
{
	struct terminal *terminal = source->owner;
	size_t budget = sizeof(terminal->output.bytes);
	bool is_all;

	flush(&terminal->input, terminal->master_fd);
	is_all = relay_output(terminal, &budget);
	if (is_all && budget && ready & (EPOLLHUP | EPOLLERR))
		event_loop_remove(terminal->loop, source); /* Nobody has it open any more. */
	update_events(terminal);
	return 0;
}

static void hang_up(struct terminal *terminal)
{
	terminal->modes->is_raw = false;
	event_loop_remove(terminal->loop, &terminal->caller_source);
	if (terminal->is_ending)
		relay_last_output(terminal);
	else
		terminal->on_hangup(terminal->owner);
}

static int on_caller_ready(struct source *source, uint32_t ready)
{
	struct terminal *terminal = source->owner;

	if (ready & (EPOLLHUP | EPOLLERR)) {
		hang_up(terminal);
		return 0;
	}
	/* EIO: somebody else has the foreground now. terminal_take() looks again. */
	if (ready & EPOLLIN && fill(&terminal->input, terminal->caller_fd) == -EIO)
		terminal->modes->is_raw = false;
	flush(&terminal->input, terminal->master_fd);
	flush(&terminal->output, terminal->caller_fd);
	if (terminal->is_ending)
		relay_last_output(terminal);
	update_events(terminal);
	return 0;
}

int terminal_attach(struct terminal *terminal, struct event_loop *loop, void (*on_hangup)(void *),
		    void *owner)
{
	int error;

	terminal->on_hangup = on_hangup;
	terminal->owner = owner;
	terminal->caller_source = (struct source){ .fd = terminal->caller_fd,
						   .on_ready = on_caller_ready,
						   .owner = terminal };
	terminal->master_source = (struct source){ .fd = terminal->master_fd,
						   .events = EPOLLIN,
						   .on_ready = on_master_ready,
						   .owner = terminal };
	cleanup_close(&terminal->slave_fd);
	terminal->slave_fd = -1;
	error = event_loop_add(loop, &terminal->caller_source);
	if (error < 0)
		return error;
	error = event_loop_add(loop, &terminal->master_source);
	if (error < 0)
		event_loop_remove(loop, &terminal->caller_source);
	else
		terminal->loop = loop;
	return error;
}

bool terminal_take(struct terminal *terminal)
{
	struct caller_modes *modes = terminal->modes;
	bool is_taken = false;
	struct termios raw;

	/* Modes of a terminal that is raw already are not the ones to be restored. */
	if (terminal_is_in_foreground(terminal) &&
	    (modes->is_raw || tcgetattr(terminal->caller_fd, &modes->saved) == 0)) {
		copy_modes(terminal, &modes->saved);
		raw = modes->saved;
		cfmakeraw(&raw);
		modes->is_raw = true;
		is_taken = tcsetattr(terminal->caller_fd, TCSANOW, &raw) == 0;
	}
	modes->is_raw = is_taken;
	terminal_copy_size(terminal);
	update_events(terminal);
	return is_taken;
}

void terminal_give_back(struct terminal *terminal)
{
	size_t budget = LAST_OUTPUT_SIZE;

	/* Before its modes change, and before ringfence stops. What does not fit comes later. */
	if (terminal->loop && !terminal->is_finished)
		(void)relay_output(terminal, &budget);
	if (terminal->modes->is_raw)
		(void)tcsetattr(terminal->caller_fd, TCSANOW, &terminal->modes->saved);
	terminal->modes->is_raw = false;
	if (terminal->loop)
		update_events(terminal);
}

void terminal_copy_size(const struct terminal *terminal)
{
	struct winsize size;

	/* Without a size the program does as on any terminal of unknown size. */
	if (ioctl(terminal->caller_fd, TIOCGWINSZ, &size) == 0)
		(void)ioctl(terminal->master_fd, TIOCSWINSZ, &size);
}

void terminal_finish(struct terminal *terminal)
{
	if (terminal->is_ending) {
		/* Asked twice: whoever asks does not want to wait for the caller's terminal. */
		terminal->output.start = terminal->output.end;
		terminal->last_size = 0;
	} else {
		terminal->is_ending = true;
		terminal->last_size = LAST_OUTPUT_SIZE;
		event_loop_remove(terminal->loop, &terminal->master_source);
	}
	relay_last_output(terminal);
	update_events(terminal);
}

bool terminal_is_finished(const struct terminal *terminal)
{
	return terminal->is_finished;
}
