/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Messages: form, escapes, limits; suggestions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "compiler/diag.h"

static void messages_look_like_a_compilers(void **state)
{
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	(void)state;
	diag_warning(&diag, &(struct position){ "a.json", 3, 7 }, "odd %s", "thing");
	assert_false(diag_has_errors(&diag));
	diag_error(&diag, &(struct position){ .file = "b.json" }, "missing");
	assert_true(diag_has_errors(&diag));
	diag_format(&diag, &out);
	assert_string_equal(strbuf_string(&out), "a.json:3:7: warning: odd thing\n"
						 "b.json: error: missing\n");
}

static void hostile_bytes_never_reach_a_terminal(void **state)
{
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	(void)state;
	diag_error(&diag, &(struct position){ "a\n.json", 1, 1 }, "\"\x1b[2J\xff\"");
	diag_format(&diag, &out);
	assert_string_equal(strbuf_string(&out), "a\\x0a.json:1:1: error: \"\\x1b[2J\\xff\"\n");
}

static void messages_beyond_the_limit_are_counted(void **state)
{
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	(void)state;
	for (int i = 0; i < 1234; i++)
		diag_error(&diag, &(struct position){ "a", 1, 1 }, "%d", i);
	assert_int_equal(diag.n_errors, 1234);
	assert_int_equal(diag.n_messages, 1000);
	diag_format(&diag, &out);
	assert_non_null(strstr(strbuf_string(&out), "a:1:1: error: 999\n234 more messages are not shown"));
}

static void suggestions_are_two_mistakes_away_at_most(void **state)
{
	static const char *const words[] = { "allow", "deny", "hide", "environment" };
	static const struct {
		const char *word;
		const char *expected;
	} cases[] = {
		{ "allow", "allow" },  { "alow", "allow" },  { "allwo", "allow" },
		{ "dney", "deny" },    { "hidee", "hide" },  { "envirmnet", NULL },
		{ "enviroment", "environment" },	     { "al", NULL },
		{ "bony", NULL },       { "", NULL },	     { "i", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		const char *nearest = suggest_nearest(cases[i].word, words, ELEMENTSOF(words));

		if (cases[i].expected)
			assert_string_equal(nearest, cases[i].expected);
		else
			assert_null(nearest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_look_like_a_compilers),
		cmocka_unit_test(hostile_bytes_never_reach_a_terminal),
		cmocka_unit_test(messages_beyond_the_limit_are_counted),
		cmocka_unit_test(suggestions_are_two_mistakes_away_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
