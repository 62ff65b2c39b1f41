/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every map and global: type, and for each key, value, writer, reader and what happens when full.
 *
 * Tables of a policy are inner maps, one set for each generation, of just the size it needs. A
 * generation comes into force by one store to rf_fence.policy_slot, after all its tables are filled.
 */
#ifndef MAPS_BPF_H
#define MAPS_BPF_H

#include "climb.bpf.h"
#include "prelude.bpf.h"

/*
 * ---- Tables of one policy generation. Writer: the installer, once; full: error at install. ----
 *
 * Sizes instead of types: clang 14 only declares a type that nothing but an inner map names, and
 * libbpf then cannot tell its size.
 */

/* (state, symbol) to what follows. Reader: the match. */
struct rf_edges_inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(struct rf_edge));
	__uint(value_size, sizeof(struct rf_target));
	__uint(max_entries, 1);
};

/* (set of patterns, one more pattern) to the larger set. Reader: naming a component. */
struct rf_classes_inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(struct rf_class));
	__uint(value_size, sizeof(rf_symbol));
	__uint(max_entries, 1);
};

/* Name of up to RF_MAX_SHORT_NAME bytes, or pattern, to symbol. Reader: naming a component. */
struct rf_short_names_inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(struct rf_short_name));
	__uint(value_size, sizeof(rf_symbol));
	__uint(max_entries, 1);
};

/* Longer name to symbol. Reader: naming a component. */
struct rf_long_names_inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(struct rf_long_name));
	__uint(value_size, sizeof(rf_symbol));
	__uint(max_entries, 1);
};

/* Object known by identity to where it enters the automaton. Reader: the walk. */
struct rf_identities_inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(struct rf_object_id));
	__uint(value_size, sizeof(struct rf_target));
	__uint(max_entries, 1);
};

/* rf_target.rules - 1 to the rules that end there. Reader: the match. */
struct rf_rules_inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_INNER_MAP);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct rf_rules));
	__uint(max_entries, 1);
};

/* Longest address prefix to port ranges. Reader: socket programs. */
struct rf_addresses_inner {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(struct rf_prefix));
	__uint(value_size, sizeof(struct rf_address_rules));
	__uint(max_entries, 1);
};

/*
 * ---- Policy slot to table. Writer: the installer; reader: as above; slots beyond: error at
 * install. The loader sets max_entries of these, of rf_policies and of rf_fences.
 */
#define RF_OUTER_MAP(name)                               \
	struct name##_outer {                            \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); \
		__uint(max_entries, 1);                  \
		__type(key, __u32);                      \
		__array(values, struct name##_inner);    \
	};                                               \
	struct name##_outer name SEC(".maps")

RF_OUTER_MAP(rf_edges);
RF_OUTER_MAP(rf_classes);
RF_OUTER_MAP(rf_short_names);
RF_OUTER_MAP(rf_long_names);
RF_OUTER_MAP(rf_identities);
RF_OUTER_MAP(rf_rules);
RF_OUTER_MAP(rf_addresses);

/* Policy slot to head. Written last of all tables of a generation. */
struct rf_policies_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rf_policy);
};
struct rf_policies_map rf_policies SEC(".maps");

/* ---- Fences ---- */

/* Fence slot to fence. Writer: user space; readers: all programs. Full: error at start. */
struct rf_fences_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rf_fence);
};
struct rf_fences_map rf_fences SEC(".maps");

/* Id of a fence's cgroup to label. Writer: user space; reader: subject test. Full: error. */
struct rf_cgroups_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct rf_label);
};
struct rf_cgroups_map rf_cgroups SEC(".maps");

/* Fence slot to counters. Writers: programs, by atomic additions; reader: user space. */
struct rf_counters_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rf_counters);
};
struct rf_counters_map rf_counters SEC(".maps");

/**
 * struct rf_level - One component of the path walked
 * @symbol:   Of its name.
 * @identity: Where the object enters the automaton by itself; all zero if unknown.
 */
struct rf_level {
	rf_symbol symbol;
	struct rf_target identity;
};

/**
 * struct rf_progress - How far a walk has come
 * @climb:        Where it is, outside of the typed part.
 * @depth:        Index of the level being filled.
 * @state:        enum rf_walk_state.
 * @has_met_bind: There was a bind mount on the way.
 *
 * What the callback of a bpf_loop() changes lives here and not on the stack of the caller: the verifier may
 * look at a callback once, with the values the stack has at first, take them for constants and remove
 * the branches, checks of bounds among them, that later turns would need.
 */
struct rf_progress {
	struct rf_climb climb;
	__u32 depth;
	__u32 state;
	__u32 has_met_bind;
};

/**
 * struct rf_task - What a task of a fence carries
 * @label:  Which fence; copied to children when they are made, never changed.
 * @object: What the request in progress is about.
 * @walk, @match: Of the decision in progress.
 * @levels: Of the walk in progress, the object's own first.
 * @event:  Built after the verdict, when @levels is no longer needed.
 * @name:   Scratch of the walk; zero beyond the name it holds.
 *
 * Scratch lives here because programs are preemptible: on a per-CPU buffer another task could decide
 * on this one's path.
 */
struct rf_task {
	struct rf_label label;
	struct rf_object object;
	struct rf_progress walk;
	struct rf_match match;
	struct rf_name name;
	union {
		struct rf_level levels[RF_MAX_DEPTH];
		struct rf_decision_event event;
	};
};
/* User space writes the label alone, at the start. */
RF_ASSERT_OFFSET(struct rf_task, label, 0);
/* One page with the kernel's own header of an element. */
_Static_assert(sizeof(struct rf_task) <= 3968, "a task's storage fits one page");

/*
 * Task to label and scratch. Writers: user space for the first task, task_alloc for its children;
 * readers: all programs. No memory: fork fails, or the request is refused.
 */
struct rf_tasks_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct rf_task);
};
struct rf_tasks_map rf_tasks SEC(".maps");

/* ---- Events ---- */

/* Refusals. Full: the event is lost and counted. Reader: user space. */
struct rf_ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RF_DENIALS_RING_BYTES);
};
struct rf_ring_map rf_denials SEC(".maps");
/* Allowed activity that is recorded; apart, so that it never displaces a refusal. */
struct rf_ring_map rf_activity SEC(".maps");

/* Refusal to count since it was last sent. Full: the least recent is forgotten. */
struct rf_repeats_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, RF_MAX_REPEATS);
	__type(key, struct rf_repeat_key);
	__type(value, struct rf_repeat);
};
struct rf_repeats_map rf_repeats SEC(".maps");

/* ---- Globals ---- */

/* Level of a fence's cgroup in the hierarchy. Writer: rf_resolve, before any fence starts. */
volatile __u32 rf_fence_level;

#endif
