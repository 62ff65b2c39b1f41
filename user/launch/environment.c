/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The environment of the program: the caller's, by the rules of the policy. */
#include "launch/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/policy.h"
#include "launch/identity.h"

/* A name that is not terminated: what stands before the '=' of a variable. */
struct name {
	const char *bytes;
	size_t size;
};

static void free_strings(char **strings, size_t n_strings)
{
	for (size_t i = 0; i < n_strings; i++)
		free(strings[i]);
	free(strings);
}

struct environment *environment_free(struct environment *environment)
{
	if (environment) {
		free_strings(environment->variables, environment->n_variables);
		free_strings(environment->dropped, environment->n_dropped);
		free(environment);
	}
	return NULL;
}

/* Appends @string, which becomes the array's even on failure; the array stays NULL-terminated. */
static int append(char ***strings, size_t *n_strings, char *string)
{
	char **grown = reallocarray(*strings, *n_strings + 2, sizeof(**strings));

	if (grown)
		*strings = grown;
	if (!grown || !string) {
		free(string);
		return -ENOMEM;
	}
	grown[(*n_strings)++] = string;
	grown[*n_strings] = NULL;
	return 0;
}

/* On a mismatch, lets the last star take one more byte: enough, as stars are alike. */
static bool matches(const char *pattern, struct name name)
{
	const char *star = NULL;
	size_t star_at = 0;
	size_t at = 0;

	while (at < name.size) {
		if (*pattern == '*') {
			star = pattern++;
			star_at = at;
		} else if (*pattern == name.bytes[at]) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star + 1;
			at = ++star_at;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool matches_any(char *const *patterns, size_t n_patterns, struct name name)
{
	for (size_t i = 0; i < n_patterns; i++)
		if (matches(patterns[i], name))
			return true;
	return false;
}

static bool has_variable(const struct environment *environment, struct name name)
{
	for (size_t i = 0; i < environment->n_variables; i++) {
		const char *variable = environment->variables[i];

		if (strncmp(variable, name.bytes, name.size) == 0 && variable[name.size] == '=')
			return true;
	}
	return false;
}

/* Does nothing if the variable is there: whoever comes first decides. */
static int set_variable(struct environment *environment, const char *name, const char *value)
{
	char *variable;

	if (has_variable(environment, (struct name){ name, strlen(name) }))
		return 0;
	if (asprintf(&variable, "%s=%s", name, value) < 0)
		return -ENOMEM;
	return append(&environment->variables, &environment->n_variables, variable);
}

static int set_own_variables(struct environment *environment,
			     const struct environment_request *request)
{
	const struct variable variables[] = {
		{ (char *)"HOME", request->identity->home },
		{ (char *)"USER", request->identity->name },
		{ (char *)"LOGNAME", request->identity->name },
		{ (char *)"SHELL", request->identity->shell },
		{ (char *)"RINGFENCE", (char *)request->fence_id },
		{ (char *)"TMPDIR", (char *)request->tmp_dir },
	};

	for (size_t i = 0; i < ELEMENTSOF(variables); i++)
		if (variables[i].value &&
		    set_variable(environment, variables[i].name, variables[i].value) < 0)
			return -ENOMEM;
	return 0;
}

/* A string without a name is not passed on: programs disagree on what it is. */
static int pass_variable(struct environment *environment, const struct policy *policy,
			 const char *variable)
{
	struct name name = { variable, strcspn(variable, "=") };

	if (!variable[name.size] || !name.size || has_variable(environment, name))
		return 0;
	if (matches_any(policy->drop, policy->n_drop, name) &&
	    !matches_any(policy->keep, policy->n_keep, name))
		return append(&environment->dropped, &environment->n_dropped,
			      strndup(name.bytes, name.size));
	return append(&environment->variables, &environment->n_variables, strdup(variable));
}

int environment_build(const struct environment_request *request,
		      struct environment **ret_environment)
{
	_cleanup_(environment_freep) struct environment *environment =
		calloc(1, sizeof(*environment));
	const struct policy *policy = request->policy;

	if (!environment)
		return -ENOMEM;
	for (size_t i = 0; i < policy->n_set; i++)
		if (set_variable(environment, policy->set[i].name, policy->set[i].value) < 0)
			return -ENOMEM;
	if (set_own_variables(environment, request) < 0)
		return -ENOMEM;
	for (char *const *variable = request->caller; *variable; variable++)
		if (pass_variable(environment, policy, *variable) < 0)
			return -ENOMEM;
	*ret_environment = TAKE_PTR(environment);
	return 0;
}
