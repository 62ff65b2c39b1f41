/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The compiled policy: what the compiler emits, the maps hold and the programs read.
 *
 * In: record layouts and the constants inside them. Out: how a verdict is made (verdict.h).
 *
 * A policy's path rules become one deterministic automaton over path components, read from the
 * root down. A component is first turned into a symbol: the symbol of that exact name if the
 * policy has one, else the symbol of the set of patterns that the name matches, else
 * RF_SYMBOL_NONE. An edge (state, symbol) leads to a target: the rules that end at this component
 * and the state to go on from. States are numbered by how they go on alone, so thousands of rules
 * that end below one directory cost an edge each and no state. Which edge holds where a state has
 * none for a symbol: see rf_follow(). An object whose identity is known to the policy enters the
 * automaton at its own target wherever it is found, which is what makes a rule hold for the object
 * by every road.
 */
#ifndef RINGFENCE_RULES_H
#define RINGFENCE_RULES_H

#include "accesses.h"
#include "limits.h"
#include "types.h"

#define RF_ABI_VERSION 1

/*
 * Layers decide separately and the strictest one holds: a rule of one layer never widens what
 * another refuses.
 */
enum rf_layer {
	RF_LAYER_FILES,    /* `files`; where no rule matches, `unlisted` decides. */
	RF_LAYER_PROGRAMS, /* `programs`; where no rule matches, it allows. */
	RF_N_LAYERS
};

/* Index of a rule in the policy's table of sources; this value is none. */
#define RF_NO_SOURCE 0xffffffffU

/**
 * struct rf_rule - What the rules that end at one component say in one layer
 * @flags:  RF_RULE_*. Zero: no rule ends there.
 * @allow:  Accesses that go on.
 * @ask:    Accesses that a person decides; disjoint from @allow.
 * @hide:   Of the other accesses, those that fail with ENOENT; the rest fail with EACCES.
 * @source: Index of the rule that decides each access bit, for events and `explain`.
 */
struct rf_rule {
	__u8 flags;
	rf_access_mask allow;
	rf_access_mask ask;
	rf_access_mask hide;
	__u32 source[RF_N_ACCESSES];
};
RF_ASSERT_SIZE(struct rf_rule, 16);

#define RF_RULE_PRESENT 0x01
/*
 * How exact the rule is, compared as a number: its last component is exact; all of them are. The more
 * exact of two rules that match at the same depth wins.
 */
#define RF_RULE_EXACT_NAME 0x02
#define RF_RULE_EXACT_PATH 0x04
#define RF_RULE_EXACTNESS (RF_RULE_EXACT_NAME | RF_RULE_EXACT_PATH)

/* struct rf_rules - Value of the rules table, indexed by rf_target.rules - 1. */
struct rf_rules {
	struct rf_rule layer[RF_N_LAYERS];
};
RF_ASSERT_SIZE(struct rf_rules, 32);

/*
 * A state carries what follows from it, so that a walk looks up only what can be there.
 * Bits 0-23: number, 1 the first. State 0: the run has ended.
 */
typedef __u32 rf_state;
#define RF_STATE_NONE 0U
#define RF_STATE_NUMBER 0x00ffffffU
#define RF_STATE_HAS_EDGES 0x80000000U /* edges for symbols other than RF_SYMBOL_ANY */
#define RF_STATE_HAS_ANY 0x40000000U   /* an edge for RF_SYMBOL_ANY */
/*
 * Symbols without an edge of its own: as from the state that its edge for RF_SYMBOL_ANY leads to.
 * A state below `**` thus holds only what it adds. The other state never inherits itself.
 */
#define RF_STATE_INHERITS 0x20000000U
/*
 * Below here, at a place that depends on this directory's, a rule refuses writing: the directory must
 * keep its name, or the place would be free for the next run, whose policy looks it up by name.
 */
#define RF_STATE_GUARDS 0x10000000U

/**
 * struct rf_target - What a step of the automaton finds
 * @next:  State to go on from; RF_STATE_NONE: no rule can match deeper.
 * @rules: Number of the rules that end here, from 1; 0: none.
 *
 * Value of the edge table and of the identity table.
 */
struct rf_target {
	rf_state next;
	__u32 rules;
};
RF_ASSERT_SIZE(struct rf_target, 8);

/*
 * Symbols. Exact names and sets of patterns share one number space; both are non-zero and below
 * RF_SYMBOL_ANY.
 */
typedef __u32 rf_symbol;
#define RF_SYMBOL_NONE 0U
#define RF_SYMBOL_ANY 0xffffffffU

/* struct rf_edge - Key of the edge table; @from with all its flag bits. */
struct rf_edge {
	rf_state from;
	rf_symbol symbol;
};
RF_ASSERT_SIZE(struct rf_edge, 8);

/**
 * struct rf_class - Key of the class table; the value is the rf_symbol of the larger set
 * @set:     The set of patterns that a name was found to match so far.
 * @pattern: One more pattern that it matches.
 */
struct rf_class {
	rf_symbol set;
	rf_symbol pattern;
};
RF_ASSERT_SIZE(struct rf_class, 8);

/*
 * Keys of the name tables, padded with zero bytes; the value is an rf_symbol. A pattern stands in
 * the short table with its `*` written as '/', a byte that no name contains.
 */
struct rf_short_name {
	char bytes[RF_MAX_SHORT_NAME + 1];
};
RF_ASSERT_SIZE(struct rf_short_name, 32);

struct rf_long_name {
	char bytes[RF_MAX_NAME + 1];
};
RF_ASSERT_SIZE(struct rf_long_name, 256);

/**
 * struct rf_name - A component, with room to build look-up keys from it
 * @name:  Its bytes, zero beyond @len.
 * @key:   Written by rf_symbol_of_name().
 * @slack: Never used; the verifier, which does not know that what is copied fits, wants it here.
 * @len:   1 to RF_MAX_NAME.
 * @set:   Symbol of the patterns it was found to match so far. Here and not on the stack, see rf_progress
 *         in bpf/maps.bpf.h.
 */
struct rf_name {
	struct rf_long_name name;
	struct rf_short_name key;
	char slack[RF_MAX_SHORT_NAME + 1];
	__u32 len;
	rf_symbol set;
};

/**
 * struct rf_object_id - A file or directory as the kernel knows it
 * @ino:        inode->i_ino of the object's own file system, not st_ino.
 * @dev:        inode->i_sb->s_dev, not st_dev.
 * @generation: inode->i_generation, which tells a new file from a removed one with the same number,
 *              mixed with the file's type: overlayfs counts directories by itself, from 1, and takes
 *              other numbers from its layers, so that one of each may have the same.
 *
 * Key of the identity table; the value is a struct rf_target.
 */
struct rf_object_id {
	__u64 ino;
	__u32 dev;
	__u32 generation;
};
RF_ASSERT_SIZE(struct rf_object_id, 16);

#define RF_FILE_TYPE_MASK 0170000 /* S_IFMT */

/* rf_object_id.generation from i_generation and i_mode. */
RF_ALWAYS_INLINE __u32 rf_object_generation(__u32 generation, __u32 mode)
{
	return generation ^ (mode & RF_FILE_TYPE_MASK) << 16;
}

/**
 * struct rf_match - A walk through the automaton, from the root down
 * @live:          Targets of the last step; zero fills the rest.
 * @next, @here:   Targets and rules of the step in progress; here and not on the stack, of which a
 *                 program has 512 bytes.
 * @best:          Deepest rules met so far, per layer.
 * @is_unresolved: Not 0: nothing is known. There were more targets than @live holds, or the tables
 *                 lack what they say they have.
 */
struct rf_match {
	struct rf_target live[RF_MAX_LIVE_STATES];
	struct rf_target next[RF_MAX_LIVE_STATES];
	struct rf_rules here;
	struct rf_rules best;
	__u32 is_unresolved;
};

/* struct rf_shape - Bytes before and after the `*` of a pattern. */
struct rf_shape {
	__u8 prefix_size;
	__u8 suffix_size;
};

#define RF_NAME_FILTER_BITS 2048
#define RF_NAME_FILTER_WORDS (RF_NAME_FILTER_BITS / 64)

/**
 * struct rf_policy - Head of one compiled policy
 * @generation:  Number of this generation, unique while the machine runs; 0: slot is empty.
 * @start:       Target of the root directory.
 * @unlisted:    enum rf_verdict for files that no rule matches.
 * @is_audit:    Not 0: nothing is refused, events say what would be.
 * @n_shapes:    Entries of @shapes in use.
 * @slot:        The policy slot itself: key of all tables of this generation, whatever the fence's slot is
 *               by now.
 * @shapes:      Shapes of the policy's patterns.
 * @name_filter: Bit rf_name_filter_bit() set for each exact name; a clear bit means the name is
 *               not in the name tables.
 */
struct rf_policy {
	__u64 generation;
	struct rf_target start;
	__u8 unlisted;
	__u8 is_audit;
	__u8 n_shapes;
	__u8 pad;
	__u32 slot;
	struct rf_shape shapes[RF_MAX_SHAPES];
	__u64 name_filter[RF_NAME_FILTER_WORDS];
};
RF_ASSERT_OFFSET(struct rf_policy, shapes, 24);
RF_ASSERT_SIZE(struct rf_policy, 312);

/*
 * Egress. Key of the address table, a longest-prefix trie: IPv4 addresses stand as
 * IPv4-mapped IPv6 addresses, so @prefix_size of an IPv4 rule is 96 more than written.
 */
struct rf_prefix {
	__u32 prefix_size; /* bits, 0 to 128 */
	__u8 address[16];  /* network order; bits beyond @prefix_size are zero */
};
RF_ASSERT_SIZE(struct rf_prefix, 20);

/* struct rf_port_range - Ports @first to @last, host byte order, both included. */
struct rf_port_range {
	__u16 first;
	__u16 last;
	__u8 verdict; /* enum rf_verdict */
	__u8 pad[3];
	__u32 source;
};
RF_ASSERT_SIZE(struct rf_port_range, 12);

/**
 * struct rf_address_rules - Value of the address table
 *
 * @ranges: In order of precedence: the first that contains the port decides. Rules of shorter
 *          prefixes follow those of this one, so one look-up is enough.
 */
struct rf_address_rules {
	__u32 n_ranges;
	struct rf_port_range ranges[RF_MAX_PORT_RANGES];
};
RF_ASSERT_SIZE(struct rf_address_rules, 4 + 12 * RF_MAX_PORT_RANGES);

/**
 * struct rf_fence - One fence, value of the fence table, indexed by fence slot
 * @cookie:      Unique while the machine runs; a label with another one is stale. 0: no fence.
 * @cgroup:      Id of the fence's cgroup.
 * @policy_slot: Index into every per-policy table. The one word that changes when a new
 *               generation comes into force.
 * @is_recording: Not 0: what is allowed is sent to the ring for activity.
 * @root:        Where a walk must end: the root directory the fence was started under.
 */
struct rf_fence {
	__u64 cookie;
	__u64 cgroup;
	__u32 policy_slot;
	__u32 is_recording;
	struct rf_object_id root;
};
RF_ASSERT_SIZE(struct rf_fence, 40);

/* struct rf_label - Which fence a task or a cgroup belongs to. */
struct rf_label {
	__u64 cookie;
	__u32 slot;
	__u32 pad;
};
RF_ASSERT_SIZE(struct rf_label, 16);

/**
 * struct rf_counters - Per CPU and fence; only ever grows while the fence lives
 * @refused: Requests refused, or in audit mode those that would have been.
 * @lost:    Events of refusals that did not fit into the ring.
 * @repeats: Refusals counted into an earlier event instead of being sent.
 */
struct rf_counters {
	__u64 refused;
	__u64 lost;
	__u64 repeats;
};
RF_ASSERT_SIZE(struct rf_counters, 24);

/*
 * Bit of a name in rf_policy.name_filter, from its length and first two bytes (0 for the second
 * of a one-byte name): what a program can read without copying the name.
 */
RF_ALWAYS_INLINE __u32 rf_name_filter_bit(__u32 len, __u8 first, __u8 second)
{
	__u32 mixed = (len << 16 | (__u32)second << 8 | first) * 0x9e3779b1U;

	return mixed >> 21; /* 11 bits: RF_NAME_FILTER_BITS */
}

#endif
