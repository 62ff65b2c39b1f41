/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Strict JSON with a position for every key and value.
 *
 * A parser of its own instead of a library behind a checker: refusing what a policy must not leave
 * open (a key twice, also when spelled with escapes; a number that is not exact; a zero byte;
 * bytes after the end) needs every string decoded and every number read, which is the parser. A
 * second one behind it could only disagree. The fuzz target holds it against cJSON instead.
 *
 * Comments in the two forms of C count as white space. Everything else is RFC 8259.
 */
#ifndef COMPILER_JSON_READ_H
#define COMPILER_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "compiler/diag.h"
#include "ringfence/limits.h"

/* Values of one file, which also bounds the memory it takes. More: error. */
#define JSON_MAX_VALUES (8 * RF_MAX_RULES)

enum json_type {
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_INTEGER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/**
 * struct json_value - A value and, inside an object, its key
 * @key:     NULL unless a member of an object.
 * @string:  JSON_STRING: decoded, valid UTF-8, without zero bytes.
 * @integer: JSON_INTEGER: exact; JSON_BOOLEAN: 0 or 1.
 * @items:   JSON_ARRAY and JSON_OBJECT: in the order of the file.
 */
struct json_value {
	char *key;
	struct position key_position;
	enum json_type type;
	struct position position;
	char *string;
	int64_t integer;
	struct json_value *items;
	size_t n_items;
};

/**
 * json_read - Reads one document
 * @file: Name for positions; must outlive the value.
 *
 * Returns 0 and an owned value, -EINVAL after the first error of syntax, or -ENOMEM. Duplicate keys
 * and numbers that are not exact are errors in @diag but do not end it, so that the errors behind
 * them are found in the same run: the caller checks diag_has_errors().
 */
int json_read(const char *file, const char *text, size_t size, struct diag *diag,
	      struct json_value **ret_value);

/* Accepts NULL, returns NULL. */
struct json_value *json_value_free(struct json_value *value);
DEFINE_CLEANUP(struct json_value, json_value_free)

/* The member called @key of an object, or NULL. */
const struct json_value *json_member(const struct json_value *object, const char *key);

/* "a string", "an object" and so on, for messages. */
const char *json_type_name(enum json_type type);

#endif
