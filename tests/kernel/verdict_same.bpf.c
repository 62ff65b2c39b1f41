// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decision alone, in the kernel, on names and addresses that a test makes up.
 *
 * Naming, matching and deciding are the functions of the shipped programs; here are only the levels
 * filled from a request, in place of the walk, and what the socket hook does around its decision.
 */
#include "object.bpf.h"

#include "verdict_same.h"

/* Written and read through the mapped .bss. */
struct verdict_same_request vs_request;
struct rf_decision vs_decision;

/* In place of the storage of a task. */
struct vs_tasks_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rf_task);
};
struct vs_tasks_map vs_tasks SEC(".maps");

/* One component, from the object up, as the walk meets them. */
static long fill_level(__u32 index, struct rf_walk *walk)
{
	struct rf_level *level = level_at(walk);
	__u32 at = vs_request.n_components - 1 - index;
	struct verdict_same_component *component;

	if (!level || at >= VERDICT_SAME_MAX_DEPTH)
		return stop(walk, RF_WALK_UNRESOLVED);
	component = &vs_request.components[at];
	if (!note_symbol(walk, level, component->name, component->len))
		return stop(walk, RF_WALK_UNRESOLVED);
	level->identity = component->identity;
	walk->task->walk.depth++;
	return 0;
}

SEC("syscall")
int vs_decide_path(void *context)
{
	const __u32 first = 0;
	struct rf_walk walk = {};
	struct rf_level *root;

	walk.task = bpf_map_lookup_elem(&vs_tasks, &first);
	walk.policy = bpf_map_lookup_elem(&rf_policies, &vs_request.policy_slot);
	if (!walk.task || !walk.policy)
		return 1;
	walk.task->walk = (struct rf_progress){ .state = RF_WALK_GOES_ON };
	bpf_loop(vs_request.n_components, fill_level, &walk, 0);
	root = level_at(&walk);
	if (!root || walk.task->walk.state == RF_WALK_UNRESOLVED)
		return 1;
	*root = (struct rf_level){ .identity = walk.policy->start };
	rf_match_init(&walk.task->match);
	bpf_loop(walk.task->walk.depth + 1, match_level, &walk, 0);
	vs_decision = rf_decide_file(&walk.task->match, walk.policy->unlisted, vs_request.access);
	return 0;
}

SEC("syscall")
int vs_decide_address(void *context)
{
	void *addresses = bpf_map_lookup_elem(&rf_addresses, &vs_request.policy_slot);
	struct rf_prefix key = { .prefix_size = 128 };
	struct rf_endpoint endpoint = {};
	__u8 reason;

	if (!addresses)
		return 1;
	reason = rf_endpoint_from_sockaddr(vs_request.sockaddr, vs_request.sockaddr_size, &endpoint);
	if (reason) {
		vs_decision = rf_refuse(reason);
		return 0;
	}
	__builtin_memcpy(key.address, endpoint.address, sizeof(key.address));
	vs_decision = rf_decide_address(bpf_map_lookup_elem(addresses, &key), endpoint.port);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
