/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* One epoll set and the things that wait in it. */
#include "base/event_loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct event_loop {
	int epoll_fd;
};

int event_loop_new(struct event_loop **ret_loop)
{
	struct event_loop *loop = malloc(sizeof(*loop));

	if (!loop)
		return -ENOMEM;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0) {
		int error = -errno;

		free(loop);
		return error;
	}
	*ret_loop = loop;
	return 0;
}

struct event_loop *event_loop_free(struct event_loop *loop)
{
	if (loop) {
		(void)close(loop->epoll_fd); /* Nothing was written. */
		free(loop);
	}
	return NULL;
}

static int control(struct event_loop *loop, int operation, struct source *source)
{
	struct epoll_event event = { .events = source->events, .data.ptr = source };

	if (epoll_ctl(loop->epoll_fd, operation, source->fd, &event) < 0)
		return -errno;
	return 0;
}

int event_loop_add(struct event_loop *loop, struct source *source)
{
	return control(loop, EPOLL_CTL_ADD, source);
}

int event_loop_change(struct event_loop *loop, struct source *source, uint32_t events)
{
	if (source->events == events)
		return 0;
	source->events = events;
	return control(loop, EPOLL_CTL_MOD, source);
}

void event_loop_remove(struct event_loop *loop, struct source *source)
{
	(void)control(loop, EPOLL_CTL_DEL, source); /* Not in it: as wanted. */
}

int event_loop_run_once(struct event_loop *loop, int timeout_ms)
{
	struct epoll_event event;
	struct source *source;
	int error;
	int n_ready;

	/* One at a time: an event that was fetched earlier could be that of a source that another
	 * one has removed and freed. The kernel serves ready descriptors in turn.
	 */
	n_ready = epoll_wait(loop->epoll_fd, &event, 1, timeout_ms);
	if (n_ready < 0)
		return errno == EINTR ? 0 : -errno;
	if (n_ready == 0)
		return 0;
	source = event.data.ptr;
	error = source->on_ready(source, event.events);
	return error < 0 ? error : 1;
}
