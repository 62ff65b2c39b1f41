/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Whom the program runs as, against the user database of the machine. */
#include <errno.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "launch/identity.h"
#include "lib/fail_alloc.h"

/* Every machine has these. */
#define KNOWN_NAME "nobody"
/* Nobody's, here and on any machine that tests run on. */
#define FREE_ID 1234567890

struct known {
	uid_t uid;
	gid_t gid;
	char uid_text[16];
	char gid_text[16];
};

static struct known known_user(void)
{
	const struct passwd *entry = getpwnam(KNOWN_NAME);
	struct known known;

	assert_non_null(entry);
	known.uid = entry->pw_uid;
	known.gid = entry->pw_gid;
	(void)snprintf(known.uid_text, sizeof(known.uid_text), "%u", known.uid);
	(void)snprintf(known.gid_text, sizeof(known.gid_text), "%u", known.gid);
	return known;
}

static struct identity *resolve(struct identity_request request)
{
	struct identity *identity = NULL;
	const char *problem = NULL;

	if (identity_resolve(&request, &identity, &problem) < 0)
		fail_msg("%s", problem);
	assert_null(problem);
	return identity;
}

static void assert_refused(struct identity_request request, int error)
{
	struct identity *identity = NULL;
	const char *problem = NULL;

	assert_int_equal(identity_resolve(&request, &identity, &problem), error);
	assert_null(identity);
	assert_non_null(problem);
}

static bool has_group(const struct identity *identity, gid_t gid)
{
	for (size_t i = 0; i < identity->n_groups; i++)
		if (identity->groups[i] == gid)
			return true;
	return false;
}

static void test_root_without_sudo_is_root(void **state)
{
	_cleanup_(identity_freep) struct identity *identity =
		resolve((struct identity_request){ .caller_uid = 0 });

	(void)state;
	assert_int_equal(identity->uid, 0);
	assert_int_equal(identity->gid, 0);
	assert_string_equal(identity->name, "root");
}

static void test_sudo_gives_the_calling_user(void **state)
{
	struct known known = known_user();
	_cleanup_(identity_freep) struct identity *identity =
		resolve((struct identity_request){ .sudo_uid = known.uid_text,
						   .sudo_gid = known.gid_text,
						   .sudo_user = KNOWN_NAME });

	(void)state;
	assert_int_equal(identity->uid, known.uid);
	assert_int_equal(identity->gid, known.gid);
	assert_string_equal(identity->name, KNOWN_NAME);
	assert_non_null(identity->home);
	assert_non_null(identity->shell);
	assert_true(has_group(identity, known.gid));
}

static void test_sudo_by_root_gives_root(void **state)
{
	_cleanup_(identity_freep) struct identity *identity =
		resolve((struct identity_request){ .sudo_uid = "0", .sudo_user = "root" });

	(void)state;
	assert_int_equal(identity->uid, 0);
}

static void test_sudo_variables_that_disagree_are_refused(void **state)
{
	struct known known = known_user();
	char *uid = known.uid_text;

	(void)state;
	assert_refused((struct identity_request){ .sudo_user = KNOWN_NAME }, -EINVAL);
	assert_refused((struct identity_request){ .sudo_gid = "0" }, -EINVAL);
	assert_refused((struct identity_request){ .sudo_uid = uid, .sudo_user = "root" }, -EINVAL);
	assert_refused((struct identity_request){ .sudo_uid = "0", .sudo_user = KNOWN_NAME },
		       -EINVAL);
	assert_refused((struct identity_request){ .sudo_uid = uid, .sudo_user = "no-such-user" },
		       -EINVAL);
	/* Not one of its groups. */
	assert_refused((struct identity_request){ .sudo_uid = uid, .sudo_gid = "0" }, -EINVAL);
	assert_refused((struct identity_request){ .sudo_uid = uid, .sudo_gid = "x" }, -EINVAL);
}

static void test_ids_are_parsed_strictly(void **state)
{
	static const char *const wrong[] = {
		"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "1e1", "4294967295", "4294967296",
		"18446744073709551616", "99999999999999999999999", "root", "1\n",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(wrong); i++)
		assert_refused((struct identity_request){ .sudo_uid = wrong[i] }, -EINVAL);
}

/* Only root can have been called by sudo. */
static void test_sudo_variables_of_others_are_ignored(void **state)
{
	struct known known = known_user();
	_cleanup_(identity_freep) struct identity *identity =
		resolve((struct identity_request){ .caller_uid = known.uid,
						   .sudo_uid = "0",
						   .sudo_user = "root" });

	(void)state;
	assert_int_equal(identity->uid, known.uid);
}

static void test_user_without_an_entry(void **state)
{
	_cleanup_(identity_freep) struct identity *by_caller =
		resolve((struct identity_request){ .caller_uid = FREE_ID });
	_cleanup_(identity_freep) struct identity *by_sudo = resolve(
		(struct identity_request){ .sudo_uid = "1234567890", .sudo_gid = "1234567891" });

	(void)state;
	assert_int_equal(by_caller->uid, FREE_ID);
	assert_int_equal(by_caller->gid, FREE_ID);
	assert_string_equal(by_caller->name, "1234567890");
	assert_string_equal(by_caller->home, "/");
	assert_int_equal(by_caller->n_groups, 1);
	assert_int_equal(by_sudo->uid, FREE_ID);
	assert_int_equal(by_sudo->gid, FREE_ID + 1);
	assert_int_equal(by_sudo->n_groups, 1);
	assert_int_equal(by_sudo->groups[0], FREE_ID + 1);
}

static void test_named_user_beats_sudo(void **state)
{
	struct known known = known_user();
	_cleanup_(identity_freep) struct identity *by_name =
		resolve((struct identity_request){ .user = KNOWN_NAME, .sudo_uid = "0" });
	_cleanup_(identity_freep) struct identity *by_id =
		resolve((struct identity_request){ .user = known.uid_text });

	(void)state;
	assert_int_equal(by_name->uid, known.uid);
	assert_int_equal(by_name->gid, known.gid);
	assert_int_equal(by_id->uid, known.uid);
	assert_string_equal(by_id->name, KNOWN_NAME);
	assert_refused((struct identity_request){ .user = "no-such-user" }, -ENOENT);
	assert_refused((struct identity_request){ .user = "" }, -ENOENT);
	assert_refused((struct identity_request){ .user = "4294967295" }, -ENOENT);
}

static int resolve_and_free(void *user)
{
	struct identity_request request = { .user = user };
	struct identity *identity = NULL;
	const char *problem = NULL;
	int error = identity_resolve(&request, &identity, &problem);

	assert_true((error == 0) == (identity != NULL));
	assert_true((error == 0) == (problem == NULL));
	(void)identity_free(identity);
	return error;
}

static void test_survives_every_failed_allocation(void **state)
{
	char known[] = KNOWN_NAME;
	char nameless[] = "1234567890";

	(void)state;
	assert_true(fail_alloc_each(resolve_and_free, known) > 0);
	assert_true(fail_alloc_each(resolve_and_free, nameless) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root_without_sudo_is_root),
		cmocka_unit_test(test_sudo_gives_the_calling_user),
		cmocka_unit_test(test_sudo_by_root_gives_root),
		cmocka_unit_test(test_sudo_variables_that_disagree_are_refused),
		cmocka_unit_test(test_ids_are_parsed_strictly),
		cmocka_unit_test(test_sudo_variables_of_others_are_ignored),
		cmocka_unit_test(test_user_without_an_entry),
		cmocka_unit_test(test_named_user_beats_sudo),
		cmocka_unit_test(test_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
