/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * From the name of a path component to its symbol in the automaton.
 *
 * Shared by the kernel programs, `explain` and the tests, like verdict.h. Each side provides,
 * before including this header and over its own struct rf_tables:
 *
 *	rf_symbol rf_lookup_short_name(const struct rf_tables *, const struct rf_short_name *);
 *	rf_symbol rf_lookup_long_name(const struct rf_tables *, const struct rf_long_name *);
 *	rf_symbol rf_lookup_class(const struct rf_tables *, rf_symbol set, rf_symbol pattern);
 *	void rf_copy(char *to, const char *from, __u32 size);
 *	void rf_for_each_shape(__u32 n_shapes, struct rf_naming *naming);
 *
 * The last one calls rf_naming_add_shape() with 0, 1 and so on below @n_shapes.
 *
 * A look-up that finds nothing returns RF_SYMBOL_NONE.
 */
#ifndef RINGFENCE_SYMBOL_H
#define RINGFENCE_SYMBOL_H

#include "limits.h"
#include "rules.h"
#include "types.h"

struct rf_tables;

static rf_symbol rf_lookup_short_name(const struct rf_tables *tables,
				      const struct rf_short_name *name);
static rf_symbol rf_lookup_long_name(const struct rf_tables *tables,
				     const struct rf_long_name *name);
static rf_symbol rf_lookup_class(const struct rf_tables *tables, rf_symbol set,
				 rf_symbol pattern);
static void rf_copy(char *to, const char *from, __u32 size);

/* struct rf_naming - A name being matched against the shapes of the policy's patterns. */
struct rf_naming {
	const struct rf_tables *tables;
	const struct rf_policy *policy;
	struct rf_name *name;
};

static void rf_for_each_shape(__u32 n_shapes, struct rf_naming *naming);

/* Writes the key of the pattern with @shape that the name would match. */
RF_ALWAYS_INLINE void rf_pattern_key(struct rf_name *name, const struct rf_shape *shape)
{
	__u32 prefix_size = shape->prefix_size & RF_MAX_SHORT_NAME;
	__u32 suffix_size = shape->suffix_size & RF_MAX_SHORT_NAME;
	__u32 suffix_at = (name->len - suffix_size) & RF_MAX_NAME;

	__builtin_memset(&name->key, 0, sizeof(name->key));
	rf_copy(name->key.bytes, name->name.bytes, prefix_size);
	name->key.bytes[prefix_size] = '/';
	/* The compiler keeps prefix + '/' + suffix within RF_MAX_PATTERN bytes. */
	if (prefix_size + 1 + suffix_size <= RF_MAX_PATTERN)
		rf_copy(name->key.bytes + prefix_size + 1, name->name.bytes + suffix_at,
			suffix_size);
}

/* Tries the patterns of one shape. Returns 0, which makes bpf_loop() go on. */
static long rf_naming_add_shape(__u32 index, struct rf_naming *naming)
{
	struct rf_name *name = naming->name;
	const struct rf_shape *shape;
	rf_symbol pattern;

	if (index >= RF_MAX_SHAPES)
		return 0;
	shape = &naming->policy->shapes[index];
	if (name->len < (__u32)shape->prefix_size + shape->suffix_size)
		return 0;
	rf_pattern_key(name, shape);
	pattern = rf_lookup_short_name(naming->tables, &name->key);
	if (pattern == RF_SYMBOL_NONE)
		return 0;
	name->set = name->set == RF_SYMBOL_NONE
			    ? pattern
			    : rf_lookup_class(naming->tables, name->set, pattern);
	return 0;
}

/* The symbol of the set of patterns that the name matches. */
RF_ALWAYS_INLINE rf_symbol rf_symbol_of_patterns(const struct rf_tables *tables,
						 const struct rf_policy *policy,
						 struct rf_name *name)
{
	struct rf_naming naming = { .tables = tables, .policy = policy, .name = name };

	name->set = RF_SYMBOL_NONE;
	rf_for_each_shape(policy->n_shapes, &naming);
	return name->set;
}

/* The symbol of the exact name, for names that rf_name_filter_bit() does not rule out. */
RF_ALWAYS_INLINE rf_symbol rf_symbol_of_exact(const struct rf_tables *tables,
					      struct rf_name *name)
{
	if (name->len > RF_MAX_SHORT_NAME)
		return rf_lookup_long_name(tables, &name->name);
	__builtin_memcpy(&name->key, &name->name, sizeof(name->key));
	return rf_lookup_short_name(tables, &name->key);
}

RF_ALWAYS_INLINE int rf_name_may_be_exact(const struct rf_policy *policy, __u32 len, __u8 first,
					  __u8 second)
{
	__u32 bit = rf_name_filter_bit(len, first, second);

	return (policy->name_filter[(bit / 64) % RF_NAME_FILTER_WORDS] >> (bit % 64)) & 1;
}

/* The symbol of a component. */
RF_ALWAYS_INLINE rf_symbol rf_symbol_of_name(const struct rf_tables *tables,
					     const struct rf_policy *policy, struct rf_name *name)
{
	rf_symbol symbol = RF_SYMBOL_NONE;

	if (rf_name_may_be_exact(policy, name->len, name->name.bytes[0], name->name.bytes[1]))
		symbol = rf_symbol_of_exact(tables, name);
	if (symbol == RF_SYMBOL_NONE)
		symbol = rf_symbol_of_patterns(tables, policy, name);
	return symbol;
}

#endif
