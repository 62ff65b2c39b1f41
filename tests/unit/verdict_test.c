/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The decision: its precedence rule case by case, and against the slow reference model on
 * thousands of random policies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "compiler/explain.h"
#include "compiler/policy_compile.h"
#include "lib/policy_build.h"
#include "lib/reference_model.h"

/* Random numbers that are the same on every run. */
static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % limit;
}

static struct compiled_policy *compile(const struct policy *policy)
{
	struct compiled_policy *compiled = NULL;
	struct diag diag = { 0 };

	assert_int_equal(policy_compile(policy, &diag, &compiled), 0);
	assert_false(diag_has_errors(&diag));
	diag_done(&diag);
	return compiled;
}

/* struct case_rule - Up to three of them make a case; no pattern ends the list. */
struct case_rule {
	const char *pattern;
	const char *allow;
	const char *ask;
	enum rf_verdict refusal;
	bool is_program;
};

struct precedence_case {
	const char *name;
	struct case_rule rules[3];
	const char *path;
	rf_access_mask access;
	enum rf_verdict verdict;
	uint32_t source;
};

#define DENY RF_VERDICT_DENY
#define HIDE RF_VERDICT_HIDE
#define ALLOW RF_VERDICT_ALLOW
#define ASK RF_VERDICT_ASK
#define NO_RULE RF_NO_SOURCE

#define FILES(pattern, allow, ask, refusal) { pattern, allow, ask, refusal, false }
#define PROGRAM(pattern, verdict) { pattern, "", "", verdict, true }

static const struct precedence_case precedence_cases[] = {
	{ "a rule is for its path", { FILES("/a", "r", "", DENY) }, "/a", RF_ACCESS_READ, ALLOW,
	  0 },
	{ "and for what is below", { FILES("/a", "r", "", DENY) }, "/a/b/c", RF_ACCESS_READ, ALLOW,
	  0 },
	{ "not for what is above", { FILES("/a/b", "r", "", DENY) }, "/a", RF_ACCESS_READ, HIDE,
	  NO_RULE },
	{ "not for a longer name", { FILES("/a", "r", "", DENY) }, "/ab", RF_ACCESS_READ, HIDE,
	  NO_RULE },
	{ "the root is a path", { FILES("/", "r", "", DENY) }, "/x/y", RF_ACCESS_READ, ALLOW, 0 },
	{ "deeper refuses under shallower",
	  { FILES("/a", "rwx", "", DENY), FILES("/a/b", "", "", DENY) },
	  "/a/b/c", RF_ACCESS_READ, DENY, 1 },
	{ "deeper allows under shallower",
	  { FILES("/a", "", "", DENY), FILES("/a/b", "r", "", DENY) },
	  "/a/b/c", RF_ACCESS_READ, ALLOW, 1 },
	{ "a deeper pattern beats a shallower exact rule",
	  { FILES("/a", "r", "", DENY), FILES("/a/*", "", "", HIDE) },
	  "/a/b", RF_ACCESS_READ, HIDE, 1 },
	{ "exact beats a pattern of its depth",
	  { FILES("/a/*", "", "", DENY), FILES("/a/b", "r", "", DENY) },
	  "/a/b", RF_ACCESS_READ, ALLOW, 1 },
	{ "a star anywhere makes a pattern",
	  { FILES("/*/b", "", "", DENY), FILES("/a/b", "r", "", DENY) },
	  "/a/b", RF_ACCESS_READ, ALLOW, 1 },
	{ "deny beats hide", { FILES("/a*", "", "", HIDE), FILES("/*a", "", "", DENY) }, "/aa",
	  RF_ACCESS_READ, DENY, 1 },
	{ "hide beats ask", { FILES("/a*", "", "r", DENY), FILES("/*a", "", "", HIDE) }, "/aa",
	  RF_ACCESS_READ, HIDE, 1 },
	{ "ask beats allow", { FILES("/a*", "r", "", DENY), FILES("/*a", "", "r", DENY) }, "/aa",
	  RF_ACCESS_READ, ASK, 1 },
	{ "equal rules: each access apart",
	  { FILES("/a*", "rw", "", DENY), FILES("/*a", "r", "", DENY) },
	  "/aa", RF_ACCESS_READ, ALLOW, 0 },
	{ "a name rule matches anywhere",
	  { FILES("/", "r", "", DENY), FILES("/**/.env", "", "", DENY) },
	  "/a/b/.env", RF_ACCESS_READ, DENY, 1 },
	{ "a name rule matches at the root", { FILES("/**/.env", "", "", DENY) }, "/.env",
	  RF_ACCESS_READ, DENY, 0 },
	{ "a name rule counts at its last component",
	  { FILES("/a/b", "r", "", DENY), FILES("/**/.env", "", "", DENY) },
	  "/.env/a/b", RF_ACCESS_READ, DENY, 1 },
	{ "two stars match nothing too", { FILES("/a/**", "r", "", DENY) }, "/a", RF_ACCESS_READ,
	  ALLOW, 0 },
	{ "two stars at the end match at every depth",
	  { FILES("/a/**", "", "", DENY), FILES("/a/b", "r", "", DENY) },
	  "/a/b/c", RF_ACCESS_READ, DENY, 0 },
	{ "of several accesses the strictest", { FILES("/a", "r", "", DENY) }, "/a",
	  RF_ACCESS_READ | RF_ACCESS_WRITE, DENY, 0 },
	{ "nothing asked counts as everything", { FILES("/a", "rw", "", DENY) }, "/a", 0, DENY, 0 },
	{ "a program rule only narrows",
	  { FILES("/a", "r", "", DENY), PROGRAM("/a/b", ALLOW) },
	  "/a/b", RF_ACCESS_EXECUTE, DENY, 0 },
	{ "a program rule refuses",
	  { FILES("/a", "rx", "", DENY), PROGRAM("/a/b", DENY) },
	  "/a/b", RF_ACCESS_EXECUTE, DENY, 1 },
	{ "a program rule refuses execution alone",
	  { FILES("/a", "rx", "", DENY), PROGRAM("/a/b", DENY) },
	  "/a/b", RF_ACCESS_READ, ALLOW, 0 },
};

static void add_case_rule(struct policy *policy, const struct case_rule *rule)
{
	int r = rule->is_program
			? policy_add_program(policy, rule->pattern, rule->refusal)
			: policy_add_files(policy, rule->pattern, rule->allow, rule->ask,
					   rule->refusal);

	assert_int_equal(r, 0);
}

static void test_precedence(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(precedence_cases); i++) {
		const struct precedence_case *one = &precedence_cases[i];
		_cleanup_(policy_freep) struct policy *policy = policy_new();
		_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = NULL;
		_cleanup_explanation_ struct explanation explanation = { 0 };

		assert_non_null(policy);
		for (size_t j = 0; j < ELEMENTSOF(one->rules) && one->rules[j].pattern; j++)
			add_case_rule(policy, &one->rules[j]);
		compiled = compile(policy);
		assert_int_equal(explain_path(compiled, one->path, one->access, NULL,
					      &explanation), 0);
		if (explanation.verdict != one->verdict || explanation.source != one->source)
			fail_msg("%s: verdict %d by %u, not %d by %u", one->name,
				 explanation.verdict, explanation.source, one->verdict,
				 one->source);
	}
}

/* Few letters, so that names and patterns meet often; names around the limits of the tables. */
#define LONG31 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"
#define LONG32 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"
static const char *const names[] = {
	"a",   "b",    "c",   "ab",   "ba",   "aa",		 "aab",
	"aba", "abab", "xab", LONG31, LONG32, "a" LONG31 LONG32,
};
static const char *const patterns[] = {
	"*", "**", "a*", "*b", "a*b", "aa*", "*ab", "b*a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa*b",
};

static void add_random_component(char *path, size_t size, bool may_have_star)
{
	size_t len = strlen(path);
	const char *component = names[random_below(ELEMENTSOF(names))];

	if (may_have_star && random_below(2))
		component = patterns[random_below(ELEMENTSOF(patterns))];
	(void)snprintf(path + len, size - len, "/%s", component);
}

#define PATH_SIZE 1024

static void make_path(char path[PATH_SIZE], uint32_t max_depth, bool may_have_star)
{
	path[0] = '\0';
	for (uint32_t n = random_below(max_depth + 1); n > 0; n--)
		add_random_component(path, PATH_SIZE, may_have_star);
	if (!path[0])
		(void)snprintf(path, PATH_SIZE, "/");
}

static struct policy *make_policy(void)
{
	static const enum rf_verdict unlisted[] = { DENY, HIDE, ASK };
	static const char *const masks[] = { "", "r", "w", "x", "rw", "rx", "rwx" };
	struct policy *policy = policy_new();

	assert_non_null(policy);
	policy->unlisted = unlisted[random_below(ELEMENTSOF(unlisted))];
	for (uint32_t n = random_below(9); n > 0; n--) {
		const char *allow = masks[random_below(ELEMENTSOF(masks))];
		char pattern[PATH_SIZE];
		enum rf_verdict refusal = random_below(2) ? DENY : HIDE;

		make_path(pattern, 4, true);
		if (random_below(4) == 0)
			assert_int_equal(policy_add_program(policy, pattern,
							    random_below(RF_N_VERDICTS)), 0);
		else
			assert_int_equal(policy_add_files(policy, pattern, allow,
							  *allow ? "" : "rx", refusal), 0);
	}
	return policy;
}

static void print_policy(const struct policy *policy)
{
	for (size_t i = 0; i < policy->n_files_rules; i++)
		print_error("  files \"%s\" allow %x ask %x refusal %d\n",
			    policy->files_rules[i].pattern, policy->files_rules[i].answer.allow,
			    policy->files_rules[i].answer.ask,
			    policy->files_rules[i].answer.refusal);
	for (size_t i = 0; i < policy->n_program_rules; i++)
		print_error("  programs \"%s\" allow %x refusal %d\n",
			    policy->program_rules[i].pattern,
			    policy->program_rules[i].answer.allow,
			    policy->program_rules[i].answer.refusal);
}

static void compare_path(const struct policy *policy, const struct compiled_policy *compiled)
{
	_cleanup_explanation_ struct explanation explanation = { 0 };
	rf_access_mask access = (rf_access_mask)(1 + random_below(RF_ACCESS_ALL));
	struct reference_answer answer;
	char path[PATH_SIZE];

	make_path(path, 6, false);
	answer = reference_path(policy, path, access, NULL);
	assert_int_equal(explain_path(compiled, path, access, NULL, &explanation), 0);
	if (explanation.verdict == answer.verdict && explanation.access == answer.access &&
	    explanation.source == answer.source)
		return;
	print_policy(policy);
	fail_msg("%s, access %x: verdict %d by %d, the model says %d by %d", path, access,
		 explanation.verdict, (int)explanation.source, answer.verdict, (int)answer.source);
}

static void test_paths_agree_with_model(void **state)
{
	(void)state;
	random_state = 0x9e3779b97f4a7c15;
	for (int i = 0; i < 6000; i++) {
		_cleanup_(policy_freep) struct policy *policy = make_policy();
		_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = compile(policy);

		for (int j = 0; j < 40; j++)
			compare_path(policy, compiled);
	}
}

/* struct alias - An anchor whose object is found at @path. */
struct alias {
	const char *path;
	const struct anchor *anchor;
};

static struct rf_target find_alias(void *context, const char *path)
{
	const struct alias *alias = context;
	struct rf_target none = { 0 };

	return strcmp(path, alias->path) == 0 ? alias->anchor->target : none;
}

static void compare_alias(const struct policy *policy, const struct compiled_policy *compiled)
{
	_cleanup_explanation_ struct explanation explanation = { 0 };
	uint32_t n_anchors = (uint32_t)compiled->n_anchors;
	const struct anchor *anchor = &compiled->anchors[random_below(n_anchors)];
	char at[PATH_SIZE], path[PATH_SIZE];
	struct alias alias = { at, anchor };
	const struct explain_identities identities = { find_alias, &alias };
	struct reference_alias reference = { .path = anchor->path };
	struct reference_answer answer;

	do
		make_path(at, 4, false);
	while (strcmp(at, "/") == 0);
	for (const char *byte = at; *byte; byte++)
		reference.depth += *byte == '/';
	memcpy(path, at, sizeof(path));
	for (uint32_t n = random_below(3); n > 0; n--)
		add_random_component(path, sizeof(path), false);
	answer = reference_path(policy, path, RF_ACCESS_READ, &reference);
	assert_int_equal(explain_path(compiled, path, RF_ACCESS_READ, &identities, &explanation),
			 0);
	if (explanation.verdict == answer.verdict)
		return;
	print_policy(policy);
	fail_msg("%s, with %s at %s: verdict %d, the model says %d by %d", path, anchor->path, at,
		 explanation.verdict, answer.verdict, (int)answer.source);
}

static void test_identities_agree_with_model(void **state)
{
	(void)state;
	random_state = 0xd1b54a32d192ed03;
	for (int i = 0; i < 4000; i++) {
		_cleanup_(policy_freep) struct policy *policy = make_policy();
		_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = compile(policy);

		for (int j = 0; j < 20; j++)
			compare_alias(policy, compiled);
	}
}

/* Addresses that differ in few bits, on both sides of the mapped range. */
static const char *const addresses[] = {
	"::", "::1", "::2", "::fffe:0:0", "::ffff:0.0.0.0", "::ffff:10.0.0.0", "::ffff:10.0.0.1",
	"::ffff:10.1.0.0", "::ffff:127.0.0.1", "::ffff:127.9.9.9", "::ffff:255.255.255.255",
	"::1:0:0:0", "2001:db8::", "2001:db8::1", "2001:db8:8000::", "ffff::",
};
static const uint16_t ports[] = { 0, 1, 79, 80, 81, 443, 65534, 65535 };

static uint16_t random_port(void)
{
	return ports[random_below(ELEMENTSOF(ports))];
}

static void clear_bits_from(uint8_t address[16], unsigned int first)
{
	for (unsigned int i = first; i < 128; i++)
		address[i / 8] &= (uint8_t)~(0x80 >> (i % 8));
}

static struct egress_rule make_egress_rule(void)
{
	static const enum egress_kind kinds[] = {
		EGRESS_ADDRESS, EGRESS_ADDRESS, EGRESS_ADDRESS, EGRESS_ADDRESS,
		EGRESS_ADDRESS, EGRESS_ANY,	EGRESS_LOCALHOST, EGRESS_HOST,
	};
	static const uint8_t sizes[] = { 0, 1, 16, 33, 64, 80, 95, 96, 97, 104, 112, 127, 128 };
	uint16_t one = random_port(), other = random_port();
	struct egress_rule rule = {
		.kind = kinds[random_below(ELEMENTSOF(kinds))],
		.first_port = one < other ? one : other,
		.last_port = one < other ? other : one,
		.verdict = (enum rf_verdict[]){ DENY, ASK, ALLOW }[random_below(3)],
	};

	if (rule.kind != EGRESS_ADDRESS)
		return rule;
	rule.prefix_size = sizes[random_below(ELEMENTSOF(sizes))];
	assert_int_equal(inet_pton(AF_INET6, addresses[random_below(ELEMENTSOF(addresses))],
				   rule.address), 1);
	clear_bits_from(rule.address, rule.prefix_size);
	return rule;
}

static struct policy *make_egress_policy(void)
{
	struct policy *policy = policy_new();

	assert_non_null(policy);
	for (uint32_t n = random_below(10); n > 0; n--)
		assert_int_equal(policy_add_egress(policy, "random", make_egress_rule()), 0);
	return policy;
}

static void print_egress_policy(const struct policy *policy)
{
	for (size_t i = 0; i < policy->n_egress_rules; i++) {
		const struct egress_rule *rule = &policy->egress_rules[i];
		char text[INET6_ADDRSTRLEN];

		print_error("  kind %d %s/%u ports %u-%u verdict %d\n", rule->kind,
			    inet_ntop(AF_INET6, rule->address, text, sizeof(text)),
			    rule->prefix_size, rule->first_port, rule->last_port, rule->verdict);
	}
}

static void compare_address(const struct policy *policy, const struct compiled_policy *compiled)
{
	_cleanup_explanation_ struct explanation explanation = { 0 };
	const char *address = addresses[random_below(ELEMENTSOF(addresses))];
	struct sockaddr_in6 inet6 = { .sin6_family = AF_INET6 };
	struct reference_answer answer;
	uint16_t port = random_port();

	/* These two are read as loopback, which is a case of its own. */
	if (strcmp(address, "::") == 0 || strcmp(address, "::ffff:0.0.0.0") == 0)
		address = "::1";
	assert_int_equal(inet_pton(AF_INET6, address, &inet6.sin6_addr), 1);
	inet6.sin6_port = htons(port);
	answer = reference_address(policy, inet6.sin6_addr.s6_addr, port);
	assert_int_equal(explain_connect(compiled, &inet6, sizeof(inet6), &explanation), 0);
	if (explanation.verdict == answer.verdict && explanation.source == answer.source)
		return;
	print_egress_policy(policy);
	fail_msg("%s port %u: verdict %d by %d, the model says %d by %d", address, port,
		 explanation.verdict, (int)explanation.source, answer.verdict, (int)answer.source);
}

static void test_addresses_agree_with_model(void **state)
{
	(void)state;
	random_state = 0x2545f4914f6cdd1d;
	for (int i = 0; i < 10000; i++) {
		_cleanup_(policy_freep) struct policy *policy = make_egress_policy();
		_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = compile(policy);

		for (int j = 0; j < 20; j++)
			compare_address(policy, compiled);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_paths_agree_with_model),
		cmocka_unit_test(test_identities_agree_with_model),
		cmocka_unit_test(test_addresses_agree_with_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
