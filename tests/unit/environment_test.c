/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What of the caller's environment the program gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "compiler/policy.h"
#include "launch/environment.h"
#include "launch/identity.h"
#include "lib/fail_alloc.h"

static char *drop[] = {
	"*_TOKEN", "AWS_*", "LD_*", "SUDO_*", "SSH_AUTH_SOCK", "A*B*C",
};
static char *keep[] = { "OPENAI_*_TOKEN", "AWS_REGION" };
static struct variable set[] = {
	{ "CI", "1" },
	{ "AWS_PROFILE", "fence" },
	{ "SHELL", "/bin/dash" },
};

static const struct policy policy = {
	.drop = drop,
	.n_drop = ELEMENTSOF(drop),
	.keep = keep,
	.n_keep = ELEMENTSOF(keep),
	.set = set,
	.n_set = ELEMENTSOF(set),
};

static const struct identity identity = {
	.uid = 1000, .gid = 1000, .name = "user", .home = "/home/user", .shell = "/bin/bash"
};

static struct environment *build(char *const *caller, const char *tmp_dir)
{
	struct environment_request request = { .caller = caller,
					       .policy = &policy,
					       .identity = &identity,
					       .tmp_dir = tmp_dir,
					       .fence_id = "f3a1" };
	struct environment *environment = NULL;

	assert_int_equal(environment_build(&request, &environment), 0);
	return environment;
}

/* NULL if it is not there; fails if it is there twice. */
static const char *value_of(const struct environment *environment, const char *name)
{
	const char *value = NULL;
	size_t size = strlen(name);

	for (size_t i = 0; i < environment->n_variables; i++) {
		const char *variable = environment->variables[i];

		if (strncmp(variable, name, size) != 0 || variable[size] != '=')
			continue;
		assert_null(value);
		value = variable + size + 1;
	}
	return value;
}

static void assert_dropped(const struct environment *environment, const char *const *names,
			   size_t n_names)
{
	assert_int_equal(environment->n_dropped, n_names);
	for (size_t i = 0; i < n_names; i++)
		assert_string_equal(environment->dropped[i], names[i]);
}

static void test_drops_by_pattern_and_says_what(void **state)
{
	char *caller[] = { "PATH=/bin",	 "NPM_TOKEN=1",	  "AWS_SECRET=2",   "AWS=3",
			   "LD_PRELOAD=4", "SUDO_UID=5",  "SSH_AUTH_SOCK=6", "XSSH_AUTH_SOCK=7",
			   "TOKEN=8",	 "_TOKEN=9",	  "A1B2B3C=10",	    "A1C=11",
			   "ABC=12",	 "A_B_C_=13",	  NULL };
	const char *const dropped[] = { "NPM_TOKEN",	 "AWS_SECRET", "LD_PRELOAD", "SUDO_UID",
					"SSH_AUTH_SOCK", "_TOKEN",     "A1B2B3C",    "ABC" };
	_cleanup_(environment_freep) struct environment *environment = build(caller, NULL);

	(void)state;
	assert_dropped(environment, dropped, ELEMENTSOF(dropped));
	for (size_t i = 0; i < ELEMENTSOF(dropped); i++)
		assert_null(value_of(environment, dropped[i]));
	assert_string_equal(value_of(environment, "PATH"), "/bin");
	assert_string_equal(value_of(environment, "AWS"), "3");
	assert_string_equal(value_of(environment, "XSSH_AUTH_SOCK"), "7");
	assert_string_equal(value_of(environment, "TOKEN"), "8");
	assert_string_equal(value_of(environment, "A1C"), "11");
	assert_string_equal(value_of(environment, "A_B_C_"), "13");
}

static void test_keep_beats_drop(void **state)
{
	char *caller[] = { "OPENAI_API_TOKEN=k", "AWS_REGION=eu", "AWS_REGION_2=x", NULL };
	const char *const dropped[] = { "AWS_REGION_2" };
	_cleanup_(environment_freep) struct environment *environment = build(caller, NULL);

	(void)state;
	assert_string_equal(value_of(environment, "OPENAI_API_TOKEN"), "k");
	assert_string_equal(value_of(environment, "AWS_REGION"), "eu");
	assert_dropped(environment, dropped, ELEMENTSOF(dropped));
}

static void test_set_beats_everything(void **state)
{
	char *caller[] = { "CI=0", "AWS_PROFILE=mine", "SHELL=/bin/zsh", NULL };
	_cleanup_(environment_freep) struct environment *environment = build(caller, NULL);

	(void)state;
	assert_string_equal(value_of(environment, "CI"), "1");
	assert_string_equal(value_of(environment, "AWS_PROFILE"), "fence");
	assert_string_equal(value_of(environment, "SHELL"), "/bin/dash");
	assert_int_equal(environment->n_dropped, 0);
}

static void test_describes_the_user_and_the_fence(void **state)
{
	char *caller[] = { "HOME=/root",     "USER=root", "LOGNAME=root",
			   "RINGFENCE=fake", "TMPDIR=/x", NULL };
	_cleanup_(environment_freep) struct environment *environment = build(caller, "/tmp");

	(void)state;
	assert_string_equal(value_of(environment, "HOME"), "/home/user");
	assert_string_equal(value_of(environment, "USER"), "user");
	assert_string_equal(value_of(environment, "LOGNAME"), "user");
	assert_string_equal(value_of(environment, "RINGFENCE"), "f3a1");
	assert_string_equal(value_of(environment, "TMPDIR"), "/tmp");
	assert_null(environment->variables[environment->n_variables]);
}

static void test_leaves_tmpdir_without_a_private_one(void **state)
{
	char *caller[] = { "TMPDIR=/x", NULL };
	char *nothing[] = { NULL };
	_cleanup_(environment_freep) struct environment *with = build(caller, NULL);
	_cleanup_(environment_freep) struct environment *without = build(nothing, NULL);

	(void)state;
	assert_string_equal(value_of(with, "TMPDIR"), "/x");
	assert_null(value_of(without, "TMPDIR"));
}

/* A second variable of the same name must not bring back what the first one's rule was about. */
static void test_passes_no_malformed_or_repeated_variable(void **state)
{
	char *caller[] = { "=x", "NAMELESS", "", "A=1", "A=2", "B=", "C=x=y", NULL };
	_cleanup_(environment_freep) struct environment *environment = build(caller, NULL);

	(void)state;
	assert_string_equal(value_of(environment, "A"), "1");
	assert_string_equal(value_of(environment, "B"), "");
	assert_string_equal(value_of(environment, "C"), "x=y");
	for (size_t i = 0; i < environment->n_variables; i++) {
		assert_non_null(strchr(environment->variables[i], '='));
		assert_int_not_equal(environment->variables[i][0], '=');
	}
}

static int build_and_free(void *caller)
{
	struct environment_request request = { .caller = caller,
					       .policy = &policy,
					       .identity = &identity,
					       .tmp_dir = "/tmp",
					       .fence_id = "f3a1" };
	struct environment *environment = NULL;
	int error = environment_build(&request, &environment);

	assert_true((error == 0) == (environment != NULL));
	(void)environment_free(environment);
	return error;
}

static void test_survives_every_failed_allocation(void **state)
{
	char *caller[] = { "PATH=/bin", "NPM_TOKEN=1", "A=2", "LD_PRELOAD=3", NULL };

	(void)state;
	assert_true(fail_alloc_each(build_and_free, caller) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drops_by_pattern_and_says_what),
		cmocka_unit_test(test_keep_beats_drop),
		cmocka_unit_test(test_set_beats_everything),
		cmocka_unit_test(test_describes_the_user_and_the_fence),
		cmocka_unit_test(test_leaves_tmpdir_without_a_private_one),
		cmocka_unit_test(test_passes_no_malformed_or_repeated_variable),
		cmocka_unit_test(test_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
