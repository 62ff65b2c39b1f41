/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What repeated refusals were about. */
#include "events/repeats.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "events/event.h"

/*
 * A table of sets, as in a processor's cache: a key has one set, which its hash names, and takes
 * the place of the set's least recent event. A task that aims its keys at one set pushes out
 * events of its own making, and loses but the detail of their summaries.
 */
#define SET_SIZE 8
#define N_SETS (RF_MAX_REPEATS / SET_SIZE)
_Static_assert(N_SETS * SET_SIZE == RF_MAX_REPEATS, "sets fill the table");

/* @events: NULL or owned. */
struct repeats {
	struct event *events[N_SETS][SET_SIZE];
};

struct repeats *repeats_new(void)
{
	return calloc(1, sizeof(struct repeats));
}

static struct event *event_free(struct event *event)
{
	if (event)
		event_done(event);
	free(event);
	return NULL;
}
DEFINE_CLEANUP(struct event, event_free)

struct repeats *repeats_free(struct repeats *repeats)
{
	for (size_t set = 0; repeats && set < N_SETS; set++)
		for (size_t i = 0; i < SET_SIZE; i++)
			event_free(repeats->events[set][i]);
	free(repeats);
	return NULL;
}

/* FNV-1a. The key has no padding, so its bytes are its value. */
static size_t set_of(const struct rf_repeat_key *key)
{
	const unsigned char *bytes = (const unsigned char *)key;
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < sizeof(*key); i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;
	return hash % N_SETS;
}

static bool has_key(const struct event *event, const struct rf_repeat_key *key)
{
	return event && memcmp(&event->key, key, sizeof(*key)) == 0;
}

/* Where an event with @key goes: over the one with that key, or into a free place, or over the
 * least recent.
 */
static struct event **find_place(struct event **set, const struct rf_repeat_key *key)
{
	struct event **place = &set[0];

	for (size_t i = 0; i < SET_SIZE; i++) {
		if (has_key(set[i], key))
			return &set[i];
		if (*place && (!set[i] || set[i]->time_ns < (*place)->time_ns))
			place = &set[i];
	}
	return place;
}

int repeats_remember(struct repeats *repeats, const struct event *event)
{
	_cleanup_(event_freep) struct event *copy = calloc(1, sizeof(*copy));
	struct event **place = find_place(repeats->events[set_of(&event->key)], &event->key);
	int r;

	if (!copy)
		return -ENOMEM;
	r = event_copy(event, copy);
	if (r < 0)
		return r;
	event_free(*place);
	*place = TAKE_PTR(copy);
	return 0;
}

/* What the key alone says. */
static struct event event_of_key(const struct rf_repeat_key *key)
{
	return (struct event){
		.kind = EVENT_DECISION,
		.type = RF_EVENT_DECISION,
		.fence = key->fence,
		.key = *key,
	};
}

int repeats_summary(const struct repeats *repeats, const struct rf_repeat_key *key,
		    const struct rf_repeat *repeat, struct event *ret_event)
{
	struct event *const *set = repeats->events[set_of(key)];
	struct event summary = event_of_key(key);
	int r;

	for (size_t i = 0; i < SET_SIZE; i++) {
		if (!has_key(set[i], key))
			continue;
		r = event_copy(set[i], &summary);
		if (r < 0)
			return r;
		break;
	}
	summary.time_ns = repeat->last_ns;
	summary.first_ns = repeat->first_ns;
	summary.last_ns = repeat->last_ns;
	summary.count = repeat->count;
	*ret_event = summary;
	return 0;
}
