/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What repeated refusals were about.
 *
 * The kernel sends the first refusal with a key at once and only counts those that follow within
 * RF_REPEAT_WINDOW_NS; the next event it sends with that key stands for them too. If none comes,
 * whoever reads the kernel's table finds a key with a count, and this module remembers the event
 * that goes with it.
 */
#ifndef EVENTS_REPEATS_H
#define EVENTS_REPEATS_H

#include "base/cleanup.h"
#include "ringfence/events.h"

struct event;
/* The last event of each of up to RF_MAX_REPEATS keys; opaque. */
struct repeats;

/* NULL when out of memory. */
struct repeats *repeats_new(void);
/* Accepts NULL, returns NULL. */
struct repeats *repeats_free(struct repeats *repeats);
DEFINE_CLEANUP(struct repeats, repeats_free)

/*
 * Keeps a copy of @event as the last one with its key, in place of the least recent one where
 * there is no room. Call it for every decoded EVENT_DECISION. Returns 0, or -ENOMEM; the summary
 * then falls back to what the key says.
 */
int repeats_remember(struct repeats *repeats, const struct event *event);

/**
 * repeats_summary - The event that stands for refusals which were only counted
 * @key, @repeat: Entry of the kernel's table; @repeat->count is not 0.
 * @ret_event:    The last event with @key, with count and times of @repeat; without path and
 *                process if that is not remembered. Not enriched; released with event_done().
 *
 * Returns 0 or -ENOMEM.
 */
int repeats_summary(const struct repeats *repeats, const struct rf_repeat_key *key,
		    const struct rf_repeat *repeat, struct event *ret_event);

#endif
