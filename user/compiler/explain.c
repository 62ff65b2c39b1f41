/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What a compiled policy answers to a request, and why. */
#include "compiler/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compiler/host_tables.h"
#include "compiler/prefix.h"

void explanation_done(struct explanation *explanation)
{
	free(explanation->rules);
	*explanation = (struct explanation){ 0 };
}

static void set_decision(struct explanation *explanation, struct rf_decision decision)
{
	explanation->verdict = decision.verdict;
	explanation->reason = decision.reason;
	explanation->access = decision.access;
	explanation->source = decision.source;
}

/* Notes that a rule matched; of several times the deepest counts. */
static int note_rule(struct explanation *explanation, uint32_t source, uint32_t depth)
{
	for (size_t i = 0; i < explanation->n_rules; i++)
		if (explanation->rules[i].source == source) {
			if (explanation->rules[i].depth < depth)
				explanation->rules[i].depth = depth;
			return 0;
		}
	if (!ARRAY_GROW(explanation->rules, explanation->n_rules))
		return -ENOMEM;
	explanation->rules[explanation->n_rules++] = (struct explain_rule){ source, depth };
	return 0;
}

/* Notes the rules that the last step met. */
static int note_step(struct explanation *explanation, const struct compiled_policy *policy,
		     const struct rf_match *match, uint32_t depth)
{
	int r = 0;

	for (size_t i = 0; i < RF_MAX_LIVE_STATES; i++) {
		uint32_t rules = match->live[i].rules;
		size_t member = rules > 1 ? policy->rules_ends[rules - 2] : 0;

		for (; r == 0 && rules && member < policy->rules_ends[rules - 1]; member++)
			r = note_rule(explanation, policy->members[member], depth);
	}
	return r;
}

static int compare_rules(const void *left, const void *right, void *context)
{
	const struct explain_rule *a = left, *b = right;
	const struct compiled_policy *policy = context;
	int a_exact = policy->sources[a->source].rule.flags & RF_RULE_EXACTNESS;
	int b_exact = policy->sources[b->source].rule.flags & RF_RULE_EXACTNESS;

	if (a->depth != b->depth)
		return a->depth > b->depth ? -1 : 1;
	if (a_exact != b_exact)
		return b_exact - a_exact;
	return (a->source > b->source) - (a->source < b->source);
}

/**
 * struct walk - A path on its way through the automaton
 * @path:  Copy of the path, cut after the component at hand while its identity is asked for.
 * @depth: Components so far.
 */
struct walk {
	struct rf_tables tables;
	struct rf_match match;
	const struct explain_identities *identities;
	char *path;
	uint32_t depth;
};

static struct rf_target find_identity(const struct walk *walk, size_t end)
{
	char next = walk->path[end];
	struct rf_target target = { 0 };

	if (!walk->identities)
		return target;
	walk->path[end] = '\0';
	target = walk->identities->find(walk->identities->context, walk->path);
	walk->path[end] = next;
	return target;
}

/* Goes down the component from @start to @end of the path. */
static int walk_component(struct walk *walk, size_t start, size_t end)
{
	struct rf_name name = { .len = (uint32_t)(end - start) };
	rf_symbol symbol;

	if (!name.len || (name.len <= 2 && strncmp(walk->path + start, "..", name.len) == 0))
		return -EINVAL;
	if (name.len > RF_MAX_NAME)
		return -ENAMETOOLONG;
	memcpy(name.name.bytes, walk->path + start, name.len);
	symbol = rf_symbol_of_name(&walk->tables, &walk->tables.policy->head, &name);
	rf_match_step(&walk->match, &walk->tables, symbol, find_identity(walk, end));
	if (++walk->depth >= RF_MAX_DEPTH)
		walk->match.is_unresolved = 1;
	return 0;
}

static int walk_path(struct walk *walk, struct explanation *explanation)
{
	const struct compiled_policy *policy = walk->tables.policy;
	size_t end = 0;
	int r;

	rf_match_step(&walk->match, &walk->tables, RF_SYMBOL_NONE, policy->head.start);
	r = note_step(explanation, policy, &walk->match, 0);
	if (strcmp(walk->path, "/") == 0)
		return r;
	while (r == 0 && walk->path[end]) {
		size_t start = end + 1;

		end = start + strcspn(walk->path + start, "/");
		r = walk_component(walk, start, end);
		if (r == 0)
			r = note_step(explanation, policy, &walk->match, walk->depth);
	}
	return r;
}

int explain_path(const struct compiled_policy *policy, const char *path, rf_access_mask access,
		 const struct explain_identities *identities, struct explanation *ret_explanation)
{
	_cleanup_explanation_ struct explanation explanation = { 0 };
	_cleanup_free_ char *copy = strdup(path);
	struct walk walk = { .tables.policy = policy, .identities = identities, .path = copy };
	int r;

	if (!copy)
		return -ENOMEM;
	if (path[0] != '/')
		return -EINVAL;
	rf_match_init(&walk.match);
	r = walk_path(&walk, &explanation);
	if (r < 0)
		return r;
	set_decision(&explanation, rf_decide_file(&walk.match, policy->head.unlisted, access));
	if (explanation.n_rules)
		qsort_r(explanation.rules, explanation.n_rules, sizeof(*explanation.rules),
			compare_rules, (void *)policy);
	*ret_explanation = explanation;
	explanation = (struct explanation){ 0 };
	return 0;
}

/* Notes the rules for @port of every prefix around @address, the longest first. */
static int note_prefixes(struct explanation *explanation, const struct compiled_policy *policy,
			 const struct rf_prefix *address, uint16_t port)
{
	const struct rf_prefix mapped = prefix_make_mapped();
	uint32_t shortest = prefix_contains(&mapped, address) ? PREFIX_MAPPED_SIZE : 0;
	int r = 0;

	for (size_t i = policy->n_prefixes; i-- > 0;) {
		const struct prefix_entry *entry = &policy->prefixes[i];

		if (entry->key.prefix_size < shortest || !prefix_contains(&entry->key, address))
			continue;
		for (size_t j = 0; r == 0 && j < entry->value.n_ranges; j++) {
			const struct rf_port_range *range = &entry->value.ranges[j];

			if (range->first <= port && port <= range->last)
				r = note_rule(explanation, range->source, 0);
		}
	}
	return r;
}

/* The entry that the kernel's look-up finds: that of the longest prefix. */
static const struct rf_address_rules *find_prefix(const struct compiled_policy *policy,
						  const struct rf_prefix *address)
{
	for (size_t i = policy->n_prefixes; i-- > 0;)
		if (prefix_contains(&policy->prefixes[i].key, address))
			return &policy->prefixes[i].value;
	return NULL;
}

int explain_connect(const struct compiled_policy *policy, const void *sockaddr, size_t size,
		    struct explanation *ret_explanation)
{
	uint8_t bytes[RF_SOCKADDR_INET6_SIZE] = { 0 };
	struct explanation explanation = { 0 };
	struct rf_endpoint endpoint = { 0 };
	struct rf_prefix address;
	uint8_t reason;
	int r;

	memcpy(bytes, sockaddr, size < sizeof(bytes) ? size : sizeof(bytes));
	reason = rf_endpoint_from_sockaddr(bytes, (uint32_t)size, &endpoint);
	if (reason != RF_REASON_NONE) {
		set_decision(&explanation, rf_refuse(reason));
		*ret_explanation = explanation;
		return 0;
	}
	address = prefix_make(endpoint.address, 128);
	set_decision(&explanation, rf_decide_address(find_prefix(policy, &address), endpoint.port));
	r = note_prefixes(&explanation, policy, &address, endpoint.port);
	if (r < 0) {
		explanation_done(&explanation);
		return r;
	}
	*ret_explanation = explanation;
	return 0;
}
