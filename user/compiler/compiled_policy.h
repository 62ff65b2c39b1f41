/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A compiled policy: arrays of ABI records, no kernel needed.
 *
 * The value that is printed, compared, golden-tested, run by `explain` and installed into maps.
 * What the records mean is in ringfence/rules.h.
 */
#ifndef COMPILER_COMPILED_POLICY_H
#define COMPILER_COMPILED_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ringfence/abi.h"

struct strbuf;

struct edge_entry {
	struct rf_edge key;
	struct rf_target value;
};

struct class_entry {
	struct rf_class key;
	rf_symbol value;
};

struct short_name_entry {
	struct rf_short_name key;
	rf_symbol value;
};

struct long_name_entry {
	struct rf_long_name key;
	rf_symbol value;
};

/**
 * struct anchor - A path whose object, if it exists, is known by identity
 * @path:   Without patterns; every exact prefix of a rule's pattern is one, the root included.
 * @target: Where that object enters the automaton.
 *
 * The installer opens each path without following a last symbolic link, asks the kernel for the
 * identity and fills the identity table. What does not exist is protected by name alone.
 */
struct anchor {
	char *path;
	struct rf_target target;
};

struct prefix_entry {
	struct rf_prefix key;
	struct rf_address_rules value;
};

/**
 * struct rule_source - One rule of the policy: `files` first, then `programs`, then `egress`
 * @key:   As written, for events.
 * @layer: enum rf_layer, for rules of paths.
 * @rule:  What it says on its own, before other rules that end with it; zero for `egress`.
 */
struct rule_source {
	char *key;
	char *file;
	uint32_t line;
	uint32_t layer;
	struct rf_rule rule;
};

/**
 * struct compiled_policy - See above; @head.generation is 0 until it is installed
 * @rules:       rules[n - 1] is what rf_target.rules == n stands for.
 * @rules_ends:  For each, where in @members the rules it was merged from end; they start where
 *               those of the one before end. For `explain`.
 * @members:     Indexes into @sources.
 * @sources:     Indexed by rf_rule.source and rf_port_range.source.
 *
 * Arrays with keys are sorted by them, without duplicates: bytes compare as unsigned, numbers as
 * numbers, structures member by member.
 */
struct compiled_policy {
	char *name;
	struct rf_policy head;
	struct edge_entry *edges;
	size_t n_edges;
	struct class_entry *classes;
	size_t n_classes;
	struct short_name_entry *short_names;
	size_t n_short_names;
	struct long_name_entry *long_names;
	size_t n_long_names;
	struct rf_rules *rules;
	size_t n_rules;
	size_t *rules_ends;
	uint32_t *members;
	struct anchor *anchors;
	size_t n_anchors;
	struct prefix_entry *prefixes;
	size_t n_prefixes;
	struct rule_source *sources;
	size_t n_sources;
};

struct compiled_policy *compiled_policy_free(struct compiled_policy *policy);
DEFINE_CLEANUP(struct compiled_policy, compiled_policy_free)

/* Appends a stable text form, one record a line, for golden tests and `check --print`. */
void compiled_policy_print(const struct compiled_policy *policy, struct strbuf *out);

#endif
