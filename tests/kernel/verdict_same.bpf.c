// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decision alone, in the kernel, on names and addresses that a test makes up.
 *
 * Naming, matching and deciding are the functions of the shipped programs; here are only a loop over a
 * request, in place of the walk, and what the socket hook does around its decision.
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

/* One component, from the root down. */
static long match_component(__u32 index, struct rf_walk *walk)
{
	struct verdict_same_component *component;
	struct rf_level level = {};

	if (index >= VERDICT_SAME_MAX_DEPTH)
		return 1;
	component = &vs_request.components[index];
	if (!note_symbol(walk, &level, component->name, component->len))
		return 1;
	return rf_step_in(&walk->task->match, vs_request.policy_slot, level.symbol,
			  component->identity.next, component->identity.rules);
}

/* Returns how many components were matched, -1 if there is no policy. */
SEC("syscall")
int vs_decide_path(void *context)
{
	const __u32 first = 0;
	struct rf_walk walk = {};
	long n_matched;

	walk.task = bpf_map_lookup_elem(&vs_tasks, &first);
	walk.policy = bpf_map_lookup_elem(&rf_policies, &vs_request.policy_slot);
	if (!walk.task || !walk.policy)
		return -1;
	rf_match_init(&walk.task->match);
	rf_step_in(&walk.task->match, vs_request.policy_slot, RF_SYMBOL_NONE,
		   walk.policy->start.next, walk.policy->start.rules);
	n_matched = bpf_loop(vs_request.n_components, match_component, &walk, 0);
	vs_decision = rf_decide_file(&walk.task->match, walk.policy->unlisted, vs_request.access);
	return n_matched;
}

SEC("syscall")
int vs_decide_address(void *context)
{
	void *addresses = bpf_map_lookup_elem(&rf_addresses, &vs_request.policy_slot);
	struct rf_prefix key = { .prefix_size = 128 };
	struct rf_endpoint endpoint = {};
	__u8 reason;

	if (!addresses)
		return -1;
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
