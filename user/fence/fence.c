/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A fence: an id, a cgroup, a policy in force, and the names that its events need. */
#include "fence/fence.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/log.h"
#include "compiler/compiled_policy.h"
#include "compiler/policy.h"
#include "events/event_enrich.h"
#include "kernel/anchors.h"
#include "kernel/install.h"
#include "kernel/membership.h"

struct fence {
	struct loader *loader;
	struct fence_request request;
	struct fence_names *names;
	struct event_rule *rules;
	struct anchor_table *anchors;
	struct membership *membership;
};

int fence_identity_draw(struct fence_identity *ret_identity)
{
	struct fence_identity identity = { 0 };

	while (identity.cookie == 0)
		if (getrandom(&identity.cookie, sizeof(identity.cookie), 0) !=
		    (ssize_t)sizeof(identity.cookie))
			return -errno;
	(void)snprintf(identity.id, sizeof(identity.id), "%016" PRIx64, identity.cookie);
	*ret_identity = identity;
	return 0;
}

/* The time since boot tells generations apart, whoever installs them. */
static uint64_t next_generation(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_BOOTTIME, &now); /* Cannot fail with this clock. */
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Lets events name the rules of @compiled under @generation. */
static int publish_names(struct fence *fence, uint64_t generation)
{
	const struct compiled_policy *compiled = fence->request.compiled;
	struct fence_name name = {
		.cookie = fence->request.identity.cookie,
		.generation = generation,
		.id = fence->request.identity.id,
		.name = fence->request.name,
		.policy = compiled->name,
		.n_rules = compiled->n_sources,
	};

	fence->rules = calloc(compiled->n_sources + 1, sizeof(*fence->rules));
	if (!fence->rules)
		return -ENOMEM;
	for (size_t i = 0; i < compiled->n_sources; i++)
		fence->rules[i] = (struct event_rule){
			.key = compiled->sources[i].key,
			.file = compiled->sources[i].file,
			.line = compiled->sources[i].line,
		};
	name.rules = fence->rules;
	return fence_names_add(fence->names, &name);
}

static int install(struct fence *fence)
{
	const struct fence_request *request = &fence->request;
	uint64_t generation = next_generation();
	struct rf_fence record = {
		.cookie = request->identity.cookie,
		.cgroup = membership_cgroup(fence->membership),
		.policy_slot = request->slot,
		.is_recording = request->is_recording,
	};
	int r;

	r = publish_names(fence, generation);
	if (r == 0)
		r = install_policy(fence->loader, request->compiled, record.policy_slot, generation,
				   &fence->anchors);
	if (r == 0)
		r = install_fence(fence->loader, request->slot, &record);
	return r;
}

int fence_new(struct loader *loader, const struct fence_request *request,
	      struct fence_names *names, struct fence **ret_fence)
{
	_cleanup_(fence_freep) struct fence *fence = calloc(1, sizeof(*fence));
	struct membership_request cgroup = {
		.id = request->identity.id,
		.max_tasks = request->policy->max_tasks,
		.max_memory = request->policy->max_memory,
	};
	int r;

	if (!fence)
		return -ENOMEM;
	fence->loader = loader;
	fence->request = *request;
	fence->names = names;
	r = membership_create(loader, &cgroup, &fence->membership);
	if (r == 0)
		r = install(fence);
	if (r < 0)
		return r;
	*ret_fence = TAKE_PTR(fence);
	return 0;
}

struct membership *fence_membership(struct fence *fence)
{
	return fence->membership;
}

uint32_t fence_slot(const struct fence *fence)
{
	return fence->request.slot;
}

uint64_t fence_cookie(const struct fence *fence)
{
	return fence->request.identity.cookie;
}

int fence_add(struct fence *fence, pid_t pid, int pid_fd)
{
	struct rf_label label = {
		.cookie = fence->request.identity.cookie,
		.slot = fence->request.slot,
	};

	return membership_add(fence->membership, fence->loader, &label, pid, pid_fd);
}

struct fence *fence_free(struct fence *fence)
{
	if (!fence)
		return NULL;
	fence_names_remove(fence->names, fence->request.identity.cookie);
	membership_free(fence->membership);
	anchor_table_free(fence->anchors);
	free(fence->rules);
	free(fence);
	return NULL;
}
