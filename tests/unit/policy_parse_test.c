/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Policy files: values, messages, the schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "compiler/policy_reader.h"
#include "lib/fail_alloc.h"
#include "lib/policy_text.h"

/* ---- Values ---- */

static void an_empty_policy_refuses_everything(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = parse_good("{}");

	(void)state;
	assert_string_equal(policy->name, "t");
	assert_false(policy->is_audit);
	assert_int_equal(policy->unlisted, RF_VERDICT_HIDE);
	assert_int_equal(policy->n_files_rules + policy->n_program_rules +
				 policy->n_egress_rules + policy->n_socket_rules, 0);
	assert_int_equal(policy->credentials_position.line, 0);
	assert_int_equal(policy->n_files, 1);
}

static void settings_are_read(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = parse_good(
		"{ \"$schema\": \"x\", \"name\": \"web-1\", \"mode\": \"audit\",\n"
		"  \"unlisted\": \"ask\", \"limits\": { \"tasks\": 4096, \"memory\": \"8G\" },\n"
		"  \"credentials\": {},\n"
		"  \"environment\": { \"keep\": [\"A\", \"A\", \"B_*\"], \"drop\": [\"*_TOKEN\"],\n"
		"    \"set\": { \"CI\": \"1\", \"H\": \"${home}/x\" } } }");

	(void)state;
	assert_string_equal(policy->name, "web-1");
	assert_true(policy->is_audit);
	assert_int_equal(policy->unlisted, RF_VERDICT_ASK);
	assert_int_equal(policy->unlisted_position.line, 2);
	assert_int_equal(policy->unlisted_position.column, 15);
	assert_int_equal(policy->max_tasks, 4096);
	assert_true(policy->max_memory == 8ULL << 30);
	assert_int_equal(policy->limits_position.line, 2);
	assert_int_equal(policy->credentials_position.line, 3);
	assert_int_equal(policy->n_keep, 2);
	assert_string_equal(policy->keep[1], "B_*");
	assert_int_equal(policy->n_drop, 1);
	assert_int_equal(policy->n_set, 2);
	assert_string_equal(policy->set[1].name, "H");
	assert_string_equal(policy->set[1].value, "/home/u/x");
}

static void file_rules_take_every_form(void **state)
{
	static const struct {
		const char *value;
		rf_access_mask allow, ask;
		enum rf_verdict refusal;
	} cases[] = {
		{ "\"r\"", RF_ACCESS_READ, 0, RF_VERDICT_DENY },
		{ "\"xwr\"", RF_ACCESS_ALL, 0, RF_VERDICT_DENY },
		{ "\"w\"", RF_ACCESS_WRITE, 0, RF_VERDICT_DENY },
		{ "\"deny\"", 0, 0, RF_VERDICT_DENY },
		{ "\"hide\"", 0, 0, RF_VERDICT_HIDE },
		{ "\"ask\"", 0, RF_ACCESS_ALL, RF_VERDICT_DENY },
		{ "{\"allow\": \"r\", \"ask\": \"w\"}", RF_ACCESS_READ, RF_ACCESS_WRITE,
		  RF_VERDICT_DENY },
		{ "{\"allow\": \"rx\", \"else\": \"hide\"}", RF_ACCESS_READ | RF_ACCESS_EXECUTE, 0,
		  RF_VERDICT_HIDE },
		{ "{\"else\": \"hide\"}", 0, 0, RF_VERDICT_HIDE },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_(policy_freep) struct policy *policy = NULL;
		_cleanup_free_ char *text = NULL;

		assert_true(asprintf(&text, "{\"files\": {\"/a\": %s}}", cases[i].value) > 0);
		policy = parse_good(text);
		assert_int_equal(policy->n_files_rules, 1);
		assert_int_equal(policy->files_rules[0].answer.allow, cases[i].allow);
		assert_int_equal(policy->files_rules[0].answer.ask, cases[i].ask);
		assert_int_equal(policy->files_rules[0].answer.refusal, cases[i].refusal);
		assert_int_equal(policy->files_rules[0].n_programs, 0);
		assert_int_equal(policy->files_rules[0].for_ns, 0);
	}
}

static void grants_name_programs_and_times(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = parse_good(
		"{\"files\": {\"/k\": {\"programs\": [\"/usr/bin/ssh\", \"${home}/bin/s\"], \"for\": "
		"\"10m\"}, \"/l\": {\"ask\": \"w\", \"for\": \"2d\"}}}");
	const struct path_rule *rules = policy->files_rules;

	(void)state;
	assert_int_equal(rules[0].answer.allow, RF_ACCESS_READ);
	assert_int_equal(rules[0].n_programs, 2);
	assert_string_equal(rules[0].programs[1], "/home/u/bin/s");
	assert_true(rules[0].for_ns == 600ULL * 1000000000);
	assert_int_equal(rules[1].answer.allow, 0);
	assert_int_equal(rules[1].answer.ask, RF_ACCESS_WRITE);
	assert_true(rules[1].for_ns == 2 * 86400ULL * 1000000000);
}

static void programs_and_sockets_are_read(void **state)
{
	_cleanup_(policy_freep) struct policy *policy = parse_good(
		"{\"programs\": {\"/usr/bin/sudo\": \"deny\", \"**/make\": \"allow\"},\n"
		" \"sockets\": {\"${runtime}/gnupg/S.gpg-agent\": \"allow\", \"@a*\": \"deny\"}}");

	(void)state;
	assert_int_equal(policy->n_program_rules, 2);
	assert_int_equal(policy->program_rules[0].answer.allow, 0);
	assert_int_equal(policy->program_rules[0].answer.refusal, RF_VERDICT_DENY);
	assert_string_equal(policy->program_rules[1].pattern, "/**/make");
	assert_int_equal(policy->program_rules[1].answer.allow, RF_ACCESS_EXECUTE);
	assert_int_equal(policy->n_socket_rules, 2);
	assert_string_equal(policy->socket_rules[0].path, "/run/user/1000/gnupg/S.gpg-agent");
	assert_string_equal(policy->socket_rules[0].key, "${runtime}/gnupg/S.gpg-agent");
	assert_int_equal(policy->socket_rules[0].verdict, RF_VERDICT_ALLOW);
	assert_int_equal(policy->socket_rules[0].position.line, 2);
	assert_string_equal(policy->socket_rules[1].path, "@a*");
	assert_int_equal(policy->socket_rules[1].verdict, RF_VERDICT_DENY);
}

/* ---- Messages ---- */

static void all_errors_are_found_in_one_run(void **state)
{
	(void)state;
	assert_messages(
		"{ \"nam\": 1, \"name\": \".x\", \"mode\": \"Audit\",\n"
		"  \"files\": { \"x\": \"rr\", \"/a\": \"hid\", \"/b\": 3, \"/c\": {}, \"/d\": {\"alow\": \"r\"},\n"
		"    \"/e\": {\"allow\": \"rw\", \"ask\": \"w\"}, \"/f\": {\"programs\": []},\n"
		"    \"/g\": {\"programs\": [\"**/x\", 1], \"for\": \"0s\"}, \"/h\": {\"allow\": \"\"} },\n"
		"  \"egress\": { \"a.test\": \"hide\", \"b.test\": \"alow\" }, \"sockets\": { \"/a*\": \"deny\", "
		"\"@\": \"allow\" },\n"
		"  \"programs\": { \"/a\": \"r\" }, \"credentials\": [], \"unlisted\": \"allow\",\n"
		"  \"environment\": { \"keep\": \"A\", \"drop\": [\"A B\", 1], \"set\": { \"1A\": \"\", \"B\": 1 } },\n"
		"  \"limits\": { \"tasks\": 0, \"memory\": \"8X\", \"task\": 1 }, \"extends\": [\"x\", \"./y\", \"/z\"] }",
		"8:68: error: no policy \"x\"; looked for it nowhere, the policy path is empty\n"
		"8:73: error: \"./y\": only a file can extend a relative path\n"
		"8:80: error: \"/z\" is neither a policy's name nor a path like \"./base.json\"\n"
		"1:3: error: unknown key \"nam\" in a policy; did you mean \"name\"?\n"
		"1:21: error: a name has up to 63 letters, digits, '.', '_' and '-'\n"
		"1:35: error: expected \"enforce\" or \"audit\", found \"Audit\"; did you mean \"audit\"?\n"
		"2:14: error: \"x\" is not absolute; did you mean \"${project}/x\", or \"**/x\" for the name anywhere?\n"
		"2:19: error: expected \"r\", \"rw\", \"rx\", \"rwx\", \"deny\", \"hide\" or \"ask\", found \"rr\"; did you mean \"r\"?\n"
		"2:31: error: expected \"r\", \"rw\", \"rx\", \"rwx\", \"deny\", \"hide\" or \"ask\", found \"hid\"; did you mean \"hide\"?\n"
		"2:44: error: expected a string, found a number\n"
		"2:53: error: a rule that says nothing; write \"deny\"\n"
		"2:64: error: unknown key \"alow\" in a file rule; did you mean \"allow\"?\n"
		"3:11: error: an access is in \"allow\" and in \"ask\"; keep one\n"
		"3:59: error: a grant to no program; name one or leave \"programs\" out\n"
		"4:25: error: \"**/x\": a grant names one program file, not a pattern\n"
		"4:33: error: expected a string, found a number\n"
		"4:44: error: expected a time like \"30s\", \"10m\", \"2h\" or \"1d\", found \"0s\"\n"
		"4:67: error: expected letters of \"rwx\", each once, found \"\"\n"
		"5:25: error: expected \"allow\", \"deny\" or \"ask\", found \"hide\"\n"
		"5:43: error: expected \"allow\", \"deny\" or \"ask\", found \"alow\"; did you mean \"allow\"?\n"
		"5:66: error: \"/a*\": a rule names one socket, not a pattern\n"
		"5:81: error: \"@\": an abstract socket's name has 1 to 107 bytes\n"
		"6:23: error: expected \"allow\" or \"deny\", found \"r\"\n"
		"6:45: error: expected an object, found an array\n"
		"6:61: error: expected \"deny\", \"hide\" or \"ask\", found \"allow\"\n"
		"7:28: error: expected an array, found a string\n"
		"7:42: error: \"A B\" is not the name of a variable, nor a pattern like \"*_TOKEN\"\n"
		"7:49: error: expected a string, found a number\n"
		"7:62: error: \"1A\" is not the name of a variable\n"
		"7:77: error: expected a string, found a number\n"
		"8:24: error: expected a number from 1 to 4194304\n"
		"8:37: error: expected bytes, or a string like \"512M\" or \"8G\", of at least \"1M\"\n"
		"8:43: error: unknown key \"task\" in \"limits\"; did you mean \"tasks\"?\n");
	assert_messages("[]", "1:1: error: expected an object, found an array\n");
	assert_messages("{\"extends\": \"base\"}", "1:13: error: expected an array, found a string\n");
}

static void the_same_key_twice_is_an_error(void **state)
{
	(void)state;
	assert_messages("{\"files\": {\"${home}/x\": \"r\",\n\"/home/u/x\": \"rw\", \"/home/u/x/\": \"r\"},\n"
			" \"sockets\": {\"/a\": \"deny\", \"/a/\": \"deny\"},\n"
			" \"egress\": {\"a.test:443,22\": \"deny\", \"A.test.\": \"deny\",\n"
			"  \"10.0.0.1\": \"deny\", \"::ffff:10.0.0.1\": \"allow\"}}",
			"2:1: error: \"/home/u/x\" is the same as \"${home}/x\" on line 1\n"
			"2:20: error: \"/home/u/x/\" is the same as \"/home/u/x\" on line 2\n"
			"4:38: error: \"A.test.\" is the same as \"a.test:443,22\" on line 4\n"
			"5:23: error: \"::ffff:10.0.0.1\" is the same as \"10.0.0.1\" on line 5\n"
			"3:28: error: \"/a/\" is the same as \"/a\" on line 3\n");
}

static void limits_accept_their_whole_range(void **state)
{
	static const struct {
		const char *memory;
		uint64_t bytes;
	} cases[] = {
		{ "1048576", 1 << 20 },
		{ "\"1M\"", 1 << 20 },
		{ "\"1024K\"", 1 << 20 },
		{ "\"2T\"", 2ULL << 40 },
	};
	static const char *const bad[] = {
		"1048575", "\"1023K\"", "-1", "0", "\"\"", "\"M\"", "\"1MB\"", "\"1m\"", "\" 1M\"",
		"\"99999999999999999999\"", "\"18446744073709551615T\"", "true",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_(policy_freep) struct policy *policy = NULL;
		_cleanup_free_ char *text = NULL;

		assert_true(asprintf(&text, "{\"limits\": {\"tasks\": 4194304, \"memory\": %s}}",
				     cases[i].memory) > 0);
		policy = parse_good(text);
		assert_true(policy->max_memory == cases[i].bytes);
		assert_int_equal(policy->max_tasks, 4194304);
	}
	for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
		_cleanup_free_ char *text = NULL;

		assert_true(asprintf(&text, "{\"limits\": {\"memory\": %s}}", bad[i]) > 0);
		assert_messages(text, "1:23: error: expected bytes, or a string like \"512M\" or \"8G\", "
				      "of at least \"1M\"\n");
	}
	assert_messages("{\"limits\": {\"tasks\": 4194305}}",
			"1:22: error: expected a number from 1 to 4194304\n");
}

/* ---- The schema ---- */

static const struct json_value *follow(const struct json_value *value, const char *keys)
{
	_cleanup_free_ char *copy = strdup(keys);
	char *rest = copy, *key;

	while (value && (key = strsep(&rest, " ")))
		value = json_member(value, key);
	return value;
}

static bool table_has(const struct section_table *table, const char *key)
{
	for (size_t i = 0; i < table->n_sections; i++)
		if (strcmp(table->sections[i].key, key) == 0)
			return true;
	return false;
}

/* Tests run in the top directory of the source tree. */
static void the_schema_has_the_keys_of_the_parser(void **state)
{
	static const struct section_table *const tables[] = { &policy_table, &file_rule_table,
							      &environment_table, &limits_table };
	_cleanup_(json_value_freep) struct json_value *schema = NULL;
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_strbuf_ struct strbuf text = { 0 };

	(void)state;
	assert_int_equal(file_read("policy/schema.json", RF_MAX_POLICY_BYTES, &text, NULL), 0);
	assert_int_equal(json_read("schema.json", text.bytes, text.size, &diag, &schema), 0);
	assert_false(diag_has_errors(&diag));
	for (size_t i = 0; i < ELEMENTSOF(tables); i++) {
		const struct json_value *properties = follow(schema, tables[i]->schema);

		assert_non_null(properties);
		for (size_t j = 0; j < tables[i]->n_sections; j++)
			if (!json_member(properties, tables[i]->sections[j].key))
				fail_msg("schema.json lacks \"%s\"", tables[i]->sections[j].key);
		for (size_t j = 0; j < properties->n_items; j++)
			if (!table_has(tables[i], properties->items[j].key))
				fail_msg("schema.json has \"%s\"", properties->items[j].key);
	}
}

/* ---- Memory ---- */

static int parse_once(void *context)
{
	_cleanup_(policy_freep) struct policy *policy = NULL;
	_cleanup_(diag_done) struct diag diag = { 0 };
	int r;

	r = policy_parse_text("t", context, strlen(context), &policy_text_context, &diag, &policy);
	/* Errors of the text are no matter here. */
	return r == -EINVAL ? 0 : r;
}

static void every_failed_allocation_is_reported(void **state)
{
	static char good[] =
		"{\"name\": \"n\", \"files\": {\"${home}/x\": \"r\", \"/b\": {\"programs\": [\"/bin/a\"], "
		"\"for\": \"1s\"}}, \"egress\": {\"a.test:1,2\": \"allow\", \"10.0.0.0/8\": \"deny\"}, "
		"\"sockets\": {\"@a\": \"deny\", \"/b\": \"deny\"}, \"programs\": {\"**/c\": \"deny\"}, "
		"\"environment\": {\"keep\": [\"A\", \"B\"], \"set\": {\"A\": \"1\", \"B\": \"2\"}}}";
	static char bad[] =
		"{\"nam\": \"n\", \"files\": {\"${hom}/x\": \"r\", \"~\": \"hid\", \"/b\": {\"programs\": "
		"[\"/b*\"], \"a\": 1}, \"/x\": \"r\", \"/x/\": \"r\"}, \"egress\": {\"a..test\": \"allow\", "
		"\"10.0.0.1/8\": \"deny\", \"http://x\": 1}, \"extends\": [\"a\", \"./b\"]}";

	(void)state;
	assert_true(fail_alloc_each(parse_once, good) > 50);
	assert_true(fail_alloc_each(parse_once, bad) > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_policy_refuses_everything),
		cmocka_unit_test(settings_are_read),
		cmocka_unit_test(file_rules_take_every_form),
		cmocka_unit_test(grants_name_programs_and_times),
		cmocka_unit_test(programs_and_sockets_are_read),
		cmocka_unit_test(all_errors_are_found_in_one_run),
		cmocka_unit_test(the_same_key_twice_is_an_error),
		cmocka_unit_test(limits_accept_their_whole_range),
		cmocka_unit_test(the_schema_has_the_keys_of_the_parser),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
