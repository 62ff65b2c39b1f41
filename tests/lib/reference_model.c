/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What a policy answers, computed slowly. */
#include "lib/reference_model.h"

#include <stdio.h>
#include <string.h>

#define NO_SOURCE UINT32_MAX

/* Whether the one component at @pattern matches the one at @name. */
static bool component_matches(const char *pattern, size_t pattern_size, const char *name,
			      size_t name_size)
{
	if (!pattern_size)
		return !name_size;
	if (*pattern == '*')
		return component_matches(pattern + 1, pattern_size - 1, name, name_size) ||
		       (name_size &&
			component_matches(pattern, pattern_size, name + 1, name_size - 1));
	return name_size && *pattern == *name &&
	       component_matches(pattern + 1, pattern_size - 1, name + 1, name_size - 1);
}

/* Whether all of @pattern matches all of the @size bytes of @path. */
static bool path_matches(const char *pattern, const char *path, size_t size)
{
	const char *pattern_rest, *path_rest;

	if (strcmp(pattern, "/") == 0 || !*pattern)
		return size == 0;
	pattern_rest = pattern + 1 + strcspn(pattern + 1, "/");
	if (strncmp(pattern, "/**", 3) == 0 && pattern_rest == pattern + 3) {
		if (path_matches(pattern_rest, path, size))
			return true;
		if (!size)
			return false;
		path_rest = path + 1 + strcspn(path + 1, "/");
		if (path_rest > path + size)
			path_rest = path + size;
		return path_matches(pattern, path_rest, size - (size_t)(path_rest - path));
	}
	if (!size)
		return false;
	path_rest = path + 1 + strcspn(path + 1, "/");
	if (path_rest > path + size)
		path_rest = path + size;
	return component_matches(pattern + 1, (size_t)(pattern_rest - pattern) - 1, path + 1,
				 (size_t)(path_rest - path) - 1) &&
	       path_matches(pattern_rest, path_rest, size - (size_t)(path_rest - path));
}

/* Bytes of the beginning of @path that has @depth components; -1 if it has fewer. */
static long beginning_size(const char *path, int depth)
{
	const char *end = path;

	if (strcmp(path, "/") == 0)
		return depth == 0 ? 0 : -1;
	for (; depth > 0; depth--) {
		if (!*end)
			return -1;
		end += 1 + strcspn(end + 1, "/");
	}
	return end - path;
}

/* The greatest depth at which the pattern matches, not above @from; -1 if it does not. */
static int deepest_match(const char *pattern, const char *path, int from)
{
	int deepest = -1;

	for (int depth = from; beginning_size(path, depth) >= 0; depth++)
		if (path_matches(pattern, path, (size_t)beginning_size(path, depth)))
			deepest = depth;
	return deepest;
}

static int count_components(const char *path)
{
	int n = 0;

	while (beginning_size(path, n + 1) >= 0)
		n++;
	return n;
}

/* The same in the asked path, where the object of the alias counts as being at its own path too. */
static int deepest_match_by_any_road(const char *pattern, const char *path,
				     const struct reference_alias *alias)
{
	int deepest = deepest_match(pattern, path, 0);
	char aliased[8192];
	int by_alias, alias_depth;

	if (!alias)
		return deepest;
	(void)snprintf(aliased, sizeof(aliased), "%s%s",
		       strcmp(alias->path, "/") == 0 ? "" : alias->path,
		       path + beginning_size(path, (int)alias->depth));
	alias_depth = count_components(alias->path);
	by_alias = deepest_match(pattern, aliased, alias_depth);
	if (by_alias >= 0)
		by_alias += (int)alias->depth - alias_depth;
	return by_alias > deepest ? by_alias : deepest;
}

static enum rf_verdict answer_verdict(const struct answer *answer, rf_access_mask access)
{
	if (answer->allow & access)
		return RF_VERDICT_ALLOW;
	return answer->ask & access ? RF_VERDICT_ASK : answer->refusal;
}

/* struct candidate - The rule that is ahead so far; depth -1: none. */
struct candidate {
	int depth;
	int exactness; /* 2: the path, 1: the last component alone, 0: neither */
	enum rf_verdict verdict;
	uint32_t source;
};

static bool is_ahead(const struct candidate *one, const struct candidate *other)
{
	if (one->depth != other->depth)
		return one->depth > other->depth;
	if (one->exactness != other->exactness)
		return one->exactness > other->exactness;
	return one->verdict > other->verdict;
}

static int exactness_of(const char *pattern)
{
	if (!strchr(pattern, '*'))
		return 2;
	return !strchr(strrchr(pattern, '/'), '*');
}

static struct candidate find_rule(const struct path_rule *rules, size_t n_rules, const char *path,
				  rf_access_mask access, const struct reference_alias *alias)
{
	struct candidate best = { .depth = -1, .source = NO_SOURCE };

	for (size_t i = 0; i < n_rules; i++) {
		struct candidate candidate = {
			.depth = deepest_match_by_any_road(rules[i].pattern, path, alias),
			.exactness = exactness_of(rules[i].pattern),
			.verdict = answer_verdict(&rules[i].answer, access),
			.source = (uint32_t)i,
		};

		if (candidate.depth >= 0 && is_ahead(&candidate, &best))
			best = candidate;
	}
	return best;
}

static void take_stricter(struct reference_answer *answer, const struct candidate *candidate,
			  rf_access_mask access)
{
	if (answer->access && candidate->verdict <= answer->verdict)
		return;
	answer->verdict = candidate->verdict;
	answer->access = access;
	answer->source = candidate->source;
}

struct reference_answer reference_path(const struct policy *policy, const char *path,
				       rf_access_mask access, const struct reference_alias *alias)
{
	struct reference_answer answer = { .source = NO_SOURCE };

	for (rf_access_mask one = RF_ACCESS_READ; one <= RF_ACCESS_EXECUTE; one <<= 1) {
		struct candidate files, programs;

		if (!(access & one))
			continue;
		files = find_rule(policy->files_rules, policy->n_files_rules, path, one, alias);
		if (files.depth < 0)
			files.verdict = policy->unlisted;
		take_stricter(&answer, &files, one);
		programs = find_rule(policy->program_rules, policy->n_program_rules, path, one,
				     alias);
		if (programs.depth < 0)
			continue;
		if (one != RF_ACCESS_EXECUTE)
			programs.verdict = RF_VERDICT_ALLOW;
		programs.source += (uint32_t)policy->n_files_rules;
		take_stricter(&answer, &programs, one);
	}
	return answer;
}

static bool bits_agree(const uint8_t *a, const uint8_t *b, unsigned int n_bits)
{
	for (unsigned int i = 0; i < n_bits; i++)
		if ((a[i / 8] ^ b[i / 8]) >> (7 - i % 8) & 1)
			return false;
	return true;
}

static bool is_mapped(const uint8_t address[16])
{
	static const uint8_t start[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(address, start, sizeof(start)) == 0;
}

/* Bits in which a rule agrees with the address, one more than it names; 0: it is not about it. */
static int rule_reach(const struct egress_rule *rule, const uint8_t address[16])
{
	static const uint8_t loopback[16] = { [15] = 1 };

	switch (rule->kind) {
	case EGRESS_HOST:
		return 0;
	case EGRESS_ANY:
		return 1;
	case EGRESS_LOCALHOST:
		if (is_mapped(address))
			return address[12] == 127 ? 96 + 8 + 2 : 0;
		return memcmp(address, loopback, 16) == 0 ? 128 + 2 : 0;
	case EGRESS_ADDRESS:
		break;
	}
	if (is_mapped(address) && rule->prefix_size < 96)
		return 0;
	return bits_agree(rule->address, address, rule->prefix_size) ? rule->prefix_size + 2 : 0;
}

/* Whether @one decides rather than @other, which reaches as far. */
static bool is_narrower(const struct egress_rule *one, const struct egress_rule *other)
{
	int one_width = one->last_port - one->first_port;
	int other_width = other->last_port - other->first_port;

	if (one_width != other_width)
		return one_width < other_width;
	return one->verdict > other->verdict;
}

struct reference_answer reference_address(const struct policy *policy, const uint8_t address[16],
					  uint16_t port)
{
	struct reference_answer answer = { .verdict = RF_VERDICT_DENY, .source = NO_SOURCE };
	size_t n_path_rules = policy->n_files_rules + policy->n_program_rules;
	const struct egress_rule *best = NULL;
	int best_reach = 0;

	for (size_t i = 0; i < policy->n_egress_rules; i++) {
		const struct egress_rule *rule = &policy->egress_rules[i];
		int reach = rule_reach(rule, address);

		if (!reach || port < rule->first_port || port > rule->last_port)
			continue;
		if (best && (reach < best_reach ||
			     (reach == best_reach && !is_narrower(rule, best))))
			continue;
		best = rule;
		best_reach = reach;
		answer.verdict = rule->verdict;
		answer.source = (uint32_t)(n_path_rules + i);
	}
	return answer;
}
