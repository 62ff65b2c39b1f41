/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Adds to an event what only user space knows: number, host, wall-clock time, fence and rule. */
#ifndef EVENTS_EVENT_ENRICH_H
#define EVENTS_EVENT_ENRICH_H

#include <stddef.h>
#include <stdint.h>

#include "events/event.h"

/**
 * struct fence_name - What a fence is called, under one generation of its policy
 * @cookie:     rf_fence.cookie.
 * @generation: rf_policy.generation that @rules belong to.
 * @rules:      By source index, as in rf_repeat_key.source; @file may have directories.
 *
 * Everything it points to is borrowed.
 */
struct fence_name {
	uint64_t cookie;
	uint64_t generation;
	const char *id;
	const char *name;
	const char *policy;
	const struct event_rule *rules;
	size_t n_rules;
};

/* struct fence_names - Zero-initialise to start; whoever starts fences fills it. */
struct fence_names {
	struct fence_name *fences;
	size_t n_fences;
};

/*
 * Adds or, for an equal cookie and generation, replaces. What @fence points to must live until
 * fence_names_remove(). Returns 0 or -ENOMEM.
 */
int fence_names_add(struct fence_names *names, const struct fence_name *fence);

/* Forgets all generations of a fence; enriched events that are still around lose their names. */
void fence_names_remove(struct fence_names *names, uint64_t cookie);
void fence_names_done(struct fence_names *names);

#define ENRICHER_HOST_SIZE 65

/**
 * struct enricher - State across events
 * @names:      Borrowed.
 * @host:       This machine, as it was called at the start.
 * @seq:        Of the last event.
 * @offset_ns:  CLOCK_REALTIME minus CLOCK_BOOTTIME.
 */
struct enricher {
	const struct fence_names *names;
	char host[ENRICHER_HOST_SIZE];
	uint64_t seq;
	int64_t offset_ns;
};

/* Reads host name and clocks. @names is borrowed for the enricher's life. Returns 0 or -errno. */
int enricher_init(struct enricher *enricher, const struct fence_names *names);

/*
 * Tells what the clocks read now. The offset follows a clock that was set, but not every small
 * correction, so that times of events keep their order. enrich_event() does this itself.
 */
void enricher_set_clocks(struct enricher *enricher, uint64_t realtime_ns, uint64_t boottime_ns);

/*
 * Fills event->names and gives the event the next number: call it once, right before the event is
 * written. A rule is named only from the table of the generation that decided.
 */
void enrich_event(struct enricher *enricher, struct event *event);

#endif
