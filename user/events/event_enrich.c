/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Adds to an event what only user space knows. */
#include "events/event_enrich.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ULL
/* How far the offset may be off before it is taken anew: what a clock that is set exceeds. */
#define CLOCK_STEP_NS 10000000

int fence_names_add(struct fence_names *names, const struct fence_name *fence)
{
	struct fence_name *fences;

	for (size_t i = 0; i < names->n_fences; i++)
		if (names->fences[i].cookie == fence->cookie &&
		    names->fences[i].generation == fence->generation) {
			names->fences[i] = *fence;
			return 0;
		}
	fences = reallocarray(names->fences, names->n_fences + 1, sizeof(*fences));
	if (!fences)
		return -ENOMEM;
	names->fences = fences;
	names->fences[names->n_fences++] = *fence;
	return 0;
}

void fence_names_remove(struct fence_names *names, uint64_t cookie)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < names->n_fences; i++)
		if (names->fences[i].cookie != cookie)
			names->fences[n_kept++] = names->fences[i];
	names->n_fences = n_kept;
}

void fence_names_done(struct fence_names *names)
{
	free(names->fences);
	*names = (struct fence_names){ 0 };
}

/* The fence, preferably under @generation; NULL if nobody named it. */
static const struct fence_name *find_fence(const struct fence_names *names, uint64_t cookie,
					   uint64_t generation)
{
	const struct fence_name *found = NULL;

	for (size_t i = 0; i < names->n_fences; i++) {
		const struct fence_name *fence = &names->fences[i];

		if (fence->cookie != cookie)
			continue;
		if (fence->generation == generation)
			return fence;
		found = fence;
	}
	return found;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	(void)clock_gettime(clock, &now); /* Cannot fail for a clock that exists. */
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

int enricher_init(struct enricher *enricher, const struct fence_names *names)
{
	*enricher = (struct enricher){ .names = names };
	/* One byte is kept back: a name that was cut may lack its zero. */
	if (gethostname(enricher->host, sizeof(enricher->host) - 1) < 0)
		return -errno;
	enricher_set_clocks(enricher, clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_BOOTTIME));
	return 0;
}

void enricher_set_clocks(struct enricher *enricher, uint64_t realtime_ns, uint64_t boottime_ns)
{
	int64_t offset_ns = (int64_t)(realtime_ns - boottime_ns);

	if (llabs(offset_ns - enricher->offset_ns) > CLOCK_STEP_NS)
		enricher->offset_ns = offset_ns;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static struct event_rule find_rule(const struct fence_name *fence, const struct event *event)
{
	struct event_rule rule;

	/* RF_NO_SOURCE is beyond every table. */
	if (fence->generation != event->generation || event->key.source >= fence->n_rules)
		return (struct event_rule){ 0 };
	rule = fence->rules[event->key.source];
	rule.file = base_name(rule.file);
	return rule;
}

void enrich_event(struct enricher *enricher, struct event *event)
{
	const struct fence_name *fence =
		find_fence(enricher->names, event->fence, event->generation);
	struct event_names *names = &event->names;
	uint64_t offset_ns;

	enricher_set_clocks(enricher, clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_BOOTTIME));
	offset_ns = (uint64_t)enricher->offset_ns;
	*names = (struct event_names){
		.seq = ++enricher->seq,
		.time_ns = event->time_ns + offset_ns,
		.first_ns = event->first_ns + offset_ns,
		.last_ns = event->last_ns + offset_ns,
		.host = enricher->host,
	};
	if (!fence)
		return;
	names->fence_id = fence->id;
	names->fence_name = fence->name;
	names->policy = fence->policy;
	if (event->kind == EVENT_DECISION)
		names->rule = find_rule(fence, event);
}
