/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What rules say that end at the same depth: an exact rule beats a pattern; between equals the
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

/* Verdict of @rule for a single @access. */
RF_ALWAYS_INLINE __u8 rf_rule_verdict(const struct rf_rule *rule, rf_access_mask access)
{
	if (rule->allow & access)
		return RF_VERDICT_ALLOW;
	if (rule->ask & access)
		return RF_VERDICT_ASK;
	if (rule->hide & access)
		return RF_VERDICT_HIDE;
	return RF_VERDICT_DENY;
}

/* Copies what @from says of a single @access. */
RF_ALWAYS_INLINE void rf_rule_copy_access(struct rf_rule *into, const struct rf_rule *from,
					  __u32 bit)
{
	rf_access_mask access = 1U << bit;

	into->allow = (into->allow & ~access) | (from->allow & access);
	into->ask = (into->ask & ~access) | (from->ask & access);
	into->hide = (into->hide & ~access) | (from->hide & access);
	into->source[bit] = from->source[bit];
}

/* Adds @rule to @into, both of one layer and of one depth. */
RF_ALWAYS_INLINE void rf_rule_merge(struct rf_rule *into, const struct rf_rule *rule)
{
	__u8 into_exact = into->flags & RF_RULE_EXACT;
	__u8 rule_exact = rule->flags & RF_RULE_EXACT;

	if (!rf_rule_is_present(rule))
		return;
	if (!rf_rule_is_present(into) || rule_exact > into_exact) {
		*into = *rule;
		return;
	}
	if (rule_exact < into_exact)
		return;
	RF_UNROLL
	for (__u32 bit = 0; bit < RF_N_ACCESSES; bit++) {
		rf_access_mask access = 1U << bit;

		if (rf_rule_verdict(rule, access) > rf_rule_verdict(into, access))
			rf_rule_copy_access(into, rule, bit);
	}
}

#endif
