/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* `${NAME}` in policy files: putting the values in. */
#include "compiler/variables.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/suggest.h"

/* Every variable there is, with what to do when it has no value. */
static const struct {
	const char *name;
	const char *remedy;
} known[] = {
#define HOME_REMEDY "the user has no home directory of their own; give one to the account"
#define PROJECT_REMEDY "the current directory holds home directories; name one with --project"
	{ "home", HOME_REMEDY },
	{ "config", HOME_REMEDY },
	{ "cache", HOME_REMEDY },
	{ "data", HOME_REMEDY },
	{ "state", HOME_REMEDY },
	{ "project", PROJECT_REMEDY },
	{ "project_git", PROJECT_REMEDY },
	{ "user", "the user has no name; add one to the user database" },
	{ "runtime", "there is no user" },
	{ "tmp", "there is no temporary directory" },
	{ "registry:npm", "set registry=URL in ~/.npmrc or /etc/npmrc" },
};

char **variables_free(char **variables)
{
	for (size_t i = 0; variables && variables[i]; i++)
		free(variables[i]);
	free(variables);
	return NULL;
}

const char *variables_get(const char *const *variables, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; variables && variables[i]; i++)
		if (strncmp(variables[i], name, size) == 0 && variables[i][size] == '=')
			return variables[i] + size + 1;
	return NULL;
}

/* Says why @name has no value; -EINVAL. */
static int refuse_name(const char *name, const struct position *position, struct diag *diag)
{
	const char *names[ELEMENTSOF(known)], *nearest;

	for (size_t i = 0; i < ELEMENTSOF(known); i++) {
		names[i] = known[i].name;
		if (strcmp(name, names[i]) == 0) {
			diag_error(diag, position, "${%s} has no value here: %s", name,
				   known[i].remedy);
			return -EINVAL;
		}
	}
	nearest = suggest_nearest(name, names, ELEMENTSOF(names));
	if (nearest)
		diag_error(diag, position, "unknown variable ${%s}; did you mean ${%s}?", name,
			   nearest);
	else
		diag_error(diag, position, "unknown variable ${%s}", name);
	return -EINVAL;
}

static int append_value(const char *const *variables, const char *name,
			const struct position *position, struct diag *diag, struct strbuf *out)
{
	const char *value = variables_get(variables, name);

	if (!value || !*value)
		return refuse_name(name, position, diag);
	if (strchr(value, '*')) {
		diag_error(diag, position, "the value of ${%s}, \"%s\", holds a '*'; rename it",
			   name, value);
		return -EINVAL;
	}
	strbuf_append_string(out, value);
	return 0;
}

int variables_expand(const char *const *variables, const char *text,
		     const struct position *position, struct diag *diag, char **ret_text)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	const char *start, *end;
	char *expanded;
	int r;

	for (; (start = strstr(text, "${")); text = end + 1) {
		_cleanup_free_ char *name = NULL;

		strbuf_append(&out, text, (size_t)(start - text));
		end = strchr(start, '}');
		if (!end) {
			diag_error(diag, position, "\"%s\" has no '}'", start);
			return -EINVAL;
		}
		name = strndup(start + 2, (size_t)(end - start) - 2);
		if (!name)
			return -ENOMEM;
		r = append_value(variables, name, position, diag, &out);
		if (r < 0)
			return r;
	}
	strbuf_append_string(&out, text);
	expanded = strbuf_take(&out);
	if (!expanded)
		return -ENOMEM;
	*ret_text = expanded;
	return 0;
}
