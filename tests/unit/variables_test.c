/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Variables: values, the project and its git directory, the registry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/strbuf.h"
#include "compiler/npm_registry.h"
#include "compiler/variables.h"

/*
 * root/
 *   home/            home directory
 *     repo/.git/     a repository
 *     repo/src/
 *     plain/         no repository
 *   other/.git/      somebody else's repository, or a secret
 */
struct tree {
	char root[sizeof("/tmp/variables_test.XXXXXX")];
	char **variables;
	char *messages;
};

static char *path_of(const struct tree *tree, const char *name)
{
	char *path = path_join(tree->root, name);

	assert_non_null(path);
	return path;
}

/* Makes a file and the directories above it; a name with a slash at its end is a directory. */
static void make(const struct tree *tree, const char *name, const char *text)
{
	_cleanup_free_ char *path = path_of(tree, name);
	_cleanup_fclose_ FILE *file = NULL;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
	if (!text)
		return;
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

/* The same, with the root's path for every '@' of @text. */
static void make_pointer(const struct tree *tree, const char *name, const char *text)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	for (; *text; text++) {
		if (*text == '@')
			strbuf_append_string(&out, tree->root);
		else
			strbuf_append_byte(&out, *text);
	}
	make(tree, name, strbuf_string(&out));
}

static int set_up(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	memcpy(tree->root, "/tmp/variables_test.XXXXXX", sizeof(tree->root));
	if (!mkdtemp(tree->root))
		return -1;
	make(tree, "home/repo/.git/HEAD", "ref: refs/heads/main\n");
	make(tree, "home/repo/src/", NULL);
	make(tree, "home/plain/", NULL);
	make(tree, "other/.git/HEAD", "ref: refs/heads/main\n");
	*state = tree;
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	return remove(path);
}

static int tear_down(void **state)
{
	struct tree *tree = *state;
	int r = nftw(tree->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);

	variables_free(tree->variables);
	free(tree->messages);
	free(tree);
	return r;
}

static void collect_from(struct tree *tree, const char *directory, const char *home)
{
	_cleanup_free_ char *cwd = path_of(tree, directory);
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	const struct variables_request request = {
		.uid = getuid(),
		.user = "u",
		.home = home,
		.cwd = cwd,
		.tmp = "/tmp/x",
	};

	tree->variables = variables_free(tree->variables);
	assert_int_equal(variables_collect(&request, &diag, &tree->variables), 0);
	diag_format(&diag, &out);
	free(tree->messages);
	tree->messages = strbuf_take(&out);
}

static void collect(struct tree *tree, const char *directory)
{
	_cleanup_free_ char *home = path_of(tree, "home");

	collect_from(tree, directory, home);
}

static const char *get(const struct tree *tree, const char *name)
{
	return variables_get((const char *const *)tree->variables, name);
}

/* @expected is below the root; NULL: the variable has no value. */
static void assert_below_root(const struct tree *tree, const char *name, const char *expected)
{
	_cleanup_free_ char *path = expected ? path_of(tree, expected) : NULL;

	if (!expected)
		assert_null(get(tree, name));
	else
		assert_string_equal(get(tree, name), path);
}

/* ---- The standard set ---- */

static void the_standard_set_is_complete(void **state)
{
	struct tree *tree = *state;
	char runtime[64];

	collect(tree, "home/repo/src");
	assert_string_equal(tree->messages, "");
	assert_below_root(tree, "home", "home");
	assert_below_root(tree, "config", "home/.config");
	assert_below_root(tree, "cache", "home/.cache");
	assert_below_root(tree, "data", "home/.local/share");
	assert_below_root(tree, "state", "home/.local/state");
	assert_below_root(tree, "project", "home/repo");
	assert_below_root(tree, "project_git", "home/repo/.git");
	assert_string_equal(get(tree, "user"), "u");
	assert_string_equal(get(tree, "tmp"), "/tmp/x");
	(void)snprintf(runtime, sizeof(runtime), "/run/user/%u", getuid());
	assert_string_equal(get(tree, "runtime"), runtime);
	assert_null(get(tree, "registry"));
}

static void the_environment_has_no_say(void **state)
{
	struct tree *tree = *state;

	assert_int_equal(setenv("HOME", "/evil", 1), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", "/evil", 1), 0);
	assert_int_equal(setenv("XDG_RUNTIME_DIR", "/evil", 1), 0);
	assert_int_equal(setenv("GIT_DIR", "/evil", 1), 0);
	collect(tree, "home/repo");
	for (size_t i = 0; tree->variables[i]; i++)
		assert_null(strstr(tree->variables[i], "evil"));
}

static void a_user_without_home_has_one_where_nothing_is(void **state)
{
	struct tree *tree = *state;

	collect_from(tree, "home/repo", "/");
	assert_string_equal(get(tree, "home"), "/nonexistent");
	assert_string_equal(get(tree, "config"), "/nonexistent/.config");
	assert_below_root(tree, "project", "home/repo");
	collect_from(tree, "home/repo", NULL);
	assert_string_equal(get(tree, "state"), "/nonexistent/.local/state");
}

static void paths_are_canonical(void **state)
{
	struct tree *tree = *state;
	_cleanup_free_ char *link = path_of(tree, "link"), *home = path_of(tree, "home");

	assert_int_equal(symlink(home, link), 0);
	collect_from(tree, "link/repo/src/..", link);
	assert_below_root(tree, "home", "home");
	assert_below_root(tree, "project", "home/repo");
}

/* ---- The project ---- */

static void without_a_work_tree_the_directory_is_the_project(void **state)
{
	struct tree *tree = *state;

	collect(tree, "home/plain");
	assert_below_root(tree, "project", "home/plain");
	assert_below_root(tree, "project_git", "home/plain/.git");
}

/* What is removed from a project must not widen the next start's. */
static void a_home_directory_under_version_control_is_not_taken(void **state)
{
	struct tree *tree = *state;

	make(tree, "home/.git/HEAD", "x");
	make(tree, ".git/HEAD", "x");
	collect(tree, "home/plain");
	assert_below_root(tree, "project", "home/plain");
	collect(tree, "home");
	assert_below_root(tree, "project", "home");
	assert_non_null(strstr(tree->messages, "warning: the home directory itself is the project"));
}

static void what_holds_home_directories_is_no_project(void **state)
{
	struct tree *tree = *state;

	collect(tree, "");
	assert_below_root(tree, "project", NULL);
	assert_below_root(tree, "project_git", NULL);
}

static void an_empty_git_directory_makes_no_work_tree(void **state)
{
	struct tree *tree = *state;

	make(tree, "home/repo/src/.git/", NULL);
	collect(tree, "home/repo/src");
	assert_below_root(tree, "project", "home/repo");
}

/* ---- Git directories elsewhere ---- */

static void make_worktree(struct tree *tree)
{
	make_pointer(tree, "home/wt/.git", "gitdir: @/other/.git/worktrees/wt\n");
	make_pointer(tree, "other/.git/worktrees/wt/gitdir", "@/home/wt/.git\n");
	make(tree, "other/.git/worktrees/wt/commondir", "../..\n");
}

static void a_linked_worktree_has_its_common_directory(void **state)
{
	struct tree *tree = *state;

	make_worktree(tree);
	collect(tree, "home/wt");
	assert_string_equal(tree->messages, "");
	assert_below_root(tree, "project", "home/wt");
	assert_below_root(tree, "project_git", "other/.git");
}

static void relative_pointers_are_followed(void **state)
{
	struct tree *tree = *state;

	make(tree, "home/wt/.git", "gitdir: ../../other/.git/worktrees/wt");
	make(tree, "other/.git/worktrees/wt/gitdir", "../../../../home/wt/.git\n");
	make(tree, "other/.git/worktrees/wt/commondir", "../..\n");
	collect(tree, "home/wt");
	assert_below_root(tree, "project_git", "other/.git");
}

static void a_submodule_has_its_own_directory(void **state)
{
	struct tree *tree = *state;

	make(tree, "home/repo/sub/.git", "gitdir: ../.git/modules/sub\n");
	make(tree, "home/repo/.git/modules/sub/config",
	     "[user]\n\tworktree = no\n[core]\n\tbare = false\n\tworktree = ../../../sub\n");
	collect(tree, "home/repo/sub");
	assert_string_equal(tree->messages, "");
	assert_below_root(tree, "project", "home/repo/sub");
	assert_below_root(tree, "project_git", "home/repo/.git/modules/sub");
}

static void assert_pointer_refused(struct tree *tree, const char *project)
{
	_cleanup_free_ char *git = NULL;

	assert_true(asprintf(&git, "%s/.git", project) > 0);
	collect(tree, project);
	assert_below_root(tree, "project", project);
	assert_below_root(tree, "project_git", git);
	assert_non_null(strstr(tree->messages, "/.git:1:1: warning: the git directory that this names"));
}

/* All that follows could be written by a program that may write in the project alone. */
static void a_pointer_to_a_foreign_directory_is_refused(void **state)
{
	struct tree *tree = *state;

	make_pointer(tree, "home/wt/.git", "gitdir: @/other/.git\n");
	assert_pointer_refused(tree, "home/wt");
	make_pointer(tree, "home/wt/.git", "gitdir: @/other\n");
	assert_pointer_refused(tree, "home/wt");
	make_pointer(tree, "home/wt/.git", "gitdir: @/nothing\n");
	assert_pointer_refused(tree, "home/wt");
	make(tree, "home/wt/.git", "");
	assert_pointer_refused(tree, "home/wt");
}

static void a_worktree_of_another_project_is_refused(void **state)
{
	struct tree *tree = *state;

	make_worktree(tree);
	make_pointer(tree, "home/evil/.git", "gitdir: @/other/.git/worktrees/wt\n");
	assert_pointer_refused(tree, "home/evil");
}

static void a_made_up_git_directory_is_refused(void **state)
{
	struct tree *tree = *state;

	make_pointer(tree, "home/evil/.git", "gitdir: @/home/evil/worktrees/x\n");
	make_pointer(tree, "home/evil/worktrees/x/gitdir", "@/home/evil/.git\n");
	make_pointer(tree, "home/evil/worktrees/x/commondir", "@/other\n");
	assert_pointer_refused(tree, "home/evil");
}

/* ---- Registries ---- */

static void the_users_registry_comes_before_the_systems(void **state)
{
	struct tree *tree = *state;

	make(tree, "home/.npmrc", "registry=https://own.example/npm/\n");
	make(tree, "home/repo/.npmrc", "registry=https://evil.example/\n");
	collect(tree, "home/repo");
	assert_string_equal(get(tree, "registry:npm"), "own.example");
}

static void hosts_are_taken_from_npmrc(void **state)
{
	static const struct {
		const char *text;
		const char *host;
	} cases[] = {
		{ "", NULL },
		{ "registry=https://a.example/", "a.example" },
		{ "  registry = \"https://a.example:8443/x\"\r\n", "a.example:8443" },
		{ "registry=http://a.example/", "a.example:80" },
		{ "registry=http://a.example:4873", "a.example:4873" },
		{ "registry=https://a.example/\nregistry=https://b.example/\n", "b.example" },
		{ "; registry=https://a.example/\n# registry=https://a.example/\n", NULL },
		{ "@scope:registry=https://a.example/\n", NULL },
		{ "registryx=https://a.example/\n", NULL },
		{ "registry\n=https://a.example/\n", NULL },
		{ "registry=ftp://a.example/", NULL },
		{ "registry=a.example", NULL },
		{ "registry=https://", NULL },
		{ "registry=https://u:p@a.example/", NULL },
		{ "registry=https://${HOST}/", NULL },
		{ "registry=https://*.example/", NULL },
		{ "registry=https://[::1]:80/", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_free_ char *host = NULL;

		assert_int_equal(npm_registry_parse(cases[i].text, &host), 0);
		if (cases[i].host)
			assert_string_equal(host, cases[i].host);
		else
			assert_null(host);
	}
}

int main(void)
{
#define tree_test(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		tree_test(the_standard_set_is_complete),
		tree_test(the_environment_has_no_say),
		tree_test(a_user_without_home_has_one_where_nothing_is),
		tree_test(paths_are_canonical),
		tree_test(without_a_work_tree_the_directory_is_the_project),
		tree_test(a_home_directory_under_version_control_is_not_taken),
		tree_test(what_holds_home_directories_is_no_project),
		tree_test(an_empty_git_directory_makes_no_work_tree),
		tree_test(a_linked_worktree_has_its_common_directory),
		tree_test(relative_pointers_are_followed),
		tree_test(a_submodule_has_its_own_directory),
		tree_test(a_pointer_to_a_foreign_directory_is_refused),
		tree_test(a_worktree_of_another_project_is_refused),
		tree_test(a_made_up_git_directory_is_refused),
		tree_test(the_users_registry_comes_before_the_systems),
		cmocka_unit_test(hosts_are_taken_from_npmrc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
