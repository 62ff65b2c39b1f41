/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Policy files that extend others: finding, merging, cycles, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/strbuf.h"
#include "lib/policy_text.h"
#include "ringfence/limits.h"

/* A directory of policy files, and what parsing one of them says. */
struct policy_directory {
	char path[sizeof("/tmp/policy_extends_test.XXXXXX")];
	struct policy *policy;
	char *messages;
};

static int set_up(void **state)
{
	struct policy_directory *directory = calloc(1, sizeof(*directory));

	memcpy(directory->path, "/tmp/policy_extends_test.XXXXXX", sizeof(directory->path));
	if (!mkdtemp(directory->path))
		return -1;
	*state = directory;
	return 0;
}

static char *path_in(const struct policy_directory *directory, const char *name)
{
	char *path = path_join(directory->path, name);

	assert_non_null(path);
	return path;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "a.json", "b.json", "c.json", "d.json",
					     "agents/c.json", "toolchains/c.json",
					     "toolchains/d.json", "agents", "toolchains", "" };
	struct policy_directory *directory = *state;

	for (size_t i = 0; i < ELEMENTSOF(names); i++) {
		_cleanup_free_ char *path = path_in(directory, names[i]);

		(void)remove(path); /* Not every test makes every file. */
	}
	policy_free(directory->policy);
	free(directory->messages);
	free(directory);
	return 0;
}

static void write_file(const struct policy_directory *directory, const char *name,
		       const char *text)
{
	_cleanup_free_ char *path = path_in(directory, name), *agents = path_in(directory, "agents");
	_cleanup_free_ char *toolchains = path_in(directory, "toolchains");
	_cleanup_fclose_ FILE *file = NULL;

	assert_true(mkdir(agents, 0700) == 0 || errno == EEXIST);
	assert_true(mkdir(toolchains, 0700) == 0 || errno == EEXIST);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

/* Parses with the directory as the policy path; in messages it is called DIR. */
static struct policy *parse_file(struct policy_directory *directory, const char *name)
{
	const char *const search[] = { "/nonexistent", directory->path, NULL };
	struct parse_context context = { .variables = policy_text_context.variables,
					 .search = search };
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_strbuf_ struct strbuf all = { 0 }, out = { 0 };
	const char *next, *found;

	directory->policy = policy_free(directory->policy);
	(void)policy_parse_file(name, &context, &diag, &directory->policy);
	diag_format(&diag, &all);
	for (next = strbuf_string(&all); (found = strstr(next, directory->path));
	     next = found + strlen(directory->path)) {
		strbuf_append(&out, next, (size_t)(found - next));
		strbuf_append_string(&out, "DIR");
	}
	strbuf_append_string(&out, next);
	free(directory->messages);
	directory->messages = strbuf_take(&out);
	return directory->policy;
}

static const struct path_rule *find_rule(const struct policy *policy, const char *pattern)
{
	for (size_t i = 0; i < policy->n_files_rules; i++)
		if (strcmp(policy->files_rules[i].pattern, pattern) == 0)
			return &policy->files_rules[i];
	return NULL;
}

static void later_files_replace_keys(void **state)
{
	struct policy_directory *directory = *state;
	const struct policy *policy;

	write_file(directory, "a.json",
		   "{\"extends\": [\"b\", \"toolchains/d\"],\n"
		   " \"files\": {\"/home/u/x\": \"r\"}, \"environment\": {\"set\": {\"B\": \"own\"}}}");
	write_file(directory, "b.json",
		   "{\"name\": \"bee\", \"mode\": \"audit\", \"unlisted\": \"ask\",\n"
		   " \"files\": {\"/p\": \"r\", \"${home}/x\": \"rwx\", \"/q\": \"r\"},\n"
		   " \"egress\": {\"a.test:443,22\": \"deny\"}, \"limits\": {\"tasks\": 5},\n"
		   " \"environment\": {\"keep\": [\"A\"], \"set\": {\"A\": \"1\", \"B\": \"1\"}}}");
	write_file(directory, "toolchains/d.json",
		   "{\"mode\": \"enforce\", \"files\": {\"/p\": \"hide\"}, \"limits\": {\"memory\": \"1G\"},\n"
		   " \"egress\": {\"A.test\": \"allow\"}, \"environment\": {\"keep\": [\"A\", \"C\"]}}");
	policy = parse_file(directory, "a");
	assert_string_equal(directory->messages, "");
	assert_string_equal(policy->name, "a");
	assert_false(policy->is_audit);
	assert_int_equal(policy->unlisted, RF_VERDICT_ASK);
	assert_int_equal(policy->n_files_rules, 3);
	assert_int_equal(find_rule(policy, "/p")->answer.refusal, RF_VERDICT_HIDE);
	assert_int_equal(find_rule(policy, "/home/u/x")->answer.allow, RF_ACCESS_READ);
	assert_string_equal(find_rule(policy, "/home/u/x")->position.file, policy->files[0]);
	assert_int_equal(policy->n_egress_rules, 2);
	assert_int_equal(policy->egress_rules[0].first_port, 22);
	assert_int_equal(policy->egress_rules[1].verdict, RF_VERDICT_ALLOW);
	assert_int_equal(policy->max_tasks, 5);
	assert_true(policy->max_memory == 1ULL << 30);
	assert_int_equal(policy->n_keep, 2);
	assert_int_equal(policy->n_set, 2);
	assert_string_equal(policy->set[1].value, "own");
	assert_int_equal(policy->n_files, 3);
}

static void names_are_found_in_folders(void **state)
{
	struct policy_directory *directory = *state;

	write_file(directory, "toolchains/c.json", "{\"name\": \"toolchain\"}");
	assert_string_equal(parse_file(directory, "c")->name, "toolchain");
	write_file(directory, "agents/c.json", "{\"name\": \"agent\"}");
	assert_string_equal(parse_file(directory, "c")->name, "agent");
	write_file(directory, "c.json", "{\"name\": \"top\"}");
	assert_string_equal(parse_file(directory, "c")->name, "top");
	assert_string_equal(parse_file(directory, "toolchains/c")->name, "toolchain");
}

static void what_two_profiles_extend_counts_once(void **state)
{
	struct policy_directory *directory = *state;

	write_file(directory, "a.json", "{\"extends\": [\"b\", \"c\"]}");
	write_file(directory, "b.json", "{\"extends\": [\"d\"], \"files\": {\"/x\": \"rw\"}}");
	write_file(directory, "c.json", "{\"extends\": [\"./d.json\"]}");
	write_file(directory, "d.json", "{\"files\": {\"/x\": \"deny\"}}");
	assert_non_null(parse_file(directory, "a"));
	assert_int_equal(find_rule(directory->policy, "/x")->answer.allow,
			 RF_ACCESS_READ | RF_ACCESS_WRITE);
	assert_int_equal(directory->policy->n_files, 4);
}

static void relative_paths_start_at_the_file(void **state)
{
	struct policy_directory *directory = *state;
	_cleanup_free_ char *path = path_in(directory, "toolchains/c.json");

	write_file(directory, "toolchains/c.json", "{\"extends\": [\"./d.json\", \"../a.json\"]}");
	write_file(directory, "toolchains/d.json", "{\"files\": {\"/d\": \"r\"}}");
	write_file(directory, "a.json", "{\"files\": {\"/a\": \"r\"}}");
	assert_non_null(parse_file(directory, path));
	assert_int_equal(directory->policy->n_files_rules, 2);
	assert_string_equal(directory->policy->files[1] + strlen(directory->path),
			    "/toolchains/d.json");
}

static void cycles_are_refused_by_name(void **state)
{
	struct policy_directory *directory = *state;

	write_file(directory, "a.json", "{\"extends\": [\"b\"]}");
	write_file(directory, "b.json", "{\"extends\":\n [\"c\", \"./c.json\"]}");
	write_file(directory, "c.json", "{\"extends\": [\"b\"]}");
	assert_null(parse_file(directory, "a"));
	assert_string_equal(directory->messages,
			    "DIR/c.json:1:14: error: \"extends\" leads back here: DIR/b.json -> DIR/c.json "
			    "-> DIR/b.json\n");
	write_file(directory, "d.json", "{\"extends\": [\"d\"]}");
	assert_null(parse_file(directory, "d"));
	assert_string_equal(directory->messages,
			    "DIR/d.json:1:14: error: \"extends\" leads back here: DIR/d.json -> "
			    "DIR/d.json\n");
}

static void missing_files_say_where_they_were_looked_for(void **state)
{
	struct policy_directory *directory = *state;

	write_file(directory, "a.json", "{\"extends\": [\"x\", \"y/z\", \"./agents\"], \"modus\": 1}");
	assert_null(parse_file(directory, "a"));
	assert_string_equal(directory->messages,
			    "DIR/a.json:1:14: error: no policy \"x\"; looked for /nonexistent/x.json, "
			    "/nonexistent/agents/x.json, /nonexistent/toolchains/x.json, DIR/x.json, "
			    "DIR/agents/x.json, DIR/toolchains/x.json\n"
			    "DIR/a.json:1:19: error: no policy \"y/z\"; looked for /nonexistent/y/z.json, "
			    "DIR/y/z.json\n"
			    "DIR/a.json:1:26: error: cannot read \"DIR/agents\": not a file\n"
			    "DIR/a.json:1:39: error: unknown key \"modus\" in a policy; did you mean "
			    "\"mode\"?\n");
	assert_null(parse_file(directory, "/nonexistent/p.json"));
	assert_string_equal(directory->messages,
			    "/nonexistent/p.json: error: cannot read \"/nonexistent/p.json\": No such "
			    "file or directory\n");
}

static void errors_of_all_files_are_found_in_one_run(void **state)
{
	struct policy_directory *directory = *state;

	write_file(directory, "a.json", "{\"extends\": [\"b\", \"c\"], \"mode\": 1}");
	write_file(directory, "b.json", "{\"mode\": }");
	write_file(directory, "c.json", "{\"mode\": 2}");
	assert_null(parse_file(directory, "a"));
	assert_string_equal(directory->messages,
			    "DIR/b.json:1:10: error: expected a value, found '}'\n"
			    "DIR/c.json:1:10: error: expected a string, found a number\n"
			    "DIR/a.json:1:33: error: expected a string, found a number\n");
}

static void a_file_cannot_extend_too_many(void **state)
{
	struct policy_directory *directory = *state;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_append_string(&text, "{\"extends\": [");
	for (int i = 0; i <= RF_MAX_EXTENDS; i++) {
		_cleanup_free_ char *path = NULL;

		strbuf_printf(&text, "%s\"./agents/%d.json\"", i ? "," : "", i);
		assert_true(asprintf(&path, "agents/%d.json", i) > 0);
		write_file(directory, path, "{}");
	}
	strbuf_append_string(&text, "]}");
	write_file(directory, "a.json", strbuf_string(&text));
	assert_null(parse_file(directory, "a"));
	assert_string_equal(directory->messages,
			    "DIR/a.json:1:1220: error: extends more than 64 files\n");
	for (int i = 0; i <= RF_MAX_EXTENDS; i++) {
		_cleanup_free_ char *name = NULL, *path = NULL;

		assert_true(asprintf(&name, "agents/%d.json", i) > 0);
		path = path_in(directory, name);
		assert_int_equal(remove(path), 0);
	}
}

int main(void)
{
#define file_test(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		file_test(later_files_replace_keys),
		file_test(names_are_found_in_folders),
		file_test(what_two_profiles_extend_counts_once),
		file_test(relative_paths_start_at_the_file),
		file_test(cycles_are_refused_by_name),
		file_test(missing_files_say_where_they_were_looked_for),
		file_test(errors_of_all_files_are_found_in_one_run),
		file_test(a_file_cannot_extend_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
