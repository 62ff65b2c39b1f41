/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What a compiled policy answers, and the rules it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "compiler/explain.h"
#include "compiler/policy_compile.h"
#include "lib/fail_alloc.h"
#include "lib/policy_build.h"

static struct compiled_policy *compile(const struct policy *policy)
{
	struct compiled_policy *compiled = NULL;
	struct diag diag = { 0 };

	assert_int_equal(policy_compile(policy, &diag, &compiled), 0);
	diag_done(&diag);
	return compiled;
}

/* The policy that most tests ask; rules are numbered in this order. */
static struct compiled_policy *make_policy(void)
{
	static const char *const patterns[] = {
		"/", "/home/u", "/**/.ssh", "/home/u/.ssh", "/home/*/.ssh", "/srv/d/f",
	};
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	assert_non_null(policy);
	for (size_t i = 0; i < ELEMENTSOF(patterns); i++)
		assert_int_equal(policy_add_files(policy, patterns[i], i % 2 ? "rw" : "", "",
						  RF_VERDICT_DENY), 0);
	assert_int_equal(policy_add_program(policy, "/home/u/.ssh/x", RF_VERDICT_DENY), 0);
	assert_int_equal(policy_add_address(policy, "127.0.0.0/8", 0, 65535, RF_VERDICT_ALLOW), 0);
	assert_int_equal(policy_add_address(policy, "::/64", 80, 80, RF_VERDICT_ALLOW), 0);
	assert_int_equal(policy_add_address(policy, "127.1.0.0/16", 0, 65535, RF_VERDICT_DENY), 0);
	return compile(policy);
}

static void assert_rules(const struct explanation *explanation,
			 const struct explain_rule *expected, size_t n_expected)
{
	assert_int_equal(explanation->n_rules, n_expected);
	for (size_t i = 0; i < n_expected; i++) {
		assert_int_equal(explanation->rules[i].source, expected[i].source);
		assert_int_equal(explanation->rules[i].depth, expected[i].depth);
	}
}

static void test_rules_come_by_precedence(void **state)
{
	static const struct explain_rule expected[] = {
		{ 6, 4 }, { 3, 3 }, { 2, 3 }, { 4, 3 }, { 1, 2 }, { 0, 0 },
	};
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = make_policy();
	_cleanup_explanation_ struct explanation explanation = { 0 };

	(void)state;
	assert_int_equal(explain_path(policy, "/home/u/.ssh/x", RF_ACCESS_READ, NULL,
				      &explanation), 0);
	assert_int_equal(explanation.verdict, RF_VERDICT_ALLOW);
	assert_int_equal(explanation.reason, RF_REASON_NONE);
	assert_int_equal(explanation.source, 3);
	assert_rules(&explanation, expected, ELEMENTSOF(expected));
}

static void test_program_rule_has_its_own_reason(void **state)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = NULL;
	_cleanup_(policy_freep) struct policy *rules = policy_new();
	_cleanup_explanation_ struct explanation explanation = { 0 };

	(void)state;
	assert_non_null(rules);
	assert_int_equal(policy_add_files(rules, "/", "rwx", "", RF_VERDICT_DENY), 0);
	assert_int_equal(policy_add_program(rules, "/bin/su", RF_VERDICT_DENY), 0);
	policy = compile(rules);
	assert_int_equal(explain_path(policy, "/bin/su", RF_ACCESS_EXECUTE, NULL, &explanation), 0);
	assert_int_equal(explanation.verdict, RF_VERDICT_DENY);
	assert_int_equal(explanation.reason, RF_REASON_PROGRAM);
	assert_int_equal(explanation.access, RF_ACCESS_EXECUTE);
}

static void test_unlisted(void **state)
{
	_cleanup_(policy_freep) struct policy *rules = policy_new();
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = NULL;
	_cleanup_explanation_ struct explanation explanation = { 0 };

	(void)state;
	assert_non_null(rules);
	rules->unlisted = RF_VERDICT_ASK;
	policy = compile(rules);
	assert_int_equal(explain_path(policy, "/x", RF_ACCESS_READ, NULL, &explanation), 0);
	assert_int_equal(explanation.verdict, RF_VERDICT_ASK);
	assert_int_equal(explanation.reason, RF_REASON_UNLISTED);
	assert_int_equal(explanation.source, RF_NO_SOURCE);
	assert_int_equal(explanation.n_rules, 0);
}

static void test_malformed_paths(void **state)
{
	static const char *const paths[] = {
		"", "a", "//", "/a//b", "/a/", "/.", "/a/..", "/a/../b",
	};
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = make_policy();
	struct explanation explanation = { 0 };
	char path[RF_MAX_NAME + 3];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(paths); i++)
		assert_int_equal(explain_path(policy, paths[i], 0, NULL, &explanation), -EINVAL);
	memset(path, 'n', sizeof(path));
	path[0] = '/';
	path[RF_MAX_NAME + 2] = '\0';
	assert_int_equal(explain_path(policy, path, 0, NULL, &explanation), -ENAMETOOLONG);
	path[RF_MAX_NAME + 1] = '\0';
	assert_int_equal(explain_path(policy, path, 0, NULL, &explanation), 0);
	explanation_done(&explanation);
	/* Names that only look like "." and "..". */
	assert_int_equal(explain_path(policy, "/.a/..b/...", 0, NULL, &explanation), 0);
	explanation_done(&explanation);
}

static void test_too_deep_is_unresolved(void **state)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = NULL;
	_cleanup_(policy_freep) struct policy *rules = policy_new();
	struct explanation explanation = { 0 };
	char path[2 * (RF_MAX_DEPTH + 1) + 1];

	(void)state;
	assert_non_null(rules);
	assert_int_equal(policy_add_files(rules, "/", "r", "", RF_VERDICT_DENY), 0);
	policy = compile(rules);
	for (size_t i = 0; i < sizeof(path) - 1; i += 2)
		memcpy(path + i, "/d", 3);
	assert_int_equal(explain_path(policy, path, RF_ACCESS_READ, NULL, &explanation), 0);
	assert_int_equal(explanation.verdict, RF_VERDICT_DENY);
	assert_int_equal(explanation.reason, RF_REASON_UNRESOLVED);
	explanation_done(&explanation);
	path[2 * (RF_MAX_DEPTH - 1)] = '\0'; /* The root takes a level too. */
	assert_int_equal(explain_path(policy, path, RF_ACCESS_READ, NULL, &explanation), 0);
	assert_int_equal(explanation.verdict, RF_VERDICT_ALLOW);
	explanation_done(&explanation);
}

/* /srv/d, moved to /home/u/moved. */
static struct rf_target find_moved(void *context, const char *path)
{
	const struct compiled_policy *policy = context;
	struct rf_target none = { 0 };

	if (strcmp(path, "/home/u/moved") != 0)
		return none;
	for (size_t i = 0; i < policy->n_anchors; i++)
		if (strcmp(policy->anchors[i].path, "/srv/d") == 0)
			return policy->anchors[i].target;
	fail_msg("/srv/d is no anchor");
	return none;
}

static void test_moved_directory_keeps_its_rules(void **state)
{
	static const struct explain_rule expected[] = { { 5, 4 }, { 1, 2 }, { 0, 0 } };
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = make_policy();
	const struct explain_identities identities = { find_moved, policy };
	struct explanation explanation = { 0 };

	(void)state;
	assert_int_equal(explain_path(policy, "/home/u/moved/f", RF_ACCESS_READ, &identities,
				      &explanation), 0);
	assert_int_equal(explanation.source, 5);
	assert_rules(&explanation, expected, ELEMENTSOF(expected));
	explanation_done(&explanation);
	/* Names below where it is now hold as well. */
	assert_int_equal(explain_path(policy, "/home/u/moved/.ssh", RF_ACCESS_READ, &identities,
				      &explanation), 0);
	assert_int_equal(explanation.source, 2);
	explanation_done(&explanation);
}

/* Tables that lack what they claim must refuse, not forget a rule. */
static void test_damaged_tables_are_unresolved(void **state)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = make_policy();
	struct explanation explanation = { 0 };
	size_t n_kept = 0, n_edges = policy->n_edges;

	(void)state;
	for (size_t i = 0; i < n_edges; i++)
		if (policy->edges[i].key.symbol != RF_SYMBOL_ANY)
			policy->edges[n_kept++] = policy->edges[i];
	assert_true(n_kept < n_edges);
	policy->n_edges = n_kept;
	assert_int_equal(explain_path(policy, "/x/y", RF_ACCESS_READ, NULL, &explanation), 0);
	assert_int_equal(explanation.reason, RF_REASON_UNRESOLVED);
	assert_int_equal(explanation.verdict, RF_VERDICT_DENY);
	explanation_done(&explanation);
}

/* @address is of IPv4 or IPv6. */
static struct explanation explain_inet(const struct compiled_policy *policy, const char *address,
				       uint16_t port)
{
	struct sockaddr_in inet = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 inet6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct explanation explanation = { 0 };

	if (inet_pton(AF_INET, address, &inet.sin_addr) == 1) {
		assert_int_equal(explain_connect(policy, &inet, sizeof(inet), &explanation), 0);
	} else {
		assert_int_equal(inet_pton(AF_INET6, address, &inet6.sin6_addr), 1);
		assert_int_equal(explain_connect(policy, &inet6, sizeof(inet6), &explanation), 0);
	}
	return explanation;
}

static void test_connect(void **state)
{
	static const struct explain_rule expected[] = { { 9, 0 }, { 7, 0 } };
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = make_policy();
	struct explanation explanation = explain_inet(policy, "127.1.2.3", 80);

	(void)state;
	assert_int_equal(explanation.verdict, RF_VERDICT_DENY);
	assert_int_equal(explanation.reason, RF_REASON_ADDRESS);
	assert_int_equal(explanation.source, 9);
	assert_rules(&explanation, expected, ELEMENTSOF(expected));
	explanation_done(&explanation);
	/* The rule for ::/64 is not about IPv4, although it contains the mapped addresses. */
	explanation = explain_inet(policy, "192.0.2.1", 80);
	assert_int_equal(explanation.reason, RF_REASON_UNLISTED_ADDRESS);
	assert_int_equal(explanation.source, RF_NO_SOURCE);
	explanation_done(&explanation);
}

/* The unspecified address reaches this host, in whichever form; its neighbours do not. */
static void test_unspecified_is_loopback(void **state)
{
	static const struct {
		const char *address;
		uint32_t source;
	} cases[] = {
		{ "0.0.0.0", 0 },
		{ "::ffff:0.0.0.0", 0 },
		{ "::", 1 },
		{ "::1", 1 },
		{ "0.0.0.1", RF_NO_SOURCE },
		{ "::ffff:0.0.0.1", RF_NO_SOURCE },
		{ "::2", RF_NO_SOURCE },
		{ "::fffe:0:0", RF_NO_SOURCE },
	};
	_cleanup_(policy_freep) struct policy *rules = policy_new();
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = NULL;

	(void)state;
	assert_non_null(rules);
	assert_int_equal(policy_add_address(rules, "127.0.0.1/32", 0, 65535, RF_VERDICT_ALLOW), 0);
	assert_int_equal(policy_add_address(rules, "::1/128", 0, 65535, RF_VERDICT_ALLOW), 0);
	policy = compile(rules);
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		struct explanation explanation = explain_inet(policy, cases[i].address, 80);

		assert_int_equal(explanation.source, cases[i].source);
		explanation_done(&explanation);
	}
}

static void test_malformed_addresses(void **state)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = make_policy();
	struct sockaddr_in inet = { .sin_family = AF_INET };
	struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "/run/x" };
	struct explanation explanation = { 0 };

	(void)state;
	assert_int_equal(explain_connect(policy, &inet, 7, &explanation), 0);
	assert_int_equal(explanation.reason, RF_REASON_MALFORMED);
	assert_int_equal(explain_connect(policy, &local, sizeof(local), &explanation), 0);
	assert_int_equal(explanation.reason, RF_REASON_FAMILY);
	assert_int_equal(explain_connect(policy, &local, 0, &explanation), 0);
	assert_int_equal(explanation.reason, RF_REASON_FAMILY);
	assert_int_equal(explanation.verdict, RF_VERDICT_DENY);
}

static int explain_once(void *context)
{
	_cleanup_explanation_ struct explanation explanation = { 0 };
	struct sockaddr_in inet = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f010203) };
	int r = explain_path(context, "/home/u/.ssh/x", RF_ACCESS_READ, NULL, &explanation);

	explanation_done(&explanation);
	return r < 0 ? r : explain_connect(context, &inet, sizeof(inet), &explanation);
}

static void test_out_of_memory(void **state)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = make_policy();

	(void)state;
	assert_true(fail_alloc_each(explain_once, policy) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_come_by_precedence),
		cmocka_unit_test(test_program_rule_has_its_own_reason),
		cmocka_unit_test(test_unlisted),
		cmocka_unit_test(test_malformed_paths),
		cmocka_unit_test(test_too_deep_is_unresolved),
		cmocka_unit_test(test_moved_directory_keeps_its_rules),
		cmocka_unit_test(test_damaged_tables_are_unresolved),
		cmocka_unit_test(test_connect),
		cmocka_unit_test(test_unspecified_is_loopback),
		cmocka_unit_test(test_malformed_addresses),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
