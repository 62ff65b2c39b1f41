/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * All path rules of a policy as one tree of components: the automaton before it is deterministic.
 *
 * A position is a component in its place; its number is larger than its parent's, the root is 0.
 * Positions of `**` stay where they are on any component, besides leading on to their children.
 */
#ifndef COMPILER_RULE_TREE_H
#define COMPILER_RULE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/intern.h"
#include "compiler/pattern.h"

#define RULE_TREE_NONE UINT32_MAX

/**
 * struct tree_position - A component in its place
 * @component:      Index into rule_tree.components; RULE_TREE_NONE for the root.
 * @any_child:      Position of the `*` below it, or RULE_TREE_NONE.
 * @tree_child:     Position of the `**` below it, or RULE_TREE_NONE.
 * @children:       Where its other children start in rule_tree.children; they end where those of
 *                  the next position start.
 * @rules:          Likewise in rule_tree.rules.
 * @is_tree:        It is a `**` itself.
 * @is_exact:       So are all components from the root down to it.
 */
struct tree_position {
	uint32_t parent;
	uint32_t component;
	uint32_t any_child;
	uint32_t tree_child;
	uint32_t children;
	uint32_t rules;
	bool is_tree;
	bool is_exact;
};

/* struct tree_rule - A rule and the position at which it ends. */
struct tree_rule {
	uint32_t position;
	uint32_t rule;
};

/**
 * struct rule_tree - Zero-initialise to start
 * @component_bytes: Distinct components, as written.
 * @component_rules: For each, the first rule that has it.
 * @links:           Distinct pairs of parent and component, in order: those of position 1, 2, ...
 * @rules:           In the order of positions, then as added.
 *
 * The rest is there after rule_tree_finish().
 */
struct rule_tree {
	struct intern component_bytes;
	uint32_t *component_rules;
	struct intern links;
	struct tree_rule *rules;
	size_t n_rules;

	struct component *components;
	size_t n_components;
	struct tree_position *positions; /* and one more, where lists of the last one end */
	size_t n_positions;
	uint32_t *children;
};

void rule_tree_done(struct rule_tree *tree);
/* 0 or -ENOMEM. @pattern is one that pattern_fault() accepts. */
int rule_tree_add(struct rule_tree *tree, const char *pattern, uint32_t rule);
int rule_tree_finish(struct rule_tree *tree);

#endif
