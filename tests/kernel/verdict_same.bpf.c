// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decision alone, in the kernel, on names and addresses that a test makes up.
 *
 * The headers are those of the shipped programs; here are only loops around them, in place of the walk
 * and of the socket hook.
 */
#include "tables.bpf.h"

#include "verdict_same.h"

/* Written and read through the mapped .bss. */
struct verdict_same_request vs_request;
struct rf_decision vs_decision;

/* In place of the storage of a task. */
struct vs_scratch_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rf_task);
};
struct vs_scratch_map vs_scratch SEC(".maps");

struct vs_walk {
	struct rf_tables tables;
	struct rf_task *task;
};

static long match_component(__u32 index, struct vs_walk *walk)
{
	const struct rf_tables *tables = &walk->tables;
	struct rf_name *name = &walk->task->name;
	struct verdict_same_component *component;
	rf_symbol symbol;

	if (index >= VERDICT_SAME_MAX_DEPTH)
		return 1;
	component = &vs_request.components[index];
	__builtin_memset(name, 0, sizeof(*name));
	__builtin_memcpy(&name->name, component->name, sizeof(name->name));
	name->len = component->len;
	if (name->len == 0 || name->len > RF_MAX_NAME)
		return 1;
	symbol = rf_symbol_of_name(tables, tables->policy, name);
	rf_match_step(&walk->task->match, tables, symbol, component->identity);
	return 0;
}

SEC("syscall")
int vs_decide_path(void *context)
{
	const __u32 first = 0;
	struct vs_walk walk = { .task = bpf_map_lookup_elem(&vs_scratch, &first) };
	const struct rf_tables *tables = &walk.tables;

	if (!walk.task || !open_tables(&walk.tables, vs_request.policy_slot))
		return 1;
	rf_match_init(&walk.task->match);
	rf_match_step(&walk.task->match, tables, RF_SYMBOL_NONE, tables->policy->start);
	bpf_loop(vs_request.n_components, match_component, &walk, 0);
	vs_decision = rf_decide_file(&walk.task->match, tables->policy->unlisted,
				     vs_request.access);
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
