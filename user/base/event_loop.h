/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* One epoll set and the things that wait in it. */
#ifndef BASE_EVENT_LOOP_H
#define BASE_EVENT_LOOP_H

#include <stdint.h>

#include "base/cleanup.h"

struct event_loop;

/**
 * struct source - A descriptor and what to do when it is ready
 * @fd:       Borrowed.
 * @events:   EPOLLIN and the like; changed with event_loop_change() only.
 * @on_ready: Gets the ready events; a value below 0 ends event_loop_run_once() with it. It may add,
 *            change and remove any source, itself included.
 * @owner:    For @on_ready.
 *
 * The source stays where it is in memory while it is in a loop.
 */
struct source {
	int fd;
	uint32_t events;
	int (*on_ready)(struct source *source, uint32_t ready);
	void *owner;
};

int event_loop_new(struct event_loop **ret_loop);
/* Accepts NULL, returns NULL. Sources still in the loop are left alone. */
struct event_loop *event_loop_free(struct event_loop *loop);
DEFINE_CLEANUP(struct event_loop, event_loop_free)

int event_loop_add(struct event_loop *loop, struct source *source);
int event_loop_change(struct event_loop *loop, struct source *source, uint32_t events);
/* Does nothing for a source that is not in the loop. Call it before the descriptor is closed. */
void event_loop_remove(struct event_loop *loop, struct source *source);

/*
 * Waits up to @timeout_ms (-1: without limit) and runs at most one source. Returns 1 if one ran, 0
 * if the time was up or a signal came, or the error of epoll or of the source.
 */
int event_loop_run_once(struct event_loop *loop, int timeout_ms);

#endif
