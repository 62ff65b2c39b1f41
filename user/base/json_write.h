/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * JSON text, written value by value into a struct strbuf.
 *
 * Commas, quotes and escapes are the writer's business. Strings may hold any bytes: whatever could
 * steer a terminal or be misread is written as \uXXXX, and bytes that are not UTF-8 as \ufffd, so
 * the text holds no control byte but, between documents, what the caller adds.
 *
 * Errors stick: the caller checks once, with json_write_finish().
 *
 *	json_write_init(&writer, &out);
 *	json_write_object_begin(&writer, NULL);
 *	json_write_string(&writer, "verdict", "deny");
 *	json_write_object_end(&writer);
 *	r = json_write_finish(&writer);
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* Objects and arrays open at once. One more: -EINVAL. */
#define JSON_WRITE_MAX_DEPTH 32
/* Bytes of one document. More: -EFBIG. */
#define JSON_WRITE_MAX_SIZE ((size_t)64 * 1024 * 1024)

/**
 * struct json_writer - State of one document
 * @out:       Borrowed; gets the text.
 * @start:     Bytes that @out held before.
 * @open:      What is open, outermost first: '{' or '['.
 * @depth:     Entries of @open in use.
 * @has_value: The innermost open one, or the document, already has a value.
 * @error:     First error, or 0.
 */
struct json_writer {
	struct strbuf *out;
	size_t start;
	char open[JSON_WRITE_MAX_DEPTH];
	uint32_t depth;
	bool has_value;
	int error;
};

void json_write_init(struct json_writer *writer, struct strbuf *out);

/*
 * 0, -ENOMEM, -EFBIG, or -EINVAL if what was written is not one whole value or a key was missing or
 * out of place. After an error the text is not to be used.
 */
int json_write_finish(struct json_writer *writer);

/* @key names the value inside an object; it is NULL inside an array and for the document itself. */
void json_write_object_begin(struct json_writer *writer, const char *key);
void json_write_object_end(struct json_writer *writer);
void json_write_array_begin(struct json_writer *writer, const char *key);
void json_write_array_end(struct json_writer *writer);

void json_write_string(struct json_writer *writer, const char *key, const char *string);
void json_write_uint(struct json_writer *writer, const char *key, uint64_t number);
void json_write_int(struct json_writer *writer, const char *key, int64_t number);
void json_write_bool(struct json_writer *writer, const char *key, bool value);
void json_write_null(struct json_writer *writer, const char *key);

/*
 * Writes "KEY": "TEXT" inside an object and, if a byte was replaced, "KEY_hex": "RAW" with all
 * @size bytes in hexadecimal digits, so that nothing is lost.
 */
void json_write_bytes(struct json_writer *writer, const char *key, const void *bytes,
		      size_t size);

#endif
