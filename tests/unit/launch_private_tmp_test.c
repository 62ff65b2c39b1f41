/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The private temporary directory: how it is made, and that everything in it goes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "launch/identity.h"
#include "launch/private_tmp.h"

#define DEPTH 10000

/*
 * A directory of the test's own:
 *
 *	BASE/state/tmp/FENCE    under test
 *	BASE/outside/kept       must survive
 */
struct fixture {
	char base[64];
	char state_dir[128];
	char outside[128];
	char kept[160];
	struct identity identity;
};

static void make_file(int directory_fd, const char *name)
{
	int fd = openat(directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	(void)snprintf(fixture->base, sizeof(fixture->base), "/dev/shm/private_tmp_test.XXXXXX");
	assert_non_null(mkdtemp(fixture->base));
	(void)snprintf(fixture->state_dir, sizeof(fixture->state_dir), "%s/state", fixture->base);
	(void)snprintf(fixture->outside, sizeof(fixture->outside), "%s/outside", fixture->base);
	(void)snprintf(fixture->kept, sizeof(fixture->kept), "%s/kept", fixture->outside);
	assert_int_equal(mkdir(fixture->outside, 0700), 0);
	make_file(AT_FDCWD, fixture->kept);
	fixture->identity = (struct identity){ .uid = getuid(), .gid = getgid() };
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char tmp[160];

	(void)snprintf(tmp, sizeof(tmp), "%s/tmp", fixture->state_dir);
	(void)chmod(fixture->state_dir, 0700);
	(void)rmdir(tmp);
	(void)unlink(tmp);
	(void)rmdir(fixture->state_dir);
	(void)unlink(fixture->kept);
	(void)rmdir(fixture->outside);
	assert_int_equal(rmdir(fixture->base), 0);
	free(fixture);
	return 0;
}

static int create_and_open(struct fixture *fixture)
{
	_cleanup_free_ char *path = NULL;
	int fd;

	assert_int_equal(private_tmp_create(fixture->state_dir, "fence", &fixture->identity, &path),
			 0);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void assert_removed(struct fixture *fixture)
{
	char path[192];

	assert_int_equal(private_tmp_remove(fixture->state_dir, "fence"), 0);
	(void)snprintf(path, sizeof(path), "%s/tmp/fence", fixture->state_dir);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(access(fixture->kept, F_OK), 0);
}

static void assert_mode(const char *directory, const char *name, mode_t mode)
{
	char path[256];
	struct stat status;

	(void)snprintf(path, sizeof(path), "%s%s", directory, name);
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISDIR(status.st_mode));
	assert_int_equal(status.st_mode & 07777, mode);
}

static void test_modes_do_not_depend_on_the_umask(void **state)
{
	struct fixture *fixture = *state;
	mode_t old = umask(077);
	int fd = create_and_open(fixture);

	(void)umask(old);
	(void)close(fd);
	assert_mode(fixture->state_dir, "", 0755);
	assert_mode(fixture->state_dir, "/tmp", 0711);
	assert_mode(fixture->state_dir, "/tmp/fence", 0700);
	assert_removed(fixture);
}

static void test_belongs_to_the_user(void **state)
{
	struct fixture *fixture = *state;
	struct stat status;
	int fd;

	if (geteuid() != 0)
		skip(); /* Only root can give a directory away. */
	fixture->identity = (struct identity){ .uid = 1234, .gid = 2345 };
	fd = create_and_open(fixture);
	assert_int_equal(fstat(fd, &status), 0);
	(void)close(fd);
	assert_int_equal(status.st_uid, 1234);
	assert_int_equal(status.st_gid, 2345);
	assert_removed(fixture);
}

static void test_an_existing_one_is_refused(void **state)
{
	struct fixture *fixture = *state;
	char *path = NULL;
	int fd = create_and_open(fixture);

	make_file(fd, "mine");
	assert_int_equal(private_tmp_create(fixture->state_dir, "fence", &fixture->identity, &path),
			 -EEXIST);
	assert_null(path);
	assert_int_equal(faccessat(fd, "mine", F_OK, 0), 0);
	(void)close(fd);
	assert_removed(fixture);
}

static void test_names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const names[] = { "", ".", "..", "a/b", "/a", "../outside" };
	struct fixture *fixture = *state;
	char *path = NULL;

	for (size_t i = 0; i < ELEMENTSOF(names); i++) {
		const char *name = names[i];

		assert_int_equal(private_tmp_create(fixture->state_dir, name, &fixture->identity,
						    &path), -EINVAL);
		assert_int_equal(private_tmp_remove(fixture->state_dir, name), -EINVAL);
	}
	assert_null(path);
}

static void test_a_parent_that_others_can_change_is_refused(void **state)
{
	struct fixture *fixture = *state;
	char *path = NULL;

	assert_int_equal(mkdir(fixture->state_dir, 0700), 0);
	assert_int_equal(chmod(fixture->state_dir, 0777), 0);
	assert_int_equal(private_tmp_create(fixture->state_dir, "fence", &fixture->identity, &path),
			 -EPERM);
	assert_null(path);
}

static void test_a_parent_that_is_a_link_is_refused(void **state)
{
	struct fixture *fixture = *state;
	char *path = NULL;
	char tmp[160];

	assert_int_equal(mkdir(fixture->state_dir, 0700), 0);
	(void)snprintf(tmp, sizeof(tmp), "%s/tmp", fixture->state_dir);
	assert_int_equal(symlink(fixture->outside, tmp), 0);
	assert_int_equal(private_tmp_create(fixture->state_dir, "fence", &fixture->identity, &path),
			 -ENOTDIR);
	assert_true(private_tmp_remove(fixture->state_dir, "kept") < 0);
	assert_int_equal(access(fixture->kept, F_OK), 0);
	assert_null(path);
}

static void test_removes_hostile_names_and_links(void **state)
{
	static const char *const names[] = {
		"new\nline", "-rf", "*", "\xff\xfe", " ", "...", "0", "1",
	};
	struct fixture *fixture = *state;
	int fd = create_and_open(fixture);
	int sub_fd;

	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		make_file(fd, names[i]);
	/* Directories below the top are moved there, to names that may be taken. */
	assert_int_equal(mkdirat(fd, "sub", 0700), 0);
	sub_fd = openat(fd, "sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(sub_fd >= 0);
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		assert_int_equal(mkdirat(sub_fd, names[i], 0700), 0);
	assert_int_equal(symlinkat(fixture->outside, sub_fd, "link"), 0);
	assert_int_equal(symlinkat(fixture->outside, fd, "link"), 0);
	assert_int_equal(linkat(AT_FDCWD, fixture->kept, fd, "hard", 0), 0);
	assert_int_equal(mkfifoat(fd, "fifo", 0600), 0);
	(void)close(sub_fd);
	(void)close(fd);
	assert_removed(fixture);
}

static void test_removes_unreadable_directories(void **state)
{
	struct fixture *fixture = *state;
	int fd;

	if (geteuid() != 0)
		skip(); /* Modes bind everybody else. */
	fd = create_and_open(fixture);
	assert_int_equal(mkdirat(fd, "closed", 0700), 0);
	assert_int_equal(mkdirat(fd, "closed/within", 0700), 0);
	make_file(fd, "closed/within/file");
	assert_int_equal(fchmodat(fd, "closed/within", 0, 0), 0);
	assert_int_equal(fchmodat(fd, "closed", 0, 0), 0);
	(void)close(fd);
	assert_removed(fixture);
}

static void test_removes_a_tree_deeper_than_any_path(void **state)
{
	struct fixture *fixture = *state;
	int fd = create_and_open(fixture);

	for (int i = 0; i < DEPTH; i++) {
		int next_fd;

		make_file(fd, "file");
		assert_int_equal(mkdirat(fd, "directory", 0700), 0);
		next_fd = openat(fd, "directory", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next_fd >= 0);
		(void)close(fd);
		fd = next_fd;
	}
	(void)close(fd);
	assert_removed(fixture);
}

static void test_removing_what_is_not_there_is_an_error(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(private_tmp_remove(fixture->state_dir, "fence"), -ENOENT);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_modes_do_not_depend_on_the_umask),
		TEST(test_belongs_to_the_user),
		TEST(test_an_existing_one_is_refused),
		TEST(test_names_that_lead_elsewhere_are_refused),
		TEST(test_a_parent_that_others_can_change_is_refused),
		TEST(test_a_parent_that_is_a_link_is_refused),
		TEST(test_removes_hostile_names_and_links),
		TEST(test_removes_unreadable_directories),
		TEST(test_removes_a_tree_deeper_than_any_path),
		TEST(test_removing_what_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests_name("private_tmp", tests, NULL, NULL);
}
