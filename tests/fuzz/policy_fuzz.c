/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Any text as a policy file: it is refused with a message, or it compiles or is refused with a
 * message then. What json_read accepts, cJSON reads alike.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "compiler/json_read.h"
#include "compiler/policy_compile.h"
#include "compiler/policy_lint.h"
#include "compiler/policy_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

/* ---- JSON ---- */

static int type_of(const struct json_value *value)
{
	switch (value->type) {
	case JSON_NULL:
		return cJSON_NULL;
	case JSON_BOOLEAN:
		return value->integer ? cJSON_True : cJSON_False;
	case JSON_INTEGER:
		return cJSON_Number;
	case JSON_STRING:
		return cJSON_String;
	case JSON_ARRAY:
		return cJSON_Array;
	case JSON_OBJECT:
		return cJSON_Object;
	}
	abort();
}

static void check_same(const struct json_value *value, const cJSON *other)
{
	const cJSON *item = other->child;

	require((other->type & 0xff) == type_of(value));
	if (value->key)
		require(strcmp(value->key, other->string) == 0);
	if (value->type == JSON_STRING)
		require(strcmp(value->string, other->valuestring) == 0);
	if (value->type == JSON_INTEGER)
		require((double)value->integer == other->valuedouble);
	for (size_t i = 0; i < value->n_items; i++, item = item->next) {
		require(item != NULL);
		check_same(&value->items[i], item);
	}
	require(item == NULL);
}

/* Overwrites a comment at @text with spaces. Returns its end, or @text if there is none. */
static char *blank_comment(char *text)
{
	char *end;

	if (strncmp(text, "//", 2) == 0)
		end = text + strcspn(text, "\n");
	else if (strncmp(text, "/*", 2) == 0)
		end = strstr(text + 2, "*/") + 2;
	else
		return text;
	memset(text, ' ', (size_t)(end - text));
	return end;
}

/* For texts that json_read accepts. cJSON_Minify() takes a quote after two backslashes for text. */
static void blank_comments(char *text)
{
	bool is_string = false;

	while (*text) {
		char *end = is_string ? text : blank_comment(text);

		if (end == text)
			end += is_string && *text == '\\' ? 2 : 1;
		if (*text == '"')
			is_string = !is_string;
		text = end;
	}
}

static void check_json(const char *text, size_t size)
{
	_cleanup_(json_value_freep) struct json_value *value = NULL;
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_free_ char *copy = NULL;
	cJSON *other;

	if (json_read("fuzz", text, size, &diag, &value) < 0) {
		require(diag_has_errors(&diag));
		return;
	}
	if (diag_has_errors(&diag))
		return;
	copy = strndup(text, size);
	blank_comments(copy);
	other = cJSON_ParseWithOpts(copy, NULL, /* require_null_terminated= */ 1);
	require(other != NULL);
	check_same(value, other);
	cJSON_Delete(other);
}

/* ---- Policies ---- */

static void check_messages(const struct diag *diag)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	diag_format(diag, &out);
	for (size_t i = 0; i < out.size; i++)
		require(out.bytes[i] == '\n' || (unsigned char)out.bytes[i] >= 0x20);
}

static void check_compiled(const struct policy *policy, struct diag *diag)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = NULL;
	int r;

	policy_lint(policy, diag);
	require(!diag_has_errors(diag));
	r = policy_compile(policy, diag, &compiled);
	require(r == 0 ? compiled != NULL : r == -EINVAL && diag_has_errors(diag));
}

static void check_policy(const char *text, size_t size)
{
	static const char *const variables[] = { "home=/home/u", "project=/home/u/work", "user=u",
						 "tmp=/tmp", "starred=/a*b", NULL };
	const struct parse_context context = { .variables = variables };
	_cleanup_(policy_freep) struct policy *policy = NULL;
	_cleanup_(diag_done) struct diag diag = { 0 };
	int r;

	r = policy_parse_text("fuzz", text, size, &context, &diag, &policy);
	require(r == 0 ? policy != NULL : r == -EINVAL && diag_has_errors(&diag));
	if (r == 0)
		check_compiled(policy, &diag);
	check_messages(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	check_json((const char *)bytes, size);
	check_policy((const char *)bytes, size);
	return 0;
}
