/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Keys of `files`, `programs` and `sockets` that are paths. */
#include "compiler/path_key.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "compiler/pattern.h"
#include "ringfence/limits.h"

/* Size of what a shell would replace by the home directory. */
static size_t home_size(const char *text)
{
	size_t size = text[0] == '~' ? 1 : strncmp(text, "$HOME", 5) == 0 ? 5 : 0;

	return text[size] == '/' || text[size] == '\0' ? size : 0;
}

static int refuse_relative(const char *text, const struct position *position, struct diag *diag)
{
	size_t home = home_size(text);

	if (home)
		diag_error(diag, position, "\"%s\": write \"${home}%s\"", text, text + home);
	else
		diag_error(diag, position,
			   "\"%s\" is not absolute; did you mean \"${project}/%s\", or "
			   "\"**/%s\" for the name anywhere?",
			   text, text, text);
	return -EINVAL;
}

static bool is_exactly(const struct component *component, const char *text)
{
	return component->size == strlen(text) &&
	       memcmp(component->bytes, text, component->size) == 0;
}

/* Whether "**" here says no more than nothing: at the end, or before another one. */
static bool is_idle_tree(const struct component *component, const char *rest)
{
	struct component next;

	return component->kind == COMPONENT_TREE &&
	       (!pattern_next(&rest, &next) || next.kind == COMPONENT_TREE);
}

/* Appends the components of @text that say something. */
static void append_components(struct strbuf *out, const char *text)
{
	struct component component;

	while (pattern_next(&text, &component)) {
		if (is_exactly(&component, ".") || is_idle_tree(&component, text))
			continue;
		strbuf_append_byte(out, '/');
		strbuf_append(out, component.bytes, component.size);
	}
	if (out->size == 0)
		strbuf_append_byte(out, '/');
}

/* Why the normalised pattern may not be, or NULL. */
static const char *find_problem(const char *pattern)
{
	const char *rest = pattern;
	struct component component;
	size_t depth = 0;

	while (pattern_next(&rest, &component)) {
		if (is_exactly(&component, ".."))
			return "\"..\" is not followed here; write the path it leads to";
		if (++depth > RF_MAX_DEPTH)
			return "nothing is found deeper than 256 directories";
	}
	return pattern_fault(pattern);
}
_Static_assert(RF_MAX_DEPTH == 256, "the message above names the limit");

/* A slash at the end is a habit; anything else that went in normalising may be a mistake. */
static bool is_as_written(const char *text, const char *pattern)
{
	size_t size = strlen(pattern);

	text += strncmp(text, "**/", 3) == 0 ? 0 : 1;
	pattern++;
	size--;
	return strncmp(text, pattern, size) == 0 &&
	       (text[size] == '\0' || strcmp(text + size, "/") == 0);
}

int path_key_parse(const char *text, const struct position *position, struct diag *diag,
		   char **ret_pattern)
{
	_cleanup_strbuf_ struct strbuf normal = { 0 };
	_cleanup_free_ char *pattern = NULL;
	const char *problem;

	if (text[0] != '/' && strncmp(text, "**/", 3) != 0)
		return refuse_relative(text, position, diag);
	append_components(&normal, text);
	pattern = strbuf_take(&normal);
	if (!pattern)
		return -ENOMEM;
	problem = find_problem(pattern);
	if (problem) {
		diag_error(diag, position, "\"%s\": %s", text, problem);
		return -EINVAL;
	}
	if (!is_as_written(text, pattern)) {
		diag_error(diag, position, "\"%s\": write \"%s\"", text, pattern);
		return -EINVAL;
	}
	if (pattern[strcspn(pattern, "?[{")])
		diag_warning(diag, position,
			     "\"%s\": '?', '[' and '{' are ordinary bytes here; only '*' is a "
			     "pattern",
			     text);
	*ret_pattern = TAKE_PTR(pattern);
	return 0;
}
