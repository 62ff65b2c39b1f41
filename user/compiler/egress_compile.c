/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Address rules of `egress` to the prefix table: one look-up of the longest prefix must say all.
 *
 * IPv4 stands as IPv4-mapped IPv6. A rule for an IPv6 prefix that happens to contain the mapped
 * range is not about IPv4, so that range then gets an entry of its own, where inheriting stops.
 */
#include "compiler/compilation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compiler/prefix.h"

/**
 * struct address_rule - A rule for one prefix
 * @is_any:  It is of "*", which any rule with an address beats.
 * @is_stop: It makes the entry for the mapped range and does not apply there.
 */
struct address_rule {
	struct rf_prefix prefix;
	bool is_any;
	bool is_stop;
	struct rf_port_range range;
	const struct egress_rule *rule;
};

struct address_rules {
	struct address_rule *items;
	size_t n_items;
};

static void address_rules_done(struct address_rules *rules)
{
	free(rules->items);
}

static int add_rule(struct address_rules *rules, struct rf_prefix prefix,
		    const struct address_rule *rule)
{
	if (!ARRAY_GROW(rules->items, rules->n_items))
		return -ENOMEM;
	rules->items[rules->n_items] = *rule;
	rules->items[rules->n_items++].prefix = prefix;
	return 0;
}

/* Adds @rule for two prefixes, one of IPv6 and one of IPv4. */
static int add_rule_twice(struct address_rules *rules, struct rf_prefix first,
			  struct rf_prefix second, const struct address_rule *rule)
{
	int r = add_rule(rules, first, rule);

	return r < 0 ? r : add_rule(rules, second, rule);
}

static int collect_rule(struct address_rules *rules, const struct egress_rule *egress,
			uint32_t source)
{
	static const uint8_t zero[16], loopback[16] = { [15] = 1 };
	static const uint8_t loopback4[16] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	const struct rf_prefix mapped = prefix_make_mapped();
	struct address_rule rule = {
		.is_any = egress->kind == EGRESS_ANY,
		.range.first = egress->first_port,
		.range.last = egress->last_port,
		.range.verdict = (uint8_t)egress->verdict,
		.range.source = source,
		.rule = egress,
	};
	struct rf_prefix prefix;

	switch (egress->kind) {
	case EGRESS_HOST: /* Its addresses are known only while the fence runs. */
		return 0;
	case EGRESS_ANY:
		return add_rule_twice(rules, prefix_make(zero, 0), mapped, &rule);
	case EGRESS_LOCALHOST:
		return add_rule_twice(rules, prefix_make(loopback, 128),
				      prefix_make(loopback4, PREFIX_MAPPED_SIZE + 8), &rule);
	case EGRESS_ADDRESS:
		break;
	}
	prefix = prefix_make(egress->address, egress->prefix_size);
	if (egress->prefix_size >= PREFIX_MAPPED_SIZE || !prefix_contains(&prefix, &mapped))
		return add_rule(rules, prefix, &rule);
	if (add_rule(rules, prefix, &rule) < 0)
		return -ENOMEM;
	rule.is_stop = true;
	return add_rule(rules, mapped, &rule);
}

/* By place, so that what contains a prefix comes before it; then by precedence. */
static int compare_rules(const void *left, const void *right)
{
	const struct address_rule *a = left, *b = right;
	int a_width = a->range.last - a->range.first, b_width = b->range.last - b->range.first;
	int order = memcmp(a->prefix.address, b->prefix.address, sizeof(a->prefix.address));

	if (order)
		return order;
	if (a->prefix.prefix_size != b->prefix.prefix_size)
		return a->prefix.prefix_size < b->prefix.prefix_size ? -1 : 1;
	if (a->is_any != b->is_any)
		return a->is_any - b->is_any;
	if (a_width != b_width)
		return a_width - b_width;
	if (a->range.verdict != b->range.verdict)
		return b->range.verdict - a->range.verdict;
	return (a->range.source > b->range.source) - (a->range.source < b->range.source);
}

/* Whether ranges before it leave nothing for @range to decide. */
static bool is_covered(const struct rf_address_rules *rules, const struct rf_port_range *range)
{
	uint32_t port = range->first, i = 0;

	while (port <= range->last && i < rules->n_ranges) {
		const struct rf_port_range *earlier = &rules->ranges[i++];

		if (earlier->first <= port && port <= earlier->last) {
			port = earlier->last + 1U;
			i = 0;
		}
	}
	return port > range->last;
}

/* Appends unless it cannot decide anything; false if there is no room. */
static bool append_range(struct rf_address_rules *rules, const struct rf_port_range *range)
{
	if (is_covered(rules, range))
		return true;
	if (rules->n_ranges == RF_MAX_PORT_RANGES)
		return false;
	rules->ranges[rules->n_ranges++] = *range;
	return true;
}

static int too_many_ranges(const struct compilation *compilation, const struct address_rule *rule)
{
	diag_error(compilation->diag, &rule->rule->position,
		   "more than %d different ranges of ports apply to the addresses of \"%s\", "
		   "those of wider prefixes included; join ranges or drop some",
		   RF_MAX_PORT_RANGES, rule->rule->key);
	return -EINVAL;
}

/**
 * struct ancestors - Entries around the one at hand, the outermost first
 * @items: Indexes into compiled_policy.prefixes. A prefix has at most one around it per bit.
 */
struct ancestors {
	size_t items[129];
	size_t n_items;
};

/* The ranges that apply around @prefix, or NULL. Leaves only ancestors of @prefix. */
static const struct rf_address_rules *find_inherited(const struct compiled_policy *compiled,
						     struct ancestors *ancestors,
						     const struct rf_prefix *prefix)
{
	for (; ancestors->n_items; ancestors->n_items--) {
		size_t nearest = ancestors->items[ancestors->n_items - 1];

		if (prefix_contains(&compiled->prefixes[nearest].key, prefix))
			return &compiled->prefixes[nearest].value;
	}
	return NULL;
}

/* The entry for the prefix of @rules, all of one prefix: their ranges, then those around them. */
static int add_entry(struct compilation *compilation, const struct address_rule *rules,
		     size_t n_rules, struct ancestors *ancestors)
{
	const struct rf_prefix mapped = prefix_make_mapped();
	struct compiled_policy *compiled = compilation->compiled;
	struct prefix_entry entry = { .key = rules->prefix };
	const struct rf_address_rules *inherited =
		find_inherited(compiled, ancestors, &entry.key);

	if (memcmp(&entry.key, &mapped, sizeof(mapped)) == 0)
		inherited = NULL;
	for (size_t i = 0; i < n_rules; i++)
		if (!rules[i].is_stop && !append_range(&entry.value, &rules[i].range))
			return too_many_ranges(compilation, &rules[i]);
	for (size_t i = 0; inherited && i < inherited->n_ranges; i++)
		if (!append_range(&entry.value, &inherited->ranges[i]))
			return too_many_ranges(compilation, rules);
	if (compiled->n_prefixes == RF_MAX_PREFIXES) {
		diag_error(compilation->diag, &rules->rule->position,
			   "\"%s\" is the first of more than %d different prefixes of addresses; "
			   "use fewer, wider ones",
			   rules->rule->key, RF_MAX_PREFIXES);
		return -EINVAL;
	}
	if (!ARRAY_GROW(compiled->prefixes, compiled->n_prefixes))
		return -ENOMEM;
	ancestors->items[ancestors->n_items++] = compiled->n_prefixes;
	compiled->prefixes[compiled->n_prefixes++] = entry;
	return 0;
}

static int add_entries(struct compilation *compilation, const struct address_rules *rules)
{
	struct ancestors ancestors = { 0 };
	int r = 0;

	for (size_t i = 0, n; r == 0 && i < rules->n_items; i += n) {
		for (n = 1; i + n < rules->n_items; n++)
			if (memcmp(&rules->items[i + n].prefix, &rules->items[i].prefix,
				   sizeof(struct rf_prefix)) != 0)
				break;
		r = add_entry(compilation, &rules->items[i], n, &ancestors);
	}
	return r;
}

static int compare_entries(const void *left, const void *right)
{
	const struct prefix_entry *a = left, *b = right;

	if (a->key.prefix_size != b->key.prefix_size)
		return a->key.prefix_size < b->key.prefix_size ? -1 : 1;
	return memcmp(a->key.address, b->key.address, sizeof(a->key.address));
}

int compile_egress(struct compilation *compilation)
{
	const struct policy *policy = compilation->policy;
	struct compiled_policy *compiled = compilation->compiled;
	size_t first_source = policy->n_files_rules + policy->n_program_rules;
	_cleanup_(address_rules_done) struct address_rules rules = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < policy->n_egress_rules; i++)
		r = collect_rule(&rules, &policy->egress_rules[i], (uint32_t)(first_source + i));
	if (r < 0 || !rules.n_items)
		return r;
	qsort(rules.items, rules.n_items, sizeof(*rules.items), compare_rules);
	r = add_entries(compilation, &rules);
	if (r == 0)
		qsort(compiled->prefixes, compiled->n_prefixes, sizeof(*compiled->prefixes),
		      compare_entries);
	return r;
}
