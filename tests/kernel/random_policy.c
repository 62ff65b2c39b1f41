/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Random policies, and requests that meet their rules often. */
#include "kernel/random_policy.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "lib/harness.h"
#include "lib/policy_build.h"

static uint64_t state;

void random_seed(uint64_t seed)
{
	state = seed;
}

uint32_t random_below(uint32_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % limit;
}

#define RANDOM_OF(array) (array)[random_below(ELEMENTSOF(array))]

/* ---- Paths ---- */

#define LONG31 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"
#define LONG32 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"
#define LONG64 LONG32 LONG32
#define LONG255 LONG64 LONG64 LONG64 LONG31 LONG32

static const char *const names[] = {
	"a",   "b",    "c",   "ab",   "ba",   "aa",		 "aab",
	"aba", "abab", "xab", LONG31, LONG32, "a" LONG31 LONG32, LONG255,
};
static const char *const patterns[] = {
	"*", "**", "a*", "*b", "a*b", "aa*", "*ab", "b*a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa*b",
};

void random_path(char path[RANDOM_PATH_SIZE], uint32_t max_depth, bool may_have_star)
{
	size_t len = 0;

	(void)snprintf(path, RANDOM_PATH_SIZE, "/");
	for (uint32_t n = random_below(max_depth + 1); n > 0; n--) {
		bool is_pattern = may_have_star && random_below(2);

		len += (size_t)snprintf(path + len, RANDOM_PATH_SIZE - len, "/%s",
					is_pattern ? RANDOM_OF(patterns) : RANDOM_OF(names));
	}
}

static int add_path_rule(struct policy *policy)
{
	static const char *const masks[] = { "", "r", "w", "x", "rw", "rx", "rwx" };
	const char *allow = RANDOM_OF(masks);
	enum rf_verdict refusal = random_below(2) ? RF_VERDICT_DENY : RF_VERDICT_HIDE;
	char pattern[RANDOM_PATH_SIZE];

	random_path(pattern, 4, true);
	if (random_below(4) == 0)
		return policy_add_program(policy, pattern, random_below(RF_N_VERDICTS));
	return policy_add_files(policy, pattern, allow, *allow ? "" : "rx", refusal);
}

/* ---- Addresses ---- */

/* They differ in few bits, on both sides of the mapped range. */
static const char *const addresses[] = {
	"::1", "::2", "::fffe:0:0", "::ffff:10.0.0.0", "::ffff:10.0.0.1", "::ffff:10.1.0.0",
	"::ffff:127.0.0.1", "::ffff:127.9.9.9", "::ffff:255.255.255.255", "::1:0:0:0",
	"2001:db8::", "2001:db8::1", "2001:db8:8000::", "ffff::",
};
static const uint16_t ports[] = { 0, 1, 79, 80, 81, 443, 65534, 65535 };

void random_address(uint8_t ret_address[16])
{
	(void)inet_pton(AF_INET6, RANDOM_OF(addresses), ret_address); /* All are well-formed. */
}

uint16_t random_port(void)
{
	return RANDOM_OF(ports);
}

static void clear_bits_from(uint8_t address[16], unsigned int first)
{
	for (unsigned int i = first; i < 128; i++)
		address[i / 8] &= (uint8_t)~(0x80 >> (i % 8));
}

static int add_egress_rule(struct policy *policy)
{
	static const enum egress_kind kinds[] = {
		EGRESS_ADDRESS, EGRESS_ADDRESS, EGRESS_ADDRESS, EGRESS_ADDRESS,
		EGRESS_ADDRESS, EGRESS_ANY,	EGRESS_LOCALHOST, EGRESS_HOST,
	};
	static const uint8_t sizes[] = { 0, 1, 16, 33, 64, 80, 95, 96, 97, 104, 112, 127, 128 };
	static const enum rf_verdict verdicts[] = { RF_VERDICT_DENY, RF_VERDICT_ASK,
						    RF_VERDICT_ALLOW };
	uint16_t one = random_port(), other = random_port();
	struct egress_rule rule = {
		.kind = RANDOM_OF(kinds),
		.first_port = one < other ? one : other,
		.last_port = one < other ? other : one,
		.verdict = RANDOM_OF(verdicts),
	};

	if (rule.kind == EGRESS_ADDRESS) {
		rule.prefix_size = RANDOM_OF(sizes);
		random_address(rule.address);
		clear_bits_from(rule.address, rule.prefix_size);
	}
	return policy_add_egress(policy, "random", rule);
}

/* ---- Policies ---- */

struct policy *random_policy(void)
{
	static const enum rf_verdict unlisted[] = { RF_VERDICT_DENY, RF_VERDICT_HIDE,
						    RF_VERDICT_ASK };
	_cleanup_(policy_freep) struct policy *policy = policy_new();
	int r = policy ? 0 : -1;

	if (r == 0)
		policy->unlisted = RANDOM_OF(unlisted);
	for (uint32_t n = random_below(9); r == 0 && n > 0; n--)
		r = add_path_rule(policy);
	for (uint32_t n = random_below(10); r == 0 && n > 0; n--)
		r = add_egress_rule(policy);
	return r == 0 ? TAKE_PTR(policy) : NULL;
}

void random_policy_show(const struct policy *policy)
{
	char text[INET6_ADDRSTRLEN];

	for (size_t i = 0; i < policy->n_files_rules; i++) {
		const struct path_rule *rule = &policy->files_rules[i];

		harness_note("files \"%s\" allow %x ask %x refusal %d", rule->pattern,
			     rule->answer.allow, rule->answer.ask, rule->answer.refusal);
	}
	for (size_t i = 0; i < policy->n_program_rules; i++) {
		const struct path_rule *rule = &policy->program_rules[i];

		harness_note("programs \"%s\" allow %x ask %x refusal %d", rule->pattern,
			     rule->answer.allow, rule->answer.ask, rule->answer.refusal);
	}
	for (size_t i = 0; i < policy->n_egress_rules; i++) {
		const struct egress_rule *rule = &policy->egress_rules[i];

		harness_note("egress kind %d %s/%u ports %u-%u verdict %d", rule->kind,
			     inet_ntop(AF_INET6, rule->address, text, sizeof(text)),
			     rule->prefix_size, rule->first_port, rule->last_port, rule->verdict);
	}
	harness_note("unlisted %d", policy->unlisted);
}
