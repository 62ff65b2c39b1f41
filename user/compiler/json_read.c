/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Strict JSON with a position for every key and value. */
#include "compiler/json_read.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "base/utf8.h"

/**
 * struct json_parser - Where the parser stands
 * @next, @end: What is left; no zero byte, all of it valid UTF-8.
 * @line_start: Start of the line that @next is on.
 * @line:       Its number. Strings hold no raw newline, so only skip_space() counts lines.
 */
struct json_parser {
	const char *file;
	struct diag *diag;
	const char *next;
	const char *end;
	const char *line_start;
	uint32_t line;
	uint32_t depth;
	size_t n_values;
};

static struct position position_at(const struct json_parser *parser, const char *at)
{
	return (struct position){
		.file = parser->file,
		.line = parser->line,
		.column = (uint32_t)(at - parser->line_start) + 1,
	};
}

/* ---- Errors of syntax ---- */

/* Reports an error at @at and is -EINVAL. */
#define fail_at(parser, at, ...)                                         \
	({                                                               \
		const struct position _position = position_at((parser), (at)); \
		diag_error((parser)->diag, &_position, __VA_ARGS__);     \
		-EINVAL;                                                 \
	})

/* Says what stands at @parser->next instead of @expected. */
static int fail_expected(struct json_parser *parser, const char *expected)
{
	uint32_t character;
	size_t size = utf8_decode(parser->next, (size_t)(parser->end - parser->next), &character);

	if (size == 0)
		return fail_at(parser, parser->next, "expected %s, found the end of the file",
			       expected);
	return fail_at(parser, parser->next, "expected %s, found '%.*s'", expected, (int)size,
		       parser->next);
}

/* ---- White space and comments ---- */

static bool starts_with(const struct json_parser *parser, const char *prefix)
{
	size_t size = strlen(prefix);

	return (size_t)(parser->end - parser->next) >= size &&
	       memcmp(parser->next, prefix, size) == 0;
}

static void skip_byte(struct json_parser *parser)
{
	if (*parser->next++ != '\n')
		return;
	parser->line++;
	parser->line_start = parser->next;
}

static int skip_block_comment(struct json_parser *parser)
{
	struct position start = position_at(parser, parser->next);

	parser->next += 2;
	while (parser->next < parser->end) {
		if (starts_with(parser, "*/")) {
			parser->next += 2;
			return 0;
		}
		skip_byte(parser);
	}
	diag_error(parser->diag, &start, "this comment has no end; close it with \"*/\"");
	return -EINVAL;
}

static int skip_space(struct json_parser *parser)
{
	int r;

	while (parser->next < parser->end) {
		if (memchr(" \t\r\n", *parser->next, 4)) {
			skip_byte(parser);
		} else if (starts_with(parser, "//")) {
			while (parser->next < parser->end && *parser->next != '\n')
				parser->next++;
		} else if (starts_with(parser, "/*")) {
			r = skip_block_comment(parser);
			if (r < 0)
				return r;
		} else {
			break;
		}
	}
	return 0;
}

/* ---- Strings ---- */

static void append_utf8(struct strbuf *out, uint32_t character)
{
	static const unsigned char first_bits[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
	char bytes[4];

	for (size_t i = size - 1; i > 0; i--) {
		bytes[i] = (char)(0x80 | (character & 0x3f));
		character >>= 6;
	}
	bytes[0] = (char)(first_bits[size] | character);
	strbuf_append(out, bytes, size);
}

/* Reads the four digits of \uXXXX. */
static int read_code_unit(struct json_parser *parser, uint32_t *ret_unit)
{
	uint32_t unit = 0;

	for (int i = 0; i < 4; i++, parser->next++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *digit = NULL;

		if (parser->next < parser->end)
			digit = memchr(digits, *parser->next, sizeof(digits) - 1);
		if (!digit)
			return fail_expected(parser, "four hexadecimal digits after \"\\u\"");
		unit = unit << 4 | ((uint32_t)(digit - digits) & 15);
	}
	*ret_unit = unit;
	return 0;
}

/* Reads what follows "\u": one code unit or a pair of surrogates. */
static int read_unicode_escape(struct json_parser *parser, struct strbuf *out)
{
	const char *start = parser->next - 2;
	uint32_t unit, low;
	int r;

	r = read_code_unit(parser, &unit);
	if (r < 0)
		return r;
	if (unit == 0)
		return fail_at(parser, start, "a zero byte is not allowed in a string");
	if (unit >= 0xd800 && unit < 0xdc00 && starts_with(parser, "\\u")) {
		parser->next += 2;
		r = read_code_unit(parser, &low);
		if (r < 0)
			return r;
		if (low >= 0xdc00 && low < 0xe000)
			unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
	}
	if (unit >= 0xd800 && unit < 0xe000)
		return fail_at(parser, start, "half of a surrogate pair is not a character");
	append_utf8(out, unit);
	return 0;
}

static int read_escape(struct json_parser *parser, struct strbuf *out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char values[] = "\"\\/\b\f\n\r\t";
	const char *letter = NULL;

	parser->next++;
	if (starts_with(parser, "u")) {
		parser->next++;
		return read_unicode_escape(parser, out);
	}
	if (parser->next < parser->end)
		letter = memchr(letters, *parser->next, sizeof(letters) - 1);
	if (!letter)
		return fail_expected(parser, "one of \"\\/bfnrtu after a backslash");
	strbuf_append_byte(out, values[letter - letters]);
	parser->next++;
	return 0;
}

static int read_string_into(struct json_parser *parser, struct strbuf *out)
{
	const char *start = parser->next++;
	int r;

	while (parser->next < parser->end && *parser->next != '"') {
		if ((unsigned char)*parser->next < 0x20)
			return fail_at(parser, parser->next,
				       "a control character in a string; close the string or write "
				       "it as \\u%04x",
				       (unsigned int)*parser->next);
		if (*parser->next == '\\') {
			r = read_escape(parser, out);
			if (r < 0)
				return r;
		} else {
			strbuf_append_byte(out, *parser->next++);
		}
	}
	if (parser->next == parser->end)
		return fail_at(parser, start, "this string has no end; close it with '\"'");
	parser->next++;
	return 0;
}

static int read_string(struct json_parser *parser, char **ret_string)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	char *string;
	int r;

	r = read_string_into(parser, &bytes);
	if (r < 0)
		return r;
	string = strbuf_take(&bytes);
	if (!string)
		return -ENOMEM;
	*ret_string = string;
	return 0;
}

/* ---- Numbers and words ---- */

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Reads digits after a '-' or nothing; whether the number fits. */
static bool read_digits(struct json_parser *parser, bool is_negative, int64_t *number)
{
	bool fits = true;

	for (*number = 0; parser->next < parser->end && is_digit(*parser->next); parser->next++) {
		int digit = *parser->next - '0';

		fits = fits && !__builtin_mul_overflow(*number, 10, number) &&
		       !__builtin_add_overflow(*number, is_negative ? -digit : digit, number);
	}
	return fits;
}

static int read_integer(struct json_parser *parser, struct json_value *value)
{
	const char *start = parser->next;
	const char *digits = start + (*start == '-');

	value->type = JSON_INTEGER;
	parser->next = digits;
	if (digits == parser->end || !is_digit(*digits))
		return fail_expected(parser, "a digit");
	if (!read_digits(parser, digits > start, &value->integer))
		diag_error(parser->diag, &value->position, "a number of more than 64 bits");
	if (*digits == '0' && parser->next > digits + 1)
		return fail_at(parser, start, "a number does not start with 0");
	if (parser->next < parser->end && memchr(".eE", *parser->next, 3)) {
		diag_error(parser->diag, &value->position, "only whole numbers, in digits alone");
		while (parser->next < parser->end && strchr("+-.0123456789eE", *parser->next))
			parser->next++;
	}
	return 0;
}

static int read_word(struct json_parser *parser, struct json_value *value)
{
	static const struct {
		const char *word;
		enum json_type type;
		int64_t integer;
	} words[] = {
		{ "true", JSON_BOOLEAN, 1 },
		{ "false", JSON_BOOLEAN, 0 },
		{ "null", JSON_NULL, 0 },
	};

	for (size_t i = 0; i < ELEMENTSOF(words); i++) {
		if (!starts_with(parser, words[i].word))
			continue;
		parser->next += strlen(words[i].word);
		value->type = words[i].type;
		value->integer = words[i].integer;
		return 0;
	}
	return fail_expected(parser, "a value");
}

/* ---- Arrays and objects ---- */

static int read_value(struct json_parser *parser, struct json_value *value);

static void json_value_done(struct json_value *value)
{
	for (size_t i = 0; i < value->n_items; i++)
		json_value_done(&value->items[i]);
	free(value->items);
	free(value->string);
	free(value->key);
}

static int read_key(struct json_parser *parser, struct json_value *member)
{
	int r;

	if (!starts_with(parser, "\""))
		return fail_expected(parser, "a key in double quotes");
	member->key_position = position_at(parser, parser->next);
	r = read_string(parser, &member->key);
	if (r < 0)
		return r;
	r = skip_space(parser);
	if (r < 0)
		return r;
	if (!starts_with(parser, ":"))
		return fail_expected(parser, "':' after the key");
	parser->next++;
	return skip_space(parser);
}

static int read_item(struct json_parser *parser, struct json_value *container)
{
	struct json_value item = { 0 };
	int r = 0;

	if (container->type == JSON_OBJECT)
		r = read_key(parser, &item);
	if (r == 0)
		r = read_value(parser, &item);
	if (r == 0 && !ARRAY_GROW(container->items, container->n_items))
		r = -ENOMEM;
	if (r < 0) {
		json_value_done(&item);
		return r;
	}
	container->items[container->n_items++] = item;
	return skip_space(parser);
}

static int read_items(struct json_parser *parser, struct json_value *container, char close)
{
	struct position comma;
	int r;

	while (true) {
		r = read_item(parser, container);
		if (r < 0)
			return r;
		if (parser->next == parser->end || *parser->next != ',')
			break;
		comma = position_at(parser, parser->next++);
		r = skip_space(parser);
		if (r < 0)
			return r;
		if (parser->next < parser->end && *parser->next == close) {
			diag_error(parser->diag, &comma, "no comma after the last one; remove it");
			return -EINVAL;
		}
	}
	if (parser->next == parser->end || *parser->next != close)
		return fail_expected(parser, close == '}' ? "',' or '}'" : "',' or ']'");
	return 0;
}

static int compare_members(const void *left, const void *right)
{
	const struct json_value *const *a = left, *const *b = right;
	int order = strcmp((*a)->key, (*b)->key);

	return order ? order : (*a > *b) - (*a < *b);
}

/* Reports every key that an earlier member of @object has already. */
static int check_duplicates(struct json_parser *parser, const struct json_value *object)
{
	_cleanup_free_ const struct json_value **members =
		reallocarray(NULL, object->n_items, sizeof(*members));

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < object->n_items; i++)
		members[i] = &object->items[i];
	qsort(members, object->n_items, sizeof(*members), compare_members);
	for (size_t i = 1; i < object->n_items; i++) {
		const struct json_value *first = members[i - 1];

		if (strcmp(first->key, members[i]->key) == 0)
			diag_error(parser->diag, &members[i]->key_position,
				   "the key \"%s\" is already on line %u", first->key,
				   first->key_position.line);
	}
	return 0;
}

static int read_container(struct json_parser *parser, struct json_value *value)
{
	char close = *parser->next == '{' ? '}' : ']';
	int r;

	if (parser->depth == RF_MAX_JSON_DEPTH)
		return fail_at(parser, parser->next, "nested deeper than %d levels",
			       RF_MAX_JSON_DEPTH);
	parser->depth++;
	value->type = close == '}' ? JSON_OBJECT : JSON_ARRAY;
	parser->next++;
	r = skip_space(parser);
	if (r < 0)
		return r;
	if (parser->next == parser->end || *parser->next != close) {
		r = read_items(parser, value, close);
		if (r < 0)
			return r;
	}
	parser->next++;
	parser->depth--;
	return value->type == JSON_OBJECT && value->n_items ? check_duplicates(parser, value) : 0;
}

/* Fills @value, zeroed but for its key; the caller releases it also after an error. */
static int read_value(struct json_parser *parser, struct json_value *value)
{
	if (parser->next == parser->end)
		return fail_expected(parser, "a value");
	if (++parser->n_values > JSON_MAX_VALUES)
		return fail_at(parser, parser->next, "more than %d values in one file",
			       JSON_MAX_VALUES);
	value->position = position_at(parser, parser->next);
	switch (*parser->next) {
	case '{':
	case '[':
		return read_container(parser, value);
	case '"':
		value->type = JSON_STRING;
		return read_string(parser, &value->string);
	case '-':
	case '0' ... '9':
		return read_integer(parser, value);
	default:
		return read_word(parser, value);
	}
}

/* ---- Documents ---- */

/* Refuses bytes that may stand nowhere, comments included, before anything is read. */
static int check_text(struct json_parser *parser)
{
	struct json_parser at = *parser;
	uint32_t character;
	size_t size;

	if ((size_t)(at.end - at.next) > RF_MAX_POLICY_BYTES)
		return fail_at(&at, at.next, "longer than %d bytes", RF_MAX_POLICY_BYTES);
	while (at.next < at.end) {
		size = utf8_decode(at.next, (size_t)(at.end - at.next), &character);
		if (size == 0)
			return fail_at(&at, at.next, "byte 0x%02x is not UTF-8 here",
				       (unsigned char)*at.next);
		if (character == 0)
			return fail_at(&at, at.next, "a zero byte");
		if (size == 1)
			skip_byte(&at);
		else
			at.next += size;
	}
	return 0;
}

static int read_document(struct json_parser *parser, struct json_value *value)
{
	int r;

	r = check_text(parser);
	if (r < 0)
		return r;
	r = skip_space(parser);
	if (r < 0)
		return r;
	r = read_value(parser, value);
	if (r < 0)
		return r;
	r = skip_space(parser);
	if (r < 0)
		return r;
	if (parser->next < parser->end)
		return fail_expected(parser, "nothing more after the value");
	return 0;
}

int json_read(const char *file, const char *text, size_t size, struct diag *diag,
	      struct json_value **ret_value)
{
	_cleanup_(json_value_freep) struct json_value *value = calloc(1, sizeof(*value));
	struct json_parser parser = {
		.file = file,
		.diag = diag,
		.next = text,
		.end = text + size,
		.line_start = text,
		.line = 1,
	};
	int r;

	if (!value)
		return -ENOMEM;
	r = read_document(&parser, value);
	if (r < 0)
		return r;
	*ret_value = TAKE_PTR(value);
	return 0;
}

struct json_value *json_value_free(struct json_value *value)
{
	if (value)
		json_value_done(value);
	free(value);
	return NULL;
}

const struct json_value *json_member(const struct json_value *object, const char *key)
{
	for (size_t i = 0; i < object->n_items; i++)
		if (strcmp(object->items[i].key, key) == 0)
			return &object->items[i];
	return NULL;
}

const char *json_type_name(enum json_type type)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",	      [JSON_BOOLEAN] = "true or false",
		[JSON_INTEGER] = "a number",  [JSON_STRING] = "a string",
		[JSON_ARRAY] = "an array",    [JSON_OBJECT] = "an object",
	};

	return names[type];
}
