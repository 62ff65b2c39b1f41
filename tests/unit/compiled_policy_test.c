/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A compiled policy: its life and its text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/strbuf.h"
#include "compiler/compiled_policy.h"
#include "compiler/policy_compile.h"
#include "lib/policy_build.h"

static void test_free_of_nothing(void **state)
{
	(void)state;
	assert_null(compiled_policy_free(NULL));
	assert_null(compiled_policy_free(calloc(1, sizeof(struct compiled_policy))));
}

static struct compiled_policy *compile(const char *pattern)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();
	struct compiled_policy *compiled = NULL;
	struct diag diag = { 0 };

	assert_non_null(policy);
	assert_int_equal(policy_add_files(policy, pattern, "r", "w", RF_VERDICT_HIDE), 0);
	assert_int_equal(policy_compile(policy, &diag, &compiled), 0);
	diag_done(&diag);
	return compiled;
}

/* A text of one line a record must not be broken by what a path holds. */
static void test_text_is_quoted(void **state)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy =
		compile("/a\n\"b\\\x1b[m\xff");
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *name = "\"a\\x0a\\x22b\\x5c\\x1b[m\\xff\"";

	(void)state;
	compiled_policy_print(policy, &text);
	assert_int_equal(strbuf_error(&text), 0);
	assert_non_null(strstr(strbuf_string(&text), name));
	assert_null(strchr(strbuf_string(&text), '\x1b'));
}

static void test_text_is_stable(void **state)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *one = compile("/a/**/b*");
	_cleanup_(compiled_policy_freep) struct compiled_policy *other = compile("/a/**/b*");
	_cleanup_strbuf_ struct strbuf one_text = { 0 }, other_text = { 0 };

	(void)state;
	compiled_policy_print(one, &one_text);
	compiled_policy_print(other, &other_text);
	assert_string_equal(strbuf_string(&one_text), strbuf_string(&other_text));
	assert_non_null(strstr(strbuf_string(&one_text),
			       "files pattern allow r ask w hide x by 0 0 0\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_of_nothing),
		cmocka_unit_test(test_text_is_quoted),
		cmocka_unit_test(test_text_is_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
