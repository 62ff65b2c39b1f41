/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * From the rings to the sinks: decodes, enriches and writes what fences are refused, and what they do if
 * that is recorded.
 */
#ifndef FENCE_WATCHER_H
#define FENCE_WATCHER_H

#include <stdint.h>

#include "base/cleanup.h"

struct event_loop;
struct fence_names;
struct loader;
struct sink;
struct watcher;

/**
 * struct watcher_sinks - Where what is read goes; borrowed
 * @refusals: What was refused, or would have been.
 * @activity: What was allowed and recorded; NULL if no fence records.
 */
struct watcher_sinks {
	struct sink *refusals;
	struct sink *activity;
};

/* Reads in @loop from here on. @names is borrowed. Returns 0 or -errno, logged. */
int watcher_new(struct loader *loader, struct event_loop *loop, const struct fence_names *names,
		const struct watcher_sinks *sinks, struct watcher **ret_watcher);

/**
 * struct watcher_totals - Of one fence
 * @n_refused:   Requests refused, or in audit mode those that would have been.
 * @n_lost:      Events that the ring had no room for.
 * @n_unwritten: Events that the sink did not take, of all fences.
 */
struct watcher_totals {
	uint64_t n_refused;
	uint64_t n_lost;
	uint64_t n_unwritten;
};

/* Writes all there is to write of the fence in @slot, for good, and adds it up. */
void watcher_finish(struct watcher *watcher, uint32_t slot, uint64_t cookie,
		    struct watcher_totals *ret_totals);

/* Accepts NULL, returns NULL. */
struct watcher *watcher_free(struct watcher *watcher);
DEFINE_CLEANUP(struct watcher, watcher_free)

#endif
