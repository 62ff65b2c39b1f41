/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The one decision: from what was found about an object to a verdict.
 *
 * Pure C without loops over unknown bounds, compiled into the kernel programs, `explain` and the
 * tests. It reads the policy through two look-ups that each side provides before including
 * this header, over a struct rf_tables of its own:
 *
 *	const struct rf_target *rf_lookup_edge(const struct rf_tables *, rf_state from,
 *					       rf_symbol symbol);
 *	const struct rf_rules *rf_lookup_rules(const struct rf_tables *, __u32 rules);
 *
 * @rules is rf_target.rules, from 1. A look-up that finds nothing returns NULL.
 *
 * Precedence, the only rule there is: the rule that matches deepest in the path wins; at equal
 * depth an exact rule beats one whose last component alone is exact, and that one beats a pattern;
 * still equal: deny, then hide, then ask, then allow. Layers
 * decide separately and the strictest holds.
 */
#ifndef RINGFENCE_VERDICT_H
#define RINGFENCE_VERDICT_H

#include "accesses.h"
#include "events.h"
#include "limits.h"
#include "reasons.h"
#include "rule_merge.h"
#include "rules.h"
#include "types.h"

struct rf_tables;

static const struct rf_target *rf_lookup_edge(const struct rf_tables *tables, rf_state from,
					      rf_symbol symbol);
static const struct rf_rules *rf_lookup_rules(const struct rf_tables *tables, __u32 rules);

/**
 * struct rf_decision - Verdict and where it comes from
 * @verdict: enum rf_verdict.
 * @reason:  enum rf_reason; RF_REASON_NONE if allowed.
 * @access:  The one access that decided, of those asked for; 0 where none applies.
 * @source:  The rule, or RF_NO_SOURCE.
 */
struct rf_decision {
	__u8 verdict;
	__u8 reason;
	rf_access_mask access;
	__u8 pad;
	__u32 source;
};
RF_ASSERT_SIZE(struct rf_decision, 8);

RF_ALWAYS_INLINE void rf_match_init(struct rf_match *match)
{
	__builtin_memset(match, 0, sizeof(*match));
}

RF_ALWAYS_INLINE int rf_target_is_none(const struct rf_target *target)
{
	return !target->next && !target->rules;
}

/* Adds @target to @live unless it is there; returns 0 if there is no room. */
RF_ALWAYS_INLINE int rf_live_add(struct rf_target live[RF_MAX_LIVE_STATES],
				 const struct rf_target *target)
{
	if (rf_target_is_none(target))
		return 1;
	RF_UNROLL
	for (__u32 i = 0; i < RF_MAX_LIVE_STATES; i++) {
		if (live[i].next == target->next && live[i].rules == target->rules)
			return 1;
		if (rf_target_is_none(&live[i])) {
			live[i] = *target;
			return 1;
		}
	}
	return 0;
}

/*
 * Where @from leads on a component with @symbol; writes nothing if the run ends. Returns 0 if an
 * edge is missing that @from says it has.
 */
RF_ALWAYS_INLINE int rf_follow(const struct rf_tables *tables, rf_state from, rf_symbol symbol,
			       struct rf_target *ret_target)
{
	const struct rf_target *edge, *any;

	if (symbol != RF_SYMBOL_NONE && (from & RF_STATE_HAS_EDGES)) {
		edge = rf_lookup_edge(tables, from, symbol);
		if (edge) {
			*ret_target = *edge;
			return 1;
		}
	}
	if (!(from & RF_STATE_HAS_ANY))
		return 1;
	any = rf_lookup_edge(tables, from, RF_SYMBOL_ANY);
	if (!any)
		return 0;
	*ret_target = *any;
	if (symbol == RF_SYMBOL_NONE || !(from & RF_STATE_INHERITS) ||
	    !(any->next & RF_STATE_HAS_EDGES))
		return 1;
	edge = rf_lookup_edge(tables, any->next, symbol);
	if (edge)
		*ret_target = *edge;
	return 1;
}

/* Notes the rules of the live targets, all of one depth. */
RF_ALWAYS_INLINE void rf_match_collect(struct rf_match *match, const struct rf_tables *tables)
{
	__builtin_memset(&match->here, 0, sizeof(match->here));
	RF_UNROLL
	for (__u32 i = 0; i < RF_MAX_LIVE_STATES; i++) {
		const struct rf_rules *rules;

		if (!match->live[i].rules)
			continue;
		rules = rf_lookup_rules(tables, match->live[i].rules);
		if (!rules) {
			match->is_unresolved = 1;
			return;
		}
		RF_UNROLL
		for (__u32 layer = 0; layer < RF_N_LAYERS; layer++)
			rf_rule_merge(&match->here.layer[layer], &rules->layer[layer]);
	}
	RF_UNROLL
	for (__u32 layer = 0; layer < RF_N_LAYERS; layer++)
		if (rf_rule_is_present(&match->here.layer[layer]))
			match->best.layer[layer] = match->here.layer[layer];
}

/**
 * rf_match_step - Goes down one component
 * @symbol:   Of the component's name.
 * @identity: Target of the object itself, if the policy knows it, else zero.
 *
 * The root is entered as a step with RF_SYMBOL_NONE and rf_policy.start as its identity.
 */
RF_ALWAYS_INLINE void rf_match_step(struct rf_match *match, const struct rf_tables *tables,
				    rf_symbol symbol, struct rf_target identity)
{
	__builtin_memset(match->next, 0, sizeof(match->next));
	RF_UNROLL
	for (__u32 i = 0; i < RF_MAX_LIVE_STATES; i++) {
		struct rf_target target = {};

		if (rf_target_is_none(&match->live[i]))
			continue;
		if (!rf_follow(tables, match->live[i].next, symbol, &target) ||
		    !rf_live_add(match->next, &target))
			match->is_unresolved = 1;
	}
	if (!rf_live_add(match->next, &identity))
		match->is_unresolved = 1;
	__builtin_memcpy(match->live, match->next, sizeof(match->live));
	rf_match_collect(match, tables);
}

/* What the policy says of files that no rule matches. */
RF_ALWAYS_INLINE struct rf_reach rf_reach_of_unlisted(__u8 unlisted)
{
	return (struct rf_reach){
		.allow = unlisted == RF_VERDICT_ALLOW ? RF_ACCESS_ALL : 0,
		.ask = unlisted <= RF_VERDICT_ASK ? RF_ACCESS_ALL : 0,
		.hide = unlisted <= RF_VERDICT_HIDE ? RF_ACCESS_ALL : 0,
	};
}

/* What @layer says; @absent holds where it has no rule. */
RF_ALWAYS_INLINE struct rf_reach rf_reach_of_layer(const struct rf_match *match, __u32 layer,
						   struct rf_reach absent)
{
	const struct rf_rule *rule = &match->best.layer[layer];

	return rf_rule_is_present(rule) ? rf_reach_of_rule(rule) : absent;
}

/* Names the rule behind @decision, whose access is its lowest one. */
RF_ALWAYS_INLINE void rf_decision_attribute(struct rf_decision *decision,
					    const struct rf_match *match, __u32 layer)
{
	const struct rf_rule *rule = &match->best.layer[layer];
	__u32 bit = decision->access >> 1; /* 1, 2, 4 to 0, 1, 2 */

	decision->reason = layer == RF_LAYER_PROGRAMS ? RF_REASON_PROGRAM : RF_REASON_RULE;
	if (!rf_rule_is_present(rule))
		decision->reason = RF_REASON_UNLISTED;
	else if (bit < RF_N_ACCESSES)
		decision->source = rule->source[bit];
	if (decision->verdict == RF_VERDICT_ALLOW)
		decision->reason = RF_REASON_NONE;
}

/**
 * rf_decide_file - Verdict for a file or directory
 * @match:    After the last step, that of the object itself.
 * @unlisted: rf_policy.unlisted.
 * @access:   What is asked for; nothing counts as everything.
 *
 * Returns the strictest verdict of all accesses in all layers; among equals the first access, in
 * the order of RF_ACCESSES, and the first layer.
 */
RF_ALWAYS_INLINE struct rf_decision rf_decide_file(const struct rf_match *match, __u8 unlisted,
						   rf_access_mask access)
{
	struct rf_decision decision = { .source = RF_NO_SOURCE };
	struct rf_reach files, programs, both;
	rf_access_mask decisive;

	if (match->is_unresolved) {
		decision.verdict = RF_VERDICT_DENY;
		decision.reason = RF_REASON_UNRESOLVED;
		return decision;
	}
	access &= RF_ACCESS_ALL;
	if (!access)
		access = RF_ACCESS_ALL;
	files = rf_reach_of_layer(match, RF_LAYER_FILES, rf_reach_of_unlisted(unlisted));
	programs = rf_reach_of_layer(match, RF_LAYER_PROGRAMS,
				     rf_reach_of_unlisted(RF_VERDICT_ALLOW));
	both = rf_reach_merge(files, programs);
	/* The accesses that got the strictest verdict: none is stricter than deny, allow is left. */
	decisive = access;
	if (access & ~both.allow) {
		decisive = access & ~both.allow;
		decision.verdict = RF_VERDICT_ASK;
	}
	if (access & ~both.ask) {
		decisive = access & ~both.ask;
		decision.verdict = RF_VERDICT_HIDE;
	}
	if (access & ~both.hide) {
		decisive = access & ~both.hide;
		decision.verdict = RF_VERDICT_DENY;
	}
	decision.access = decisive & -decisive;
	rf_decision_attribute(&decision, match,
			      rf_reach_exceeds(both, files) & decision.access ? RF_LAYER_PROGRAMS
									      : RF_LAYER_FILES);
	return decision;
}

/* A refusal that no rule stands behind. */
RF_ALWAYS_INLINE struct rf_decision rf_refuse(__u8 reason)
{
	struct rf_decision decision = {
		.verdict = RF_VERDICT_DENY,
		.reason = reason,
		.source = RF_NO_SOURCE,
	};

	return decision;
}

RF_ALWAYS_INLINE struct rf_decision rf_allow(void)
{
	struct rf_decision decision = { .source = RF_NO_SOURCE };

	return decision;
}

/**
 * rf_decide_address - Verdict for a connection to an IPv4 or IPv6 address
 * @rules: Entry of the longest prefix that contains the address, NULL if there is none.
 * @port:  Host byte order.
 */
RF_ALWAYS_INLINE struct rf_decision rf_decide_address(const struct rf_address_rules *rules,
						      __u16 port)
{
	struct rf_decision decision = rf_refuse(RF_REASON_UNLISTED_ADDRESS);

	if (!rules)
		return decision;
	for (__u32 i = 0; i < RF_MAX_PORT_RANGES; i++) {
		const struct rf_port_range *range = &rules->ranges[i];

		if (i >= rules->n_ranges)
			break;
		if (port < range->first || port > range->last)
			continue;
		decision.verdict = range->verdict < RF_N_VERDICTS ? range->verdict
								  : RF_VERDICT_DENY;
		decision.reason = decision.verdict == RF_VERDICT_ALLOW ? RF_REASON_NONE
								       : RF_REASON_ADDRESS;
		decision.source = range->source;
		return decision;
	}
	return decision;
}

#define RF_AF_UNSPEC 0
#define RF_AF_UNIX 1
#define RF_AF_INET 2
#define RF_AF_INET6 10

/* Bytes of a struct sockaddr that a request for IPv4 or IPv6 must have. */
#define RF_SOCKADDR_INET_SIZE 8
#define RF_SOCKADDR_INET6_SIZE 24

/*
 * The unspecified address means this host, so it is read as loopback: also the one of IPv4 mapped,
 * which the kernel takes from an IPv6 socket.
 */
RF_ALWAYS_INLINE void rf_unspecified_to_loopback(__u8 address[16])
{
	for (__u32 i = 0; i < 10; i++)
		if (address[i])
			return;
	if (address[12] | address[13] | address[14] | address[15])
		return;
	if (!(address[10] | address[11])) {
		address[15] = 1;
	} else if ((address[10] & address[11]) == 0xff) {
		address[12] = 127;
		address[15] = 1;
	}
}

/**
 * rf_endpoint_from_sockaddr - Reads an IPv4 or IPv6 address as the kernel will use it
 * @sockaddr: The kernel's copy, zero beyond @size.
 * @size:     Bytes that the task gave.
 *
 * Returns an enum rf_reason; RF_REASON_NONE if @ret_endpoint holds the address. Type and protocol
 * are left alone.
 */
RF_ALWAYS_INLINE __u8 rf_endpoint_from_sockaddr(const __u8 sockaddr[RF_SOCKADDR_INET6_SIZE],
						__u32 size, struct rf_endpoint *ret_endpoint)
{
	/* sa_family is in host order; both supported architectures are little-endian. */
	__u16 family = sockaddr[0] | sockaddr[1] << 8;
	__u8 *address = ret_endpoint->address;

	ret_endpoint->family = family;
	if (family != RF_AF_INET && family != RF_AF_INET6)
		return RF_REASON_FAMILY;
	if (size < (family == RF_AF_INET ? RF_SOCKADDR_INET_SIZE : RF_SOCKADDR_INET6_SIZE))
		return RF_REASON_MALFORMED;
	ret_endpoint->port = sockaddr[2] << 8 | sockaddr[3];
	if (family == RF_AF_INET) {
		__builtin_memset(address, 0, 10);
		__builtin_memset(address + 10, 0xff, 2);
		__builtin_memcpy(address + 12, sockaddr + 4, 4);
	} else {
		__builtin_memcpy(address, sockaddr + 8, 16);
	}
	rf_unspecified_to_loopback(address);
	return RF_REASON_NONE;
}

#define RF_ENOENT 2
#define RF_EACCES 13

/* What the task gets for a verdict; 0: the call goes on. A question nobody can answer is a no. */
RF_ALWAYS_INLINE int rf_verdict_errno(__u8 verdict)
{
	if (verdict == RF_VERDICT_ALLOW)
		return 0;
	return verdict == RF_VERDICT_HIDE ? RF_ENOENT : RF_EACCES;
}

#endif
