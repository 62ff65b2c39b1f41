/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* JSON text, written value by value into a struct strbuf. */
#include "base/json_write.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"

void json_write_init(struct json_writer *writer, struct strbuf *out)
{
	*writer = (struct json_writer){ .out = out, .start = out->size };
}

static void fail(struct json_writer *writer, int error)
{
	if (!writer->error)
		writer->error = error;
}

/* Whether the text may still grow; a bound that is checked once per value or character. */
static bool may_write(struct json_writer *writer)
{
	if (writer->out->size - writer->start > JSON_WRITE_MAX_SIZE)
		fail(writer, -EFBIG);
	if (strbuf_error(writer->out))
		fail(writer, strbuf_error(writer->out));
	return !writer->error;
}

static bool is_in_object(const struct json_writer *writer)
{
	return writer->depth && writer->open[writer->depth - 1] == '{';
}

/* Writes @character as \uXXXX, above U+FFFF as a surrogate pair. */
static void write_escape(struct strbuf *out, uint32_t character)
{
	if (character > 0xffff) {
		strbuf_printf(out, "\\u%04x", 0xd800 + ((character - 0x10000) >> 10));
		character = 0xdc00 + ((character - 0x10000) & 0x3ff);
	}
	strbuf_printf(out, "\\u%04x", character);
}

/* Writes the character at the start of @bytes. Returns its size, 0 for a byte of no character. */
static size_t write_character(struct strbuf *out, const unsigned char *bytes, size_t size)
{
	uint32_t character = 0xfffd; /* REPLACEMENT CHARACTER */
	size_t used = utf8_decode(bytes, size, &character);

	if (!used || !utf8_is_plain(character)) {
		write_escape(out, character);
		return used;
	}
	if (character == '"' || character == '\\')
		strbuf_append_byte(out, '\\');
	strbuf_append(out, bytes, used);
	return used;
}

/* Returns whether every byte belonged to a character. */
static bool write_text(struct json_writer *writer, const void *bytes, size_t size)
{
	const unsigned char *next = bytes;
	bool is_whole = true;

	while (size > 0 && may_write(writer)) {
		size_t used = write_character(writer->out, next, size);

		if (!used) {
			is_whole = false;
			used = 1;
		}
		next += used;
		size -= used;
	}
	return is_whole;
}

static bool write_quoted(struct json_writer *writer, const void *bytes, size_t size)
{
	bool is_whole;

	strbuf_append_byte(writer->out, '"');
	is_whole = write_text(writer, bytes, size);
	strbuf_append_byte(writer->out, '"');
	return is_whole;
}

/* Writes what stands before a value: comma and key. Returns whether the value may follow. */
static bool begin_value(struct json_writer *writer, const char *key)
{
	if (!may_write(writer))
		return false;
	if (is_in_object(writer) != (key != NULL) || (!writer->depth && writer->has_value)) {
		fail(writer, -EINVAL);
		return false;
	}
	if (writer->has_value)
		strbuf_append_byte(writer->out, ',');
	if (key) {
		(void)write_quoted(writer, key, strlen(key)); /* A key of ours. */
		strbuf_append_byte(writer->out, ':');
	}
	writer->has_value = true;
	return true;
}

static void begin_nested(struct json_writer *writer, const char *key, char bracket)
{
	if (!begin_value(writer, key))
		return;
	if (writer->depth == JSON_WRITE_MAX_DEPTH) {
		fail(writer, -EINVAL);
		return;
	}
	writer->open[writer->depth++] = bracket;
	writer->has_value = false;
	strbuf_append_byte(writer->out, bracket);
}

static void end_nested(struct json_writer *writer, char bracket)
{
	if (!may_write(writer))
		return;
	if (!writer->depth || writer->open[writer->depth - 1] != bracket) {
		fail(writer, -EINVAL);
		return;
	}
	writer->depth--;
	writer->has_value = true;
	strbuf_append_byte(writer->out, bracket == '{' ? '}' : ']');
}

void json_write_object_begin(struct json_writer *writer, const char *key)
{
	begin_nested(writer, key, '{');
}

void json_write_object_end(struct json_writer *writer)
{
	end_nested(writer, '{');
}

void json_write_array_begin(struct json_writer *writer, const char *key)
{
	begin_nested(writer, key, '[');
}

void json_write_array_end(struct json_writer *writer)
{
	end_nested(writer, '[');
}

void json_write_string(struct json_writer *writer, const char *key, const char *string)
{
	if (begin_value(writer, key))
		(void)write_quoted(writer, string, strlen(string));
}

void json_write_uint(struct json_writer *writer, const char *key, uint64_t number)
{
	if (begin_value(writer, key))
		strbuf_printf(writer->out, "%" PRIu64, number);
}

void json_write_int(struct json_writer *writer, const char *key, int64_t number)
{
	if (begin_value(writer, key))
		strbuf_printf(writer->out, "%" PRId64, number);
}

void json_write_bool(struct json_writer *writer, const char *key, bool value)
{
	if (begin_value(writer, key))
		strbuf_append_string(writer->out, value ? "true" : "false");
}

void json_write_null(struct json_writer *writer, const char *key)
{
	if (begin_value(writer, key))
		strbuf_append_string(writer->out, "null");
}

/* Writes "KEY_hex":"DIGITS". */
static void write_hex(struct json_writer *writer, const char *key, const unsigned char *bytes,
		      size_t size)
{
	strbuf_append_string(writer->out, ",\"");
	(void)write_text(writer, key, strlen(key)); /* A key of ours. */
	strbuf_append_string(writer->out, "_hex\":\"");
	for (size_t i = 0; i < size && may_write(writer); i++)
		strbuf_printf(writer->out, "%02x", bytes[i]);
	strbuf_append_byte(writer->out, '"');
}

void json_write_bytes(struct json_writer *writer, const char *key, const void *bytes, size_t size)
{
	if (!begin_value(writer, key))
		return;
	if (!write_quoted(writer, bytes, size) && key)
		write_hex(writer, key, bytes, size);
}

int json_write_finish(struct json_writer *writer)
{
	if (may_write(writer) && (writer->depth || !writer->has_value))
		fail(writer, -EINVAL);
	return writer->error;
}
