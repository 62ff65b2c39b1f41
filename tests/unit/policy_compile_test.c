/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* struct policy to struct compiled_policy: golden texts, sizes, limits, what order changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/strbuf.h"
#include "compiler/policy_compile.h"
#include "lib/fail_alloc.h"
#include "lib/golden.h"
#include "lib/policy_build.h"
#include "lib/policy_text.h"

#define DENY RF_VERDICT_DENY
#define HIDE RF_VERDICT_HIDE
#define ALLOW RF_VERDICT_ALLOW

/* Compiles what must compile. */
static struct compiled_policy *compile(const struct policy *policy)
{
	struct compiled_policy *compiled = NULL;
	struct diag diag = { 0 };

	assert_int_equal(policy_compile(policy, &diag, &compiled), 0);
	assert_int_equal(diag.n_messages, 0);
	return compiled;
}

/* Compiles what must not, and checks that the one message has @text in it. */
static void assert_compile_error(const struct policy *policy, uint32_t line, const char *text)
{
	struct compiled_policy *compiled = NULL;
	struct diag diag = { 0 };

	assert_int_equal(policy_compile(policy, &diag, &compiled), -EINVAL);
	assert_null(compiled);
	assert_int_equal(diag.n_messages, 1);
	assert_int_equal(diag.messages[0].line, line);
	if (!strstr(diag.messages[0].text, text))
		fail_msg("\"%s\" does not say \"%s\"", diag.messages[0].text, text);
	diag_done(&diag);
}

static const struct golden_case {
	const char *name;
	const char *text;
} golden_cases[] = {
	{ "empty", "{ \"name\": \"empty\" }" },
	{ "exact_paths", "{ \"name\": \"exact\", \"unlisted\": \"deny\", \"files\": {\n"
			 "\"/\": \"r\",\n"
			 "\"/usr\": \"rx\",\n"
			 "\"/home/u\": \"hide\",\n"
			 "\"/home/u/work\": { \"allow\": \"rw\", \"ask\": \"x\" }\n"
			 "} }" },
	{ "name_rules", "{ \"name\": \"names\", \"mode\": \"audit\", \"files\": {\n"
			"\"/srv\": \"rwx\",\n"
			"\"**/.env\": \"deny\",\n"
			"\"**/.git/hooks\": \"r\",\n"
			"\"/srv/**/tmp\": \"rw\"\n"
			"} }" },
	{ "patterns", "{ \"name\": \"patterns\", \"files\": {\n"
		      "\"/k/*.pem\": \"deny\",\n"
		      "\"/k/id_*\": \"hide\",\n"
		      "\"/k/id_rsa.pem\": \"r\",\n"
		      "\"/k/*/x\": \"rw\",\n"
		      "\"/k/0123456789012345678901234567890\": \"r\",\n"
		      "\"/k/01234567890123456789012345678901\": \"r\"\n"
		      "} }" },
	{ "two_layers", "{ \"name\": \"layers\", \"files\": {\n"
			"\"/usr\": \"rx\"\n"
			"}, \"programs\": {\n"
			"\"/usr/bin/sudo\": \"deny\",\n"
			"\"/usr/bin/su*\": \"deny\",\n"
			"\"/usr/bin/sum\": \"allow\"\n"
			"} }" },
	{ "egress", "{ \"name\": \"egress\", \"egress\": {\n"
		    "\"10.0.0.0/8\": \"allow\",\n"
		    "\"10.1.0.0/16:22,80-90\": \"deny\",\n"
		    "\"10.1.2.3:443\": \"ask\",\n"
		    "\"::/8\": \"allow\",\n"
		    "\"[2001:db8::/32]:443\": \"allow\",\n"
		    "\"localhost:3000-3999\": \"allow\",\n"
		    "\"*\": \"deny\",\n"
		    "\"api.example\": \"allow\"\n"
		    "} }" },
};

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(golden_cases); i++) {
		_cleanup_(policy_freep) struct policy *policy = NULL;
		_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = NULL;
		_cleanup_strbuf_ struct strbuf text = { 0 };
		_cleanup_free_ char *messages = policy_text_parse(golden_cases[i].text, &policy);

		if (!policy)
			fail_msg("%s: %s", golden_cases[i].name, messages);
		compiled = compile(policy);
		compiled_policy_print(compiled, &text);
		assert_int_equal(strbuf_error(&text), 0);
		assert_golden(golden_cases[i].name, strbuf_string(&text));
	}
}

/* The same automaton whatever the order of rules, but for their numbers. */
static void test_order_changes_numbers_of_rules_alone(void **state)
{
	static const char *const patterns[] = {
		"/a/b", "/a/*", "/**/x*", "/**/*y", "/c/**/d", "/a/x*/e", "/**/xay/f", "/",
	};
	struct compiled_policy *compiled[2];

	(void)state;
	for (size_t turn = 0; turn < 2; turn++) {
		_cleanup_(policy_freep) struct policy *policy = policy_new();

		assert_non_null(policy);
		for (size_t i = 0; i < ELEMENTSOF(patterns); i++)
			assert_int_equal(policy_add_files(
				policy, patterns[turn ? ELEMENTSOF(patterns) - 1 - i : i], "r", "",
				DENY), 0);
		compiled[turn] = compile(policy);
	}
	assert_int_equal(compiled[0]->n_short_names, compiled[1]->n_short_names);
	assert_memory_equal(compiled[0]->short_names, compiled[1]->short_names,
			    compiled[0]->n_short_names * sizeof(*compiled[0]->short_names));
	assert_int_equal(compiled[0]->n_classes, compiled[1]->n_classes);
	assert_memory_equal(compiled[0]->classes, compiled[1]->classes,
			    compiled[0]->n_classes * sizeof(*compiled[0]->classes));
	assert_int_equal(compiled[0]->n_edges, compiled[1]->n_edges);
	assert_memory_equal(compiled[0]->edges, compiled[1]->edges,
			    compiled[0]->n_edges * sizeof(*compiled[0]->edges));
	compiled_policy_free(compiled[0]);
	compiled_policy_free(compiled[1]);
}

static void add_numbered(struct policy *policy, const char *format, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		char pattern[256];

		(void)snprintf(pattern, sizeof(pattern), format, i, i);
		assert_int_equal(policy_add_files(policy, pattern, "r", "", DENY), 0);
	}
}

/* Rules by the thousand must cost a few edges each, or a policy would not fit into the kernel. */
static void test_size_is_linear(void **state)
{
	static const struct {
		const char *format;
		size_t max_edges_per_rule;
	} cases[] = {
		{ "/**/name%u", 2 },   { "/**/name%u/file", 4 }, { "/home/u/d%u/file", 4 },
		{ "/**/*.suffix%u", 2 }, { "/**/prefix%05u*", 2 }, { "/srv/*/name%u", 2 },
	};
	const unsigned int n = 10000;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_(policy_freep) struct policy *policy = policy_new();
		_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = NULL;
		clock_t start;

		assert_non_null(policy);
		add_numbered(policy, cases[i].format, n);
		/* Rules for names apply everywhere, and must not be repeated everywhere. */
		add_numbered(policy, "/**/every%u", 100);
		start = clock();
		compiled = compile(policy);
		assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
		if (compiled->n_edges > cases[i].max_edges_per_rule * n)
			fail_msg("%s: %zu edges", cases[i].format, compiled->n_edges);
	}
}

static void test_too_many_states(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	assert_int_equal(policy_add_files(policy, "/plain", "r", "", DENY), 0);
	/* Where among the last twenty components an "a" was must be remembered. */
	assert_int_equal(policy_add_files(policy,
					  "/**/a/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/b",
					  "r", "", DENY), 0);
	assert_compile_error(policy, 2, "more than 262144 states");
}

static void test_too_many_edges(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	add_numbered(policy, "/**/every%u", 1200);
	add_numbered(policy, "/d%u/**/name%u", 1200);
	assert_compile_error(policy, 1, "more than 1048576 edges");
}

static void test_too_many_rules(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	add_numbered(policy, "/d/%u", RF_MAX_RULES);
	assert_int_equal(policy_add_address(policy, "192.0.2.1/32", 1, 2, ALLOW), 0);
	assert_compile_error(policy, 1, "this one is the first of more than 65536");
}

static void test_too_many_shapes(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	for (int i = 0; i <= RF_MAX_SHAPES; i++) {
		char pattern[64];

		(void)snprintf(pattern, sizeof(pattern), "/%0*d*", i + 1, 0);
		assert_int_equal(policy_add_files(policy, pattern, "r", "", DENY), 0);
	}
	assert_compile_error(policy, RF_MAX_SHAPES + 1, "17 bytes before and 0 after its star");
}

static void test_too_many_classes(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	add_numbered(policy, "/*%03u", 65);
	add_numbered(policy, "/%03u*", 65);
	/* Of each pattern in front 65 with one behind: the 4097th is of the second one in front. */
	assert_compile_error(policy, 65 + 2, "in more than 4096 combinations");
}

static void test_too_many_port_ranges(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	for (uint16_t i = 0; i < RF_MAX_PORT_RANGES; i++)
		assert_int_equal(policy_add_address(policy, "10.0.0.0/8", i, i, ALLOW), 0);
	compiled_policy_free(compile(policy));
	/* The narrower prefix has those of the wider one too. */
	assert_int_equal(policy_add_address(policy, "10.1.0.0/16", 50, 50, ALLOW), 0);
	assert_compile_error(policy, RF_MAX_PORT_RANGES + 1, "addresses of \"10.1.0.0/16\"");
}

/* They would only fill the limited table. */
static void test_ranges_that_cannot_decide_are_left_out(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();
	_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = NULL;

	(void)state;
	assert_non_null(policy);
	assert_int_equal(policy_add_address(policy, "10.0.0.0/8", 1, 3, ALLOW), 0);
	assert_int_equal(policy_add_address(policy, "10.1.0.0/16", 3, 3, DENY), 0);
	assert_int_equal(policy_add_address(policy, "10.1.0.0/16", 1, 2, DENY), 0);
	assert_int_equal(policy_add_address(policy, "10.1.0.0/16", 1, 2, ALLOW), 0);
	compiled = compile(policy);
	assert_int_equal(compiled->n_prefixes, 2);
	assert_int_equal(compiled->prefixes[1].value.n_ranges, 2);
	assert_int_equal(compiled->prefixes[1].value.ranges[0].source, 1);
	assert_int_equal(compiled->prefixes[1].value.ranges[1].source, 2);
}

static void test_too_many_prefixes(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	for (unsigned int i = 0; i <= RF_MAX_PREFIXES; i++) {
		char prefix[64];

		(void)snprintf(prefix, sizeof(prefix), "10.0.%u.%u/32", i / 256, i % 256);
		assert_int_equal(policy_add_address(policy, prefix, 0, 65535, ALLOW), 0);
	}
	assert_compile_error(policy, RF_MAX_PREFIXES + 1, "the first of more than 16384");
}

static void test_bad_pattern_is_refused(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	assert_int_equal(policy_add_files(policy, "/a*b*c", "r", "", DENY), 0);
	assert_compile_error(policy, 1, "is not a path pattern");
}

/* A grant must not become a rule for every program. */
static void test_grant_is_refused(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	assert_int_equal(policy_add_files(policy, "/key", "r", "", HIDE), 0);
	policy->files_rules[0].for_ns = 1;
	assert_compile_error(policy, 1, "is a grant");
}

static int compile_once(void *context)
{
	struct compiled_policy *compiled = NULL;
	struct diag diag = { 0 };
	int r = policy_compile(context, &diag, &compiled);

	compiled_policy_free(compiled);
	diag_done(&diag);
	return r;
}

static void test_out_of_memory(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();

	(void)state;
	assert_non_null(policy);
	add_numbered(policy, "/**/a%u*/b", 5);
	add_numbered(policy, "/c/*%u", 5);
	add_numbered(policy, "/c/d%032u", 5);
	assert_int_equal(policy_add_program(policy, "/c/d", RF_VERDICT_ASK), 0);
	assert_int_equal(policy_add_address(policy, "2001:db8::/32", 1, 9, ALLOW), 0);
	assert_int_equal(policy_add_address(policy, "::/0", 1, 9, ALLOW), 0);
	assert_true(fail_alloc_each(compile_once, policy) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_order_changes_numbers_of_rules_alone),
		cmocka_unit_test(test_size_is_linear),
		cmocka_unit_test(test_too_many_states),
		cmocka_unit_test(test_too_many_edges),
		cmocka_unit_test(test_too_many_rules),
		cmocka_unit_test(test_too_many_shapes),
		cmocka_unit_test(test_too_many_classes),
		cmocka_unit_test(test_too_many_port_ranges),
		cmocka_unit_test(test_ranges_that_cannot_decide_are_left_out),
		cmocka_unit_test(test_too_many_prefixes),
		cmocka_unit_test(test_bad_pattern_is_refused),
		cmocka_unit_test(test_grant_is_refused),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
