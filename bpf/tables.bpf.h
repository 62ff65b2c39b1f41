/* SPDX-License-Identifier: GPL-2.0-only */
/* The policy in force, and the look-ups into it that symbol.h and verdict.h are written against. */
#ifndef TABLES_BPF_H
#define TABLES_BPF_H

#include "maps.bpf.h"

/*
 * struct rf_tables - One policy generation. Whole or not used: open_tables() fails if any table is
 * missing.
 */
struct rf_tables {
	const struct rf_policy *policy;
	void *edges;
	void *classes;
	void *short_names;
	void *long_names;
	void *identities;
	void *rules;
};

/* Returns 0 if a table of @slot is missing. */
static __always_inline int open_tables(struct rf_tables *tables, __u32 slot)
{
	tables->policy = bpf_map_lookup_elem(&rf_policies, &slot);
	tables->edges = bpf_map_lookup_elem(&rf_edges, &slot);
	tables->classes = bpf_map_lookup_elem(&rf_classes, &slot);
	tables->short_names = bpf_map_lookup_elem(&rf_short_names, &slot);
	tables->long_names = bpf_map_lookup_elem(&rf_long_names, &slot);
	tables->identities = bpf_map_lookup_elem(&rf_identities, &slot);
	tables->rules = bpf_map_lookup_elem(&rf_rules, &slot);
	return tables->policy && tables->edges && tables->classes && tables->short_names &&
	       tables->long_names && tables->identities && tables->rules;
}

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
	rf_symbol *symbol = bpf_map_lookup_elem(tables->short_names, name);

	return symbol ? *symbol : RF_SYMBOL_NONE;
}

static __always_inline rf_symbol rf_lookup_long_name(const struct rf_tables *tables,
						     const struct rf_long_name *name)
{
	rf_symbol *symbol = bpf_map_lookup_elem(tables->long_names, name);

	return symbol ? *symbol : RF_SYMBOL_NONE;
}

static __always_inline rf_symbol rf_lookup_class(const struct rf_tables *tables, rf_symbol set,
						 rf_symbol pattern)
{
	struct rf_class class = { .set = set, .pattern = pattern };
	rf_symbol *symbol = bpf_map_lookup_elem(tables->classes, &class);

	return symbol ? *symbol : RF_SYMBOL_NONE;
}

/* Cannot fail on names that are already in the kernel's own memory; if it did, the key misses. */
static __always_inline void rf_copy(char *to, const char *from, __u32 size)
{
	(void)bpf_probe_read_kernel(to, size, from);
}

#include "ringfence/symbol.h"
#include "ringfence/verdict.h"

#endif
