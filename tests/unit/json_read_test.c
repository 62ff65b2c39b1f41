/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Strict JSON: what it reads, where it says things are, what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "compiler/json_read.h"
#include "lib/fail_alloc.h"

static struct json_value *read_good(const char *text)
{
	_cleanup_(diag_done) struct diag diag = { 0 };
	struct json_value *value = NULL;

	assert_int_equal(json_read("f", text, strlen(text), &diag, &value), 0);
	assert_int_equal(diag.n_messages, 0);
	return value;
}

/* The text must give exactly these messages. */
static void assert_refused(const char *text, size_t size, const char *expected)
{
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_(json_value_freep) struct json_value *value = NULL;
	_cleanup_strbuf_ struct strbuf out = { 0 };
	int r;

	r = json_read("f", text, size, &diag, &value);
	assert_true(r == 0 || r == -EINVAL);
	assert_true(diag_has_errors(&diag));
	diag_format(&diag, &out);
	assert_string_equal(strbuf_string(&out), expected);
}

static void assert_position(struct position position, uint32_t line, uint32_t column)
{
	assert_string_equal(position.file, "f");
	assert_int_equal(position.line, line);
	assert_int_equal(position.column, column);
}

static void keys_and_values_have_positions(void **state)
{
	_cleanup_(json_value_freep) struct json_value *value =
		read_good("// head\n\t{ \"a\": [1, /* two\nlines */ true],\n  \"b\"\n : null }\n");
	const struct json_value *list = json_member(value, "a"), *b = json_member(value, "b");

	(void)state;
	assert_position(value->position, 2, 2);
	assert_position(list->key_position, 2, 4);
	assert_position(list->position, 2, 9);
	assert_position(list->items[0].position, 2, 10);
	assert_position(list->items[1].position, 3, 10);
	assert_position(b->key_position, 4, 3);
	assert_position(b->position, 5, 4);
	assert_null(json_member(value, "A"));
}

static void values_have_their_types(void **state)
{
	_cleanup_(json_value_freep) struct json_value *value =
		read_good("[0,-0,9223372036854775807,-9223372036854775808,true,false,null,\"\",{},[]]");
	static const enum json_type types[] = {
		JSON_INTEGER, JSON_INTEGER, JSON_INTEGER, JSON_INTEGER, JSON_BOOLEAN,
		JSON_BOOLEAN, JSON_NULL,    JSON_STRING,  JSON_OBJECT,	JSON_ARRAY,
	};

	(void)state;
	assert_int_equal(value->n_items, ELEMENTSOF(types));
	for (size_t i = 0; i < ELEMENTSOF(types); i++)
		assert_int_equal(value->items[i].type, types[i]);
	assert_true(value->items[2].integer == INT64_MAX);
	assert_true(value->items[3].integer == INT64_MIN);
	assert_int_equal(value->items[4].integer, 1);
	assert_int_equal(value->items[5].integer, 0);
	assert_string_equal(value->items[7].string, "");
}

static void strings_are_decoded(void **state)
{
	_cleanup_(json_value_freep) struct json_value *value =
		read_good("\"\\\"\\\\\\/\\b\\f\\n\\r\\t \\u0041\\u00e9\\u20aC\\ud83d\\ude00 "
			  "\xc3\xa9 // /* no comment */ \x7f\"");

	(void)state;
	assert_string_equal(value->string, "\"\\/\b\f\n\r\t A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 "
					   "\xc3\xa9 // /* no comment */ \x7f");
}

static void errors_of_syntax_say_what_and_where(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{ "", "f:1:1: error: expected a value, found the end of the file\n" },
		{ "  // only", "f:1:10: error: expected a value, found the end of the file\n" },
		{ "\xef\xbb\xbf{}", "f:1:1: error: expected a value, found '\\xef\\xbb\\xbf'\n" },
		{ "{} x", "f:1:4: error: expected nothing more after the value, found 'x'\n" },
		{ "{\n \"a\" 1}", "f:2:6: error: expected ':' after the key, found '1'\n" },
		{ "{a: 1}", "f:1:2: error: expected a key in double quotes, found 'a'\n" },
		{ "{'a': 1}", "f:1:2: error: expected a key in double quotes, found '''\n" },
		{ "{\"a\": 1 \"b\"", "f:1:9: error: expected ',' or '}', found '\"'\n" },
		{ "{\"a\": 1,\n}", "f:1:8: error: no comma after the last one; remove it\n" },
		{ "[1,]", "f:1:3: error: no comma after the last one; remove it\n" },
		{ "[1", "f:1:3: error: expected ',' or ']', found the end of the file\n" },
		{ "[,1]", "f:1:2: error: expected a value, found ','\n" },
		{ "[1}", "f:1:3: error: expected ',' or ']', found '}'\n" },
		{ "{", "f:1:2: error: expected a key in double quotes, found the end of the file\n" },
		{ "tru", "f:1:1: error: expected a value, found 't'\n" },
		{ "truex", "f:1:5: error: expected nothing more after the value, found 'x'\n" },
		{ "NaN", "f:1:1: error: expected a value, found 'N'\n" },
		{ "+1", "f:1:1: error: expected a value, found '+'\n" },
		{ "-", "f:1:2: error: expected a digit, found the end of the file\n" },
		{ "-x", "f:1:2: error: expected a digit, found 'x'\n" },
		{ "012", "f:1:1: error: a number does not start with 0\n" },
		{ "1/2", "f:1:2: error: expected nothing more after the value, found '/'\n" },
		{ "/* x\n", "f:1:1: error: this comment has no end; close it with \"*/\"\n" },
		{ "/*/", "f:1:1: error: this comment has no end; close it with \"*/\"\n" },
		{ "[\"abc", "f:1:2: error: this string has no end; close it with '\"'\n" },
		{ "\"a\nb\"", "f:1:3: error: a control character in a string; close the string or "
			       "write it as \\\\u000a\n" },
		{ "\"\\x\"", "f:1:3: error: expected one of \"\\\\/bfnrtu after a backslash, found "
			      "'x'\n" },
		{ "\"\\", "f:1:3: error: expected one of \"\\\\/bfnrtu after a backslash, found the "
			   "end of the file\n" },
		{ "\"\\u12g4\"", "f:1:6: error: expected four hexadecimal digits after \"\\\\u\", "
				 "found 'g'\n" },
		{ "\"\\u0000\"", "f:1:2: error: a zero byte is not allowed in a string\n" },
		{ "\"\\ud800\"", "f:1:2: error: half of a surrogate pair is not a character\n" },
		{ "\"\\ud800\\u0041\"",
		  "f:1:2: error: half of a surrogate pair is not a character\n" },
		{ "\"\\udc00\"", "f:1:2: error: half of a surrogate pair is not a character\n" },
		{ "// \xff\n{}", "f:1:4: error: byte 0xff is not UTF-8 here\n" },
		{ "{}\n\"\xc0\xaf\"", "f:2:2: error: byte 0xc0 is not UTF-8 here\n" },
		{ "\"\xed\xa0\x80\"", "f:1:2: error: byte 0xed is not UTF-8 here\n" },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++)
		assert_refused(cases[i].text, strlen(cases[i].text), cases[i].expected);
	assert_refused("{}\0", 3, "f:1:3: error: a zero byte\n");
	assert_refused("/*\0*/{}", 7, "f:1:3: error: a zero byte\n");
}

static void errors_of_meaning_do_not_end_it(void **state)
{
	static const char text[] = "{\"a\": 1.5, \"b\": 1e3, \"a\": 9223372036854775808,\n"
				   " \"\\u0061\": -9223372036854775809, \"c\": {\"x\": 1, \"x\": 2}}";

	(void)state;
	assert_refused(text, sizeof(text) - 1,
		       "f:1:7: error: only whole numbers, in digits alone\n"
		       "f:1:17: error: only whole numbers, in digits alone\n"
		       "f:1:27: error: a number of more than 64 bits\n"
		       "f:2:12: error: a number of more than 64 bits\n"
		       "f:2:48: error: the key \"x\" is already on line 2\n"
		       "f:1:22: error: the key \"a\" is already on line 1\n"
		       "f:2:2: error: the key \"a\" is already on line 1\n");
}

static void repeat(struct strbuf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_append_string(out, text);
}

static void nesting_has_a_limit(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	(void)state;
	repeat(&text, "[", RF_MAX_JSON_DEPTH);
	repeat(&text, "]", RF_MAX_JSON_DEPTH);
	json_value_free(read_good(strbuf_string(&text)));
	strbuf_reset(&text);
	repeat(&text, "[", 1000000);
	assert_refused(text.bytes, text.size, "f:1:17: error: nested deeper than 16 levels\n");
}

static void size_and_number_of_values_have_limits(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	(void)state;
	strbuf_append_byte(&text, '[');
	repeat(&text, "0,", JSON_MAX_VALUES - 2);
	strbuf_append_string(&text, "0]");
	json_value_free(read_good(strbuf_string(&text)));
	text.bytes[text.size - 1] = ',';
	strbuf_append_string(&text, "0]");
	assert_refused(text.bytes, text.size,
		       "f:1:1048576: error: more than 524288 values in one file\n");

	strbuf_reset(&text);
	repeat(&text, "                ", RF_MAX_POLICY_BYTES / 16 - 1);
	strbuf_append_string(&text, "              {}");
	json_value_free(read_good(strbuf_string(&text)));
	strbuf_append_byte(&text, ' ');
	assert_refused(text.bytes, text.size, "f:1:1: error: longer than 16777216 bytes\n");
}

static void nothing_outside_the_text_is_read(void **state)
{
	static const char text[] = "{\"a\": [1, -2, true, \"\\u00e9\\ud83d\\ude00\", {}]} // \xc3\xa9";

	(void)state;
	/* Every beginning of the text in memory of just its size, for the sanitizer to watch. */
	for (size_t size = 0; size < sizeof(text); size++) {
		_cleanup_(diag_done) struct diag diag = { 0 };
		_cleanup_(json_value_freep) struct json_value *value = NULL;
		_cleanup_free_ char *copy = malloc(size ? size : 1);

		memcpy(copy, text, size);
		(void)json_read("f", copy, size, &diag, &value);
	}
}

static int read_once(void *context)
{
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_(json_value_freep) struct json_value *value = NULL;
	int r;

	r = json_read("f", context, strlen(context), &diag, &value);
	if (r == 0 && diag.is_out_of_memory)
		return -ENOMEM;
	return r;
}

static void every_failed_allocation_is_reported(void **state)
{
	(void)state;
	assert_true(fail_alloc_each(read_once, "{\"a\": [1, \"x\", {\"b\": 1, \"b\": 2}], \"c\": \"\"}") > 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_and_values_have_positions),
		cmocka_unit_test(values_have_their_types),
		cmocka_unit_test(strings_are_decoded),
		cmocka_unit_test(errors_of_syntax_say_what_and_where),
		cmocka_unit_test(errors_of_meaning_do_not_end_it),
		cmocka_unit_test(nesting_has_a_limit),
		cmocka_unit_test(size_and_number_of_values_have_limits),
		cmocka_unit_test(nothing_outside_the_text_is_read),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
