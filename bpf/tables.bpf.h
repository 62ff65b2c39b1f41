/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy in force, and the look-ups into it that symbol.h and verdict.h are written against.
 *
 * Their work is done in global functions: the verifier checks those once by themselves, and not again
 * wherever a loop calls them, which would be more than it is willing to do.
 */
#ifndef TABLES_BPF_H
#define TABLES_BPF_H

#include "maps.bpf.h"

/**
 * struct rf_tables - Tables of one policy slot: those for the match, or those for names
 *
 * One or the other, since every byte of stack counts.
 *
 * @long_symbol: What the long table has for the name; looked up by the caller, since before 6.2 a
 *               key may not lie in memory that was passed to a global function.
 */
struct rf_tables {
	union {
		void *edges;
		void *short_names;
	};
	union {
		void *rules;
		void *classes;
	};
	rf_symbol long_symbol;
};

static __always_inline const struct rf_target *
rf_lookup_edge(const struct rf_tables *tables, rf_state from, rf_symbol symbol)
{
	struct rf_edge edge = { .from = from, .symbol = symbol };

	return bpf_map_lookup_elem(tables->edges, &edge);
}

static __always_inline const struct rf_rules *rf_lookup_rules(const struct rf_tables *tables,
							      __u32 rules)
{
	__u32 at = rules - 1;

	return bpf_map_lookup_elem(tables->rules, &at);
}

static __always_inline rf_symbol rf_lookup_short_name(const struct rf_tables *tables,
						      const struct rf_short_name *name)
{
	struct rf_short_name key = *name; /* On the stack for the same reason. */
	rf_symbol *symbol = bpf_map_lookup_elem(tables->short_names, &key);

	return symbol ? *symbol : RF_SYMBOL_NONE;
}

static __always_inline rf_symbol rf_lookup_long_name(const struct rf_tables *tables,
						     const struct rf_long_name *name)
{
	return tables->long_symbol;
}

static __always_inline rf_symbol rf_lookup_class(const struct rf_tables *tables, rf_symbol set,
						 rf_symbol pattern)
{
	struct rf_class class = { .set = set, .pattern = pattern };
	rf_symbol *symbol = bpf_map_lookup_elem(tables->classes, &class);

	return symbol ? *symbol : RF_SYMBOL_NONE;
}

/* Cannot fail on names that are already in the program's own memory; if it did, the key misses. */
static __always_inline void rf_copy(char *to, const char *from, __u32 size)
{
	(void)bpf_probe_read_kernel(to, size, from);
}

#include "ringfence/symbol.h"
#include "ringfence/verdict.h"

static __always_inline void rf_for_each_shape(__u32 n_shapes, struct rf_naming *naming)
{
	bpf_loop(n_shapes, rf_naming_add_shape, naming, 0);
}

/* No symbol: a table is missing. */
#define RF_SYMBOL_UNKNOWN RF_SYMBOL_ANY

/* The symbol of @name in @policy, or RF_SYMBOL_UNKNOWN. */
__noinline __u32 rf_symbol_in(struct rf_name *name, const struct rf_policy *policy,
			      __u32 long_symbol)
{
	struct rf_tables tables = {};

	if (!name || !policy)
		return RF_SYMBOL_UNKNOWN;
	/* The key lies where the symbol will: a variable of its own would not fit on the stack. */
	tables.long_symbol = policy->slot;
	tables.short_names = bpf_map_lookup_elem(&rf_short_names, &tables.long_symbol);
	tables.classes = bpf_map_lookup_elem(&rf_classes, &tables.long_symbol);
	tables.long_symbol = long_symbol;
	if (!tables.short_names || !tables.classes)
		return RF_SYMBOL_UNKNOWN;
	return rf_symbol_of_name(&tables, policy, name);
}

/* One step of @match in the policy of @slot; an object unknown by identity has two zeros. */
__noinline int rf_step_in(struct rf_match *match, __u32 slot, __u32 symbol, __u32 identity_next,
			  __u32 identity_rules)
{
	struct rf_target identity = { .next = identity_next, .rules = identity_rules };
	struct rf_tables tables = {};

	if (!match)
		return 0;
	tables.edges = bpf_map_lookup_elem(&rf_edges, &slot);
	tables.rules = bpf_map_lookup_elem(&rf_rules, &slot);
	if (tables.edges && tables.rules)
		rf_match_step(match, &tables, symbol, identity);
	else
		match->is_unresolved = 1;
	return 0;
}

#endif
