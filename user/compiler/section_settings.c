/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The small sections of a policy file, and the table of all of them. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "compiler/policy_reader.h"

/* PID_MAX_LIMIT: a cgroup cannot hold more. */
#define MAX_TASKS 4194304
/* Less holds no program. */
#define MIN_MEMORY (1 << 20)
/* What no machine has; larger numbers are mistakes. */
#define MAX_MEMORY (1LL << 50)

/* ---- name, mode, unlisted, credentials ---- */

/* Names stand in events, in tables and in the names of files. */
static int read_name(struct policy_reader *reader, const struct json_value *value, void *target)
{
	char *name;
	size_t size;
	int r;

	(void)target;
	r = reader_expect(reader, value, JSON_STRING);
	if (r < 0)
		return r;
	size = strlen(value->string);
	if (size == 0 || size > MAX_POLICY_NAME || value->string[0] == '.' ||
	    strspn(value->string, POLICY_NAME_BYTES) < size) {
		diag_error(reader->diag, &value->position,
			   "a name has up to %d letters, digits, '.', '_' and '-'",
			   MAX_POLICY_NAME);
		return -EINVAL;
	}
	name = strdup(value->string);
	if (!name)
		return -ENOMEM;
	free(reader->policy->name);
	reader->policy->name = name;
	return 0;
}

static int read_mode(struct policy_reader *reader, const struct json_value *value, void *target)
{
	static const char *const words[] = { "enforce", "audit" };
	size_t index;
	int r;

	(void)target;
	r = reader_choose(reader, value, words, ELEMENTSOF(words), &index);
	if (r < 0)
		return r;
	reader->policy->is_audit = index == 1;
	return 0;
}

static int read_unlisted(struct policy_reader *reader, const struct json_value *value,
			 void *target)
{
	static const enum rf_verdict verdicts[] = { RF_VERDICT_DENY, RF_VERDICT_HIDE,
						    RF_VERDICT_ASK };

	(void)target;
	reader->policy->unlisted_position = value->position;
	return reader_choose_verdict(reader, value, verdicts, ELEMENTSOF(verdicts),
				     &reader->policy->unlisted);
}

static int read_credentials(struct policy_reader *reader, const struct json_value *value,
			    void *target)
{
	(void)target;
	reader->policy->credentials_position = value->key_position;
	return reader_expect(reader, value, JSON_OBJECT);
}

/* ---- environment ---- */

/* Whether @name can be that of a variable; with '*' where it is a pattern. */
static bool is_variable_name(const char *name, bool is_pattern)
{
	const char *bytes = is_pattern ? LETTERS DIGITS "_*" : LETTERS DIGITS "_";

	return *name && !strchr(DIGITS, *name) && name[strspn(name, bytes)] == '\0';
}

static int fail_full(struct policy_reader *reader, const struct position *position)
{
	diag_error(reader->diag, position, "more than %d names", MAX_ENVIRONMENT_NAMES);
	return -EINVAL;
}

static int read_name_pattern(struct policy_reader *reader, const struct json_value *value,
			     char ***names, size_t *n_names)
{
	int r;

	r = reader_expect(reader, value, JSON_STRING);
	if (r < 0)
		return r;
	if (!is_variable_name(value->string, /* is_pattern= */ true)) {
		diag_error(reader->diag, &value->position,
			   "\"%s\" is not the name of a variable, nor a pattern like \"*_TOKEN\"",
			   value->string);
		return -EINVAL;
	}
	if (strings_contain(*names, *n_names, value->string))
		return 0;
	if (*n_names == MAX_ENVIRONMENT_NAMES)
		return fail_full(reader, &value->position);
	return strings_add(names, n_names, value->string);
}

/* Adds to the list: what an extended policy keeps or drops stays so. */
static int read_name_patterns(struct policy_reader *reader, const struct json_value *value,
			      char ***names, size_t *n_names)
{
	int r;

	r = reader_expect(reader, value, JSON_ARRAY);
	if (r < 0)
		return r;
	for (size_t i = 0; i < value->n_items; i++)
		r = reader_join(r, read_name_pattern(reader, &value->items[i], names, n_names));
	return r;
}

static int read_keep(struct policy_reader *reader, const struct json_value *value, void *target)
{
	(void)target;
	return read_name_patterns(reader, value, &reader->policy->keep, &reader->policy->n_keep);
}

static int read_drop(struct policy_reader *reader, const struct json_value *value, void *target)
{
	(void)target;
	return read_name_patterns(reader, value, &reader->policy->drop, &reader->policy->n_drop);
}

/* The variable called @name, added if it is not there yet; NULL when out of memory. */
static struct variable *get_variable(struct policy *policy, const char *name)
{
	struct variable added = { 0 };

	for (size_t i = 0; i < policy->n_set; i++)
		if (strcmp(policy->set[i].name, name) == 0)
			return &policy->set[i];
	added.name = strdup(name);
	if (!added.name || !ARRAY_GROW(policy->set, policy->n_set)) {
		free(added.name);
		return NULL;
	}
	policy->set[policy->n_set] = added;
	return &policy->set[policy->n_set++];
}

static int read_variable(struct policy_reader *reader, const struct json_value *member)
{
	_cleanup_free_ char *value = NULL;
	struct variable *variable;
	int r;

	if (!is_variable_name(member->key, /* is_pattern= */ false)) {
		diag_error(reader->diag, &member->key_position,
			   "\"%s\" is not the name of a variable", member->key);
		return -EINVAL;
	}
	r = reader_expect(reader, member, JSON_STRING);
	if (r < 0)
		return r;
	if (reader->policy->n_set == MAX_ENVIRONMENT_NAMES)
		return fail_full(reader, &member->key_position);
	r = reader_expand(reader, member->string, &member->position, &value);
	if (r < 0)
		return r;
	variable = get_variable(reader->policy, member->key);
	if (!variable)
		return -ENOMEM;
	free(variable->value);
	variable->value = TAKE_PTR(value);
	return 0;
}

static int read_set(struct policy_reader *reader, const struct json_value *value, void *target)
{
	int r;

	(void)target;
	r = reader_expect(reader, value, JSON_OBJECT);
	if (r < 0)
		return r;
	for (size_t i = 0; i < value->n_items; i++)
		r = reader_join(r, read_variable(reader, &value->items[i]));
	return r;
}

static const struct section environment_sections[] = {
	{ "keep", read_keep },
	{ "drop", read_drop },
	{ "set", read_set },
};

const struct section_table environment_table = {
	.what = "\"environment\"",
	.schema = "properties environment properties",
	.sections = environment_sections,
	.n_sections = ELEMENTSOF(environment_sections),
};

static int read_environment(struct policy_reader *reader, const struct json_value *value,
			    void *target)
{
	return reader_read_object(reader, value, &environment_table, target);
}

/* ---- limits ---- */

static int read_tasks(struct policy_reader *reader, const struct json_value *value, void *target)
{
	int r;

	(void)target;
	r = reader_expect(reader, value, JSON_INTEGER);
	if (r < 0)
		return r;
	if (value->integer < 1 || value->integer > MAX_TASKS) {
		diag_error(reader->diag, &value->position, "expected a number from 1 to %d",
			   MAX_TASKS);
		return -EINVAL;
	}
	reader->policy->max_tasks = (uint64_t)value->integer;
	return 0;
}

static int read_memory(struct policy_reader *reader, const struct json_value *value, void *target)
{
	uint64_t memory = 0;

	(void)target;
	if (value->type == JSON_INTEGER && value->integer > 0)
		memory = (uint64_t)value->integer;
	else if (value->type == JSON_STRING && units_parse_bytes(value->string, &memory) < 0)
		memory = 0;
	if (memory < MIN_MEMORY || memory > MAX_MEMORY) {
		diag_error(reader->diag, &value->position,
			   "expected bytes, or a string like \"512M\" or \"8G\", of at least "
			   "\"1M\"");
		return -EINVAL;
	}
	reader->policy->max_memory = memory;
	return 0;
}

static const struct section limits_sections[] = {
	{ "tasks", read_tasks },
	{ "memory", read_memory },
};

const struct section_table limits_table = {
	.what = "\"limits\"",
	.schema = "properties limits properties",
	.sections = limits_sections,
	.n_sections = ELEMENTSOF(limits_sections),
};

static int read_limits(struct policy_reader *reader, const struct json_value *value, void *target)
{
	reader->policy->limits_position = value->key_position;
	return reader_read_object(reader, value, &limits_table, target);
}

/* ---- The table ---- */

/* `extends` is read before the sections; `$schema` is for editors. */
static int read_nothing(struct policy_reader *reader, const struct json_value *value, void *target)
{
	(void)reader;
	(void)value;
	(void)target;
	return 0;
}

static const struct section policy_sections[] = {
	{ "$schema", read_nothing },
	{ "name", read_name },
	{ "extends", read_nothing },
	{ "mode", read_mode },
	{ "files", section_read_files },
	{ "egress", section_read_egress },
	{ "sockets", section_read_sockets },
	{ "programs", section_read_programs },
	{ "credentials", read_credentials },
	{ "environment", read_environment },
	{ "limits", read_limits },
	{ "unlisted", read_unlisted },
};

const struct section_table policy_table = {
	.what = "a policy",
	.schema = "properties",
	.sections = policy_sections,
	.n_sections = ELEMENTSOF(policy_sections),
};
