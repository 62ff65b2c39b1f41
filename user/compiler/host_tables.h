/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The look-ups of verdict.h and symbol.h over a compiled policy, so that what runs in the kernel
 * runs here. Included by the few files that run it.
 */
#ifndef COMPILER_HOST_TABLES_H
#define COMPILER_HOST_TABLES_H

#include <stdlib.h>
#include <string.h>

#include "compiler/compiled_policy.h"
#include "ringfence/symbol.h"
#include "ringfence/verdict.h"

struct rf_tables {
	const struct compiled_policy *policy;
};

/* Every table is an array of entries that start with their key, sorted by it. */
static int compare_number_pairs(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	if (a[0] != b[0])
		return a[0] < b[0] ? -1 : 1;
	return (a[1] > b[1]) - (a[1] < b[1]);
}

static int compare_short_keys(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct rf_short_name));
}

static int compare_long_keys(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct rf_long_name));
}

static const struct rf_target *rf_lookup_edge(const struct rf_tables *tables, rf_state from,
					      rf_symbol symbol)
{
	const struct compiled_policy *policy = tables->policy;
	struct rf_edge key = { from, symbol };
	const struct edge_entry *entry = NULL;

	if (policy->n_edges)
		entry = bsearch(&key, policy->edges, policy->n_edges, sizeof(*policy->edges),
				compare_number_pairs);
	return entry ? &entry->value : NULL;
}

static const struct rf_rules *rf_lookup_rules(const struct rf_tables *tables, __u32 rules)
{
	const struct compiled_policy *policy = tables->policy;

	return rules && rules <= policy->n_rules ? &policy->rules[rules - 1] : NULL;
}

static rf_symbol rf_lookup_short_name(const struct rf_tables *tables,
				      const struct rf_short_name *name)
{
	const struct compiled_policy *policy = tables->policy;
	const struct short_name_entry *entry = NULL;

	if (policy->n_short_names)
		entry = bsearch(name, policy->short_names, policy->n_short_names,
				sizeof(*policy->short_names), compare_short_keys);
	return entry ? entry->value : RF_SYMBOL_NONE;
}

static rf_symbol rf_lookup_long_name(const struct rf_tables *tables,
				     const struct rf_long_name *name)
{
	const struct compiled_policy *policy = tables->policy;
	const struct long_name_entry *entry = NULL;

	if (policy->n_long_names)
		entry = bsearch(name, policy->long_names, policy->n_long_names,
				sizeof(*policy->long_names), compare_long_keys);
	return entry ? entry->value : RF_SYMBOL_NONE;
}

static rf_symbol rf_lookup_class(const struct rf_tables *tables, rf_symbol set, rf_symbol pattern)
{
	const struct compiled_policy *policy = tables->policy;
	struct rf_class key = { set, pattern };
	const struct class_entry *entry = NULL;

	if (policy->n_classes)
		entry = bsearch(&key, policy->classes, policy->n_classes,
				sizeof(*policy->classes), compare_number_pairs);
	return entry ? entry->value : RF_SYMBOL_NONE;
}

static void rf_copy(char *to, const char *from, __u32 size)
{
	memcpy(to, from, size);
}

static void rf_for_each_shape(__u32 n_shapes, struct rf_naming *naming)
{
	for (__u32 i = 0; i < n_shapes; i++)
		(void)rf_naming_add_shape(i, naming);
}

#endif
