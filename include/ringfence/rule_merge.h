/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What rules say that end at the same depth: the more exact rule wins; between equals the
 * stricter verdict holds, for each access by itself.
 *
 * Shared by the compiler, which merges rules that end together, and the match, which merges those of
 * several states.
 */
#ifndef RINGFENCE_RULE_MERGE_H
#define RINGFENCE_RULE_MERGE_H

#include "accesses.h"
#include "rules.h"
#include "types.h"

RF_ALWAYS_INLINE int rf_rule_is_present(const struct rf_rule *rule)
{
	return rule->flags & RF_RULE_PRESENT;
}

/**
 * struct rf_reach - The accesses of a rule whose verdict goes no further than this one
 *
 * Each set contains the one before. Rules are compared and merged set by set and without branches: the
 * verifier would follow every combination of them.
 */
struct rf_reach {
	rf_access_mask allow;
	rf_access_mask ask;
	rf_access_mask hide;
};

RF_ALWAYS_INLINE struct rf_reach rf_reach_of_rule(const struct rf_rule *rule)
{
	return (struct rf_reach){
		.allow = rule->allow,
		.ask = rule->allow | rule->ask,
		.hide = rule->allow | rule->ask | rule->hide,
	};
}

/* What holds where both @one and @other do: the stricter verdict of each access. */
RF_ALWAYS_INLINE struct rf_reach rf_reach_merge(struct rf_reach one, struct rf_reach other)
{
	return (struct rf_reach){
		.allow = one.allow & other.allow,
		.ask = one.ask & other.ask,
		.hide = one.hide & other.hide,
	};
}

/* The accesses for which @stricter, a merge of @one, goes further than @one. */
RF_ALWAYS_INLINE rf_access_mask rf_reach_exceeds(struct rf_reach stricter, struct rf_reach one)
{
	return (one.allow & ~stricter.allow) | (one.ask & ~stricter.ask) |
	       (one.hide & ~stricter.hide);
}

/* Adds @rule to @into, both of one layer and of one depth. */
RF_ALWAYS_INLINE void rf_rule_merge(struct rf_rule *into, const struct rf_rule *rule)
{
	__u8 into_exact = into->flags & RF_RULE_EXACTNESS;
	__u8 rule_exact = rule->flags & RF_RULE_EXACTNESS;
	struct rf_reach before, merged;
	rf_access_mask changed;

	if (!rf_rule_is_present(rule))
		return;
	if (!rf_rule_is_present(into) || rule_exact > into_exact) {
		*into = *rule;
		return;
	}
	if (rule_exact < into_exact)
		return;
	before = rf_reach_of_rule(into);
	merged = rf_reach_merge(before, rf_reach_of_rule(rule));
	changed = rf_reach_exceeds(merged, before);
	into->allow = merged.allow;
	into->ask = merged.ask & ~merged.allow;
	into->hide = merged.hide & ~merged.ask;
	RF_UNROLL
	for (__u32 bit = 0; bit < RF_N_ACCESSES; bit++) {
		__u32 keep = (changed >> bit & 1) - 1U; /* all ones if unchanged */

		into->source[bit] = (into->source[bit] & keep) | (rule->source[bit] & ~keep);
	}
}

#endif
