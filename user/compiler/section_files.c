/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The sections `files` and `programs` of a policy file. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "compiler/policy_reader.h"

static const struct answer deny_all = { .refusal = RF_VERDICT_DENY };

/* ---- Accesses ---- */

static rf_access_mask access_of_letter(char byte)
{
	switch (byte) {
#define X(identifier, bit, letter, sentence) \
	case letter:                         \
		return RF_ACCESS_##identifier;
		RF_ACCESSES(X)
#undef X
	}
	return 0;
}

/* Whether @text is letters of "rwx", each at most once and at least one. */
static bool read_letters(const char *text, rf_access_mask *ret_accesses)
{
	rf_access_mask accesses = 0;

	for (const char *letter = text; *letter; letter++) {
		rf_access_mask access = access_of_letter(*letter);

		if (!access || accesses & access)
			return false;
		accesses |= access;
	}
	if (accesses)
		*ret_accesses = accesses;
	return accesses;
}

/* ---- The object form of a file rule ---- */

static int read_accesses(struct policy_reader *reader, const struct json_value *value,
			 rf_access_mask *accesses)
{
	int r;

	r = reader_expect(reader, value, JSON_STRING);
	if (r < 0)
		return r;
	if (read_letters(value->string, accesses))
		return 0;
	diag_error(reader->diag, &value->position,
		   "expected letters of \"rwx\", each once, found \"%s\"", value->string);
	return -EINVAL;
}

static int read_allow(struct policy_reader *reader, const struct json_value *value, void *rule)
{
	return read_accesses(reader, value, &((struct path_rule *)rule)->answer.allow);
}

static int read_ask(struct policy_reader *reader, const struct json_value *value, void *rule)
{
	return read_accesses(reader, value, &((struct path_rule *)rule)->answer.ask);
}

static int read_else(struct policy_reader *reader, const struct json_value *value, void *rule)
{
	static const enum rf_verdict verdicts[] = { RF_VERDICT_DENY, RF_VERDICT_HIDE };

	return reader_choose_verdict(reader, value, verdicts, ELEMENTSOF(verdicts),
				     &((struct path_rule *)rule)->answer.refusal);
}

/* A program is meant by its identity, so a pattern would name none. */
static int read_grant_program(struct policy_reader *reader, const struct json_value *value,
			      struct path_rule *rule)
{
	_cleanup_free_ char *path = NULL;
	int r;

	r = reader_expect(reader, value, JSON_STRING);
	if (r == 0)
		r = reader_expand_path(reader, value->string, &value->position, &path);
	if (r < 0)
		return r;
	if (strchr(path, '*')) {
		diag_error(reader->diag, &value->position,
			   "\"%s\": a grant names one program file, not a pattern", value->string);
		return -EINVAL;
	}
	return strings_add(&rule->programs, &rule->n_programs, path);
}

static int read_grant_programs(struct policy_reader *reader, const struct json_value *value,
			       void *target)
{
	struct path_rule *rule = target;
	int r;

	r = reader_expect(reader, value, JSON_ARRAY);
	if (r == 0 && value->n_items == 0) {
		diag_error(reader->diag, &value->position,
			   "a grant to no program; name one or leave \"programs\" out");
		return -EINVAL;
	}
	for (size_t i = 0; i < value->n_items && value->type == JSON_ARRAY; i++)
		r = reader_join(r, read_grant_program(reader, &value->items[i], rule));
	return r;
}

static int read_for(struct policy_reader *reader, const struct json_value *value, void *target)
{
	struct path_rule *rule = target;
	int r;

	r = reader_expect(reader, value, JSON_STRING);
	if (r < 0)
		return r;
	r = units_parse_duration(value->string, &rule->for_ns);
	if (r == 0 && rule->for_ns > 0)
		return 0;
	diag_error(reader->diag, &value->position,
		   "expected a time like \"30s\", \"10m\", \"2h\" or \"1d\", found \"%s\"",
		   value->string);
	return -EINVAL;
}

static const struct section file_rule_sections[] = {
	{ "allow", read_allow }, { "ask", read_ask },
	{ "else", read_else },	 { "programs", read_grant_programs },
	{ "for", read_for },
};

const struct section_table file_rule_table = {
	.what = "a file rule",
	.schema = "$defs fileRuleObject properties",
	.sections = file_rule_sections,
	.n_sections = ELEMENTSOF(file_rule_sections),
};

static int read_rule_object(struct policy_reader *reader, const struct json_value *value,
			    struct path_rule *rule)
{
	int r;

	r = reader_read_object(reader, value, &file_rule_table, rule);
	if (r < 0)
		return r;
	if (rule->answer.allow & rule->answer.ask) {
		diag_error(reader->diag, &value->position,
			   "an access is in \"allow\" and in \"ask\"; keep one");
		return -EINVAL;
	}
	if (value->n_items == 0) {
		diag_error(reader->diag, &value->position,
			   "a rule that says nothing; write \"deny\"");
		return -EINVAL;
	}
	/* A grant that names no access is one to read. */
	if ((rule->n_programs || rule->for_ns) && !rule->answer.allow && !rule->answer.ask)
		rule->answer.allow = RF_ACCESS_READ;
	return 0;
}

/* ---- Values ---- */

static int read_file_answer(struct policy_reader *reader, const struct json_value *value,
			    struct path_rule *rule)
{
	static const char *const words[] = { "r", "rw", "rx", "rwx", "deny", "hide", "ask" };
	static const struct answer answers[] = {
		[0 ... 4] = { .refusal = RF_VERDICT_DENY },
		[5] = { .refusal = RF_VERDICT_HIDE },
		[6] = { .refusal = RF_VERDICT_DENY, .ask = RF_ACCESS_ALL },
	};
	size_t index;
	int r;

	if (value->type == JSON_OBJECT)
		return read_rule_object(reader, value, rule);
	if (value->type == JSON_STRING && read_letters(value->string, &rule->answer.allow))
		return 0;
	/* All letters were taken, so what is found here is a word; the letters are for messages. */
	r = reader_choose(reader, value, words, ELEMENTSOF(words), &index);
	if (r < 0)
		return r;
	rule->answer = answers[index];
	return 0;
}

static int read_program_answer(struct policy_reader *reader, const struct json_value *value,
			       struct path_rule *rule)
{
	static const enum rf_verdict verdicts[] = { RF_VERDICT_ALLOW, RF_VERDICT_DENY };
	enum rf_verdict verdict;
	int r;

	r = reader_choose_verdict(reader, value, verdicts, ELEMENTSOF(verdicts), &verdict);
	if (r < 0)
		return r;
	rule->answer.allow = verdict == RF_VERDICT_ALLOW ? RF_ACCESS_EXECUTE : 0;
	return 0;
}

/* ---- Sections ---- */

/* struct rule_list - Where the rules of a section go, and what reads their values */
struct rule_list {
	struct path_rule **rules;
	size_t *n_rules;
	int (*read_answer)(struct policy_reader *reader, const struct json_value *value,
			   struct path_rule *rule);
};

static int read_rule(struct policy_reader *reader, const struct json_value *member,
		     const struct rule_list *list)
{
	struct path_rule rule = { .answer = deny_all, .position = member->key_position };
	int r;

	r = reader_expand_path(reader, member->key, &member->key_position, &rule.pattern);
	r = reader_join(r, list->read_answer(reader, member, &rule));
	if (r == 0) {
		rule.key = strdup(member->key);
		if (!rule.key || !ARRAY_GROW(*list->rules, *list->n_rules))
			r = -ENOMEM;
	}
	if (r < 0) {
		path_rule_done(&rule);
		return r;
	}
	(*list->rules)[(*list->n_rules)++] = rule;
	return 0;
}

static int read_rules(struct policy_reader *reader, const struct json_value *value,
		      const struct rule_list *list)
{
	int r;

	r = reader_expect(reader, value, JSON_OBJECT);
	if (r < 0)
		return r;
	for (size_t i = 0; i < value->n_items; i++)
		r = reader_join(r, read_rule(reader, &value->items[i], list));
	return r;
}

int section_read_files(struct policy_reader *reader, const struct json_value *value, void *target)
{
	(void)target;
	return read_rules(reader, value,
			  &(struct rule_list){ &reader->policy->files_rules,
					       &reader->policy->n_files_rules, read_file_answer });
}

int section_read_programs(struct policy_reader *reader, const struct json_value *value,
			  void *target)
{
	(void)target;
	return read_rules(reader, value,
			  &(struct rule_list){ &reader->policy->program_rules,
					       &reader->policy->n_program_rules,
					       read_program_answer });
}
