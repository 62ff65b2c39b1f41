/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* JSON text: shape, escapes, wrong use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_write.h"
#include "base/strbuf.h"
#include "base/utf8.h"

static void values_and_nesting_get_their_commas(void **state)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct json_writer writer;

	(void)state;
	json_write_init(&writer, &out);
	json_write_object_begin(&writer, NULL);
	json_write_string(&writer, "a", "x");
	json_write_uint(&writer, "b", UINT64_MAX);
	json_write_array_begin(&writer, "c");
	json_write_int(&writer, NULL, INT64_MIN);
	json_write_object_begin(&writer, NULL);
	json_write_object_end(&writer);
	json_write_array_begin(&writer, NULL);
	json_write_array_end(&writer);
	json_write_bool(&writer, NULL, true);
	json_write_array_end(&writer);
	json_write_null(&writer, "d");
	json_write_bool(&writer, "e", false);
	json_write_object_end(&writer);
	assert_int_equal(json_write_finish(&writer), 0);
	assert_string_equal(strbuf_string(&out),
			    "{\"a\":\"x\",\"b\":18446744073709551615,"
			    "\"c\":[-9223372036854775808,{},[],true],\"d\":null,\"e\":false}");
}

/* The bytes as the value of "k" in an object, without the braces. */
static void assert_written(const char *bytes, size_t size, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct json_writer writer;

	json_write_init(&writer, &out);
	json_write_object_begin(&writer, NULL);
	json_write_bytes(&writer, "k", bytes, size);
	json_write_object_end(&writer);
	assert_int_equal(json_write_finish(&writer), 0);
	assert_int_equal(out.size, strlen(expected) + 2);
	assert_memory_equal(out.bytes + 1, expected, strlen(expected));
}

#define ASSERT_WRITTEN(bytes, expected) assert_written(bytes, sizeof(bytes) - 1, expected)

static void text_stays_as_it_is(void **state)
{
	(void)state;
	ASSERT_WRITTEN("", "\"k\":\"\"");
	ASSERT_WRITTEN("plain /path", "\"k\":\"plain /path\"");
	ASSERT_WRITTEN("gr\xc3\xbc\xc3\x9f \xe2\x80\xa6 \xf0\x9f\x94\x92",
		       "\"k\":\"gr\xc3\xbc\xc3\x9f \xe2\x80\xa6 \xf0\x9f\x94\x92\"");
	ASSERT_WRITTEN("\"\\", "\"k\":\"\\\"\\\\\"");
}

static void what_could_steer_a_terminal_is_escaped(void **state)
{
	(void)state;
	ASSERT_WRITTEN("a\0b", "\"k\":\"a\\u0000b\"");
	ASSERT_WRITTEN("\n\t\x1b[2J\x7f", "\"k\":\"\\u000a\\u0009\\u001b[2J\\u007f\"");
	ASSERT_WRITTEN("\xc2\x9b", "\"k\":\"\\u009b\"");
	ASSERT_WRITTEN("\xe2\x80\xa8\xe2\x80\xa9", "\"k\":\"\\u2028\\u2029\"");
	ASSERT_WRITTEN("\xe2\x80\xae", "\"k\":\"\\u202e\"");
	ASSERT_WRITTEN("\xf3\xa0\x80\xa0", "\"k\":\"\\udb40\\udc20\"");
}

static void bytes_that_are_no_text_come_in_hexadecimal_too(void **state)
{
	(void)state;
	ASSERT_WRITTEN("a\xff", "\"k\":\"a\\ufffd\",\"k_hex\":\"61ff\"");
	/* Overlong, a surrogate, beyond the last character, cut short, a lone continuation. */
	ASSERT_WRITTEN("\xc0\xaf", "\"k\":\"\\ufffd\\ufffd\",\"k_hex\":\"c0af\"");
	ASSERT_WRITTEN("\xe0\x80\xaf", "\"k\":\"\\ufffd\\ufffd\\ufffd\",\"k_hex\":\"e080af\"");
	ASSERT_WRITTEN("\xed\xa0\x80", "\"k\":\"\\ufffd\\ufffd\\ufffd\",\"k_hex\":\"eda080\"");
	ASSERT_WRITTEN("\xf4\x90\x80\x80",
		       "\"k\":\"\\ufffd\\ufffd\\ufffd\\ufffd\",\"k_hex\":\"f4908080\"");
	ASSERT_WRITTEN("\xe2\x80", "\"k\":\"\\ufffd\\ufffd\",\"k_hex\":\"e280\"");
	ASSERT_WRITTEN("\x80", "\"k\":\"\\ufffd\",\"k_hex\":\"80\"");
	/* The character itself is text. */
	ASSERT_WRITTEN("\xef\xbf\xbd", "\"k\":\"\xef\xbf\xbd\"");
}

/* Every sequence of three bytes: only printable text comes out, and it is UTF-8. */
static void no_bytes_break_out(void **state)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct json_writer writer;

	(void)state;
	for (uint32_t bytes = 0; bytes < 1 << 24; bytes += bytes < 1 << 16 ? 1 : 251) {
		strbuf_reset(&out);
		json_write_init(&writer, &out);
		json_write_object_begin(&writer, NULL);
		json_write_bytes(&writer, "k", &bytes, 3);
		json_write_object_end(&writer);
		assert_int_equal(json_write_finish(&writer), 0);
		assert_true(utf8_is_plain_text(out.bytes, out.size));
		assert_ptr_equal(strstr(out.bytes, "\"k\":\""), out.bytes + 1);
		assert_string_equal(out.bytes + out.size - 2, "\"}");
	}
}

static int finish_after(void (*write)(struct json_writer *))
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct json_writer writer;

	json_write_init(&writer, &out);
	write(&writer);
	return json_write_finish(&writer);
}

static void write_nothing(struct json_writer *writer)
{
	(void)writer;
}

static void write_twice(struct json_writer *writer)
{
	json_write_null(writer, NULL);
	json_write_null(writer, NULL);
}

static void write_open(struct json_writer *writer)
{
	json_write_array_begin(writer, NULL);
}

static void write_crossed(struct json_writer *writer)
{
	json_write_array_begin(writer, NULL);
	json_write_object_end(writer);
}

static void write_no_key(struct json_writer *writer)
{
	json_write_object_begin(writer, NULL);
	json_write_null(writer, NULL);
	json_write_object_end(writer);
}

static void write_stray_key(struct json_writer *writer)
{
	json_write_null(writer, "k");
}

static void write_too_deep(struct json_writer *writer)
{
	for (int i = 0; i <= JSON_WRITE_MAX_DEPTH; i++)
		json_write_array_begin(writer, NULL);
	for (int i = 0; i <= JSON_WRITE_MAX_DEPTH; i++)
		json_write_array_end(writer);
}

static void wrong_use_is_an_error(void **state)
{
	static void (*const wrong[])(struct json_writer *) = {
		write_nothing, write_twice,	write_open,    write_crossed,
		write_no_key,  write_stray_key, write_too_deep,
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(wrong); i++)
		assert_int_equal(finish_after(wrong[i]), -EINVAL);
}

static void write_too_much(struct json_writer *writer)
{
	static const char bytes[1024 * 1024];

	json_write_array_begin(writer, NULL);
	for (size_t size = 0; size <= JSON_WRITE_MAX_SIZE; size += sizeof(bytes))
		json_write_bytes(writer, NULL, bytes, sizeof(bytes));
	json_write_array_end(writer);
}

static void a_document_has_a_bound(void **state)
{
	(void)state;
	assert_int_equal(finish_after(write_too_much), -EFBIG);
}

static void what_a_person_reads_is_escaped_byte_by_byte(void **state)
{
	static const char bytes[] = "a\\\x1b\xc2\x9b\xff\xc3\xbc\xe2\x80\xae";
	_cleanup_strbuf_ struct strbuf out = { 0 };

	(void)state;
	utf8_append_escaped(&out, bytes, sizeof(bytes) - 1);
	assert_string_equal(strbuf_string(&out),
			    "a\\\\\\x1b\\xc2\\x9b\\xff\xc3\xbc\\xe2\\x80\\xae");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_and_nesting_get_their_commas),
		cmocka_unit_test(text_stays_as_it_is),
		cmocka_unit_test(what_could_steer_a_terminal_is_escaped),
		cmocka_unit_test(bytes_that_are_no_text_come_in_hexadecimal_too),
		cmocka_unit_test(no_bytes_break_out),
		cmocka_unit_test(wrong_use_is_an_error),
		cmocka_unit_test(a_document_has_a_bound),
		cmocka_unit_test(what_a_person_reads_is_escaped_byte_by_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
