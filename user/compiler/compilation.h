/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What the stages of policy_compile() share; nobody else includes this.
 *
 * Each stage reads what the ones before it left and fills its part of @compiled. It returns 0,
 * -EINVAL with a message in @diag, or -ENOMEM.
 */
#ifndef COMPILER_COMPILATION_H
#define COMPILER_COMPILATION_H

#include "compiler/compiled_policy.h"
#include "compiler/diag.h"
#include "compiler/policy.h"
#include "compiler/rule_tree.h"

/**
 * struct symbol_table - How components of the policy become symbols
 * @of_component: Symbol of each component of the tree; RF_SYMBOL_NONE for `*` and `**`.
 * @moves:        Symbols of all names that a component matches, component by component: its own,
 *                and for a pattern those of exact names and of sets of patterns.
 * @moves_ends:   For each component, where its symbols end; they start where those of the one
 *                before end.
 */
struct symbol_table {
	rf_symbol *of_component;
	rf_symbol *moves;
	size_t *moves_ends;
};

struct compilation {
	const struct policy *policy;
	struct diag *diag;
	struct rule_tree tree;
	struct symbol_table symbols;
	struct compiled_policy *compiled;
};

/* The rule of `files` or `programs` with this index into compiled_policy.sources. */
const struct path_rule *compilation_rule(const struct compilation *compilation, uint32_t source);

/* Name tables, classes, and of the head the shapes and the name filter. */
int compile_symbols(struct compilation *compilation);
/* Edges, rules, and of the head the start. */
int compile_automaton(struct compilation *compilation);
int compile_anchors(struct compilation *compilation);
int compile_egress(struct compilation *compilation);

#endif
