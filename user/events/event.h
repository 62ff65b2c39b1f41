/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What happened, as a value: made by event_decode() from a record, completed by enrich_event() and
 * written by a sink.
 *
 * Paths, comm and addresses were chosen inside a fence: they hold any bytes, and only
 * event_text.h turns them into text.
 */
#ifndef EVENTS_EVENT_H
#define EVENTS_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ringfence/abi.h"

enum event_kind {
	EVENT_UNKNOWN,  /* a record of a type this program does not know */
	EVENT_DECISION, /* a refusal, or in audit mode what would have been one */
	EVENT_LOST,     /* events that the ring had no room for */
};

/* How a path begins that lacks its top components; a whole one begins with a slash. */
#define EVENT_CUT_PATH "\xe2\x80\xa6" /* … */

/**
 * struct event_process - The task that asked, or an ancestor
 * @pid:      0: the process is not known.
 * @start_ns: CLOCK_BOOTTIME.
 * @exe:      Path of its program, NULL if it has none.
 */
struct event_process {
	uint32_t pid;
	uint64_t start_ns;
	const char *exe;
};

/**
 * struct event_rule - A rule as its author knows it
 * @key:  As written; NULL: no rule, or not known.
 * @file: Name of the policy file, without directories.
 *
 * Strings are borrowed.
 */
struct event_rule {
	const char *key;
	const char *file;
	uint32_t line;
};

/**
 * struct event_names - What only user space knows of an event
 * @seq:     Number in the order of writing, from 1. A gap is a loss.
 * @time_ns: CLOCK_REALTIME of the event, @first_ns and @last_ns likewise of its repeats.
 *
 * Strings are borrowed and may be NULL.
 */
struct event_names {
	uint64_t seq;
	uint64_t time_ns;
	uint64_t first_ns;
	uint64_t last_ns;
	const char *host;
	const char *fence_id;
	const char *fence_name;
	const char *policy;
	struct event_rule rule;
};

/**
 * struct event - One event
 * @type:       enum rf_event_type as in the record.
 * @time_ns:    CLOCK_BOOTTIME.
 * @fence:      rf_fence.cookie.
 * @lost:       EVENT_LOST: how many since the last event of this kind.
 * @names:      Filled by enrich_event().
 * @path:       Of the object: "/a/b", or "…/a/b" if it is cut; NULL for sockets.
 * @text:       Owned; holds the paths.
 *
 * The rest is for EVENT_DECISION and as in struct rf_decision_event; numbers from the lists of the
 * contract may be out of range.
 */
struct event {
	enum event_kind kind;
	uint16_t type;
	uint64_t time_ns;
	uint64_t fence;
	uint64_t lost;

	struct rf_repeat_key key;
	uint64_t generation;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t count;
	uint32_t uid;
	uint16_t errno_value;
	bool is_audit;
	char comm[17];
	const char *path;
	struct event_process process;
	struct event_process parents[RF_MAX_EVENT_PARENTS];
	size_t n_parents;

	struct event_names names;
	char *text;
};

/* Whether @path lacks components at its top end. */
bool event_path_is_cut(const char *path);

/* Releases what @event owns; a zeroed event is fine. */
void event_done(struct event *event);
#define _cleanup_event_ _cleanup_(event_done)

/* A copy with paths of its own and without names. Returns 0 or -ENOMEM. */
int event_copy(const struct event *event, struct event *ret_copy);

/* The event that tells of @lost events of @fence, noticed at @time_ns (CLOCK_BOOTTIME). */
struct event event_of_loss(uint64_t fence, uint64_t lost, uint64_t time_ns);

/* Names out of the contract's lists, "unknown" for a number that is in none. */
const char *event_verdict_name(uint8_t verdict);
const char *event_action_name(uint8_t action);
const char *event_reason_name(uint8_t reason);

/* The sentence that goes with a reason; a name in no list stands for itself. */
const char *event_reason_sentence(const char *name);

/* Letters of an access mask, "unknown" if it holds bits of no access; "" if it is empty. */
#define EVENT_ACCESS_SIZE 8
const char *event_access_text(rf_access_mask access, char buf[EVENT_ACCESS_SIZE]);

/* Whether the object is an address and not a path. */
bool event_is_on_socket(const struct event *event);

#endif
