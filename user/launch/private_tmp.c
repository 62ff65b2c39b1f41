/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The fence's private temporary directory. */
#include "launch/private_tmp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "launch/identity.h"

static void close_directory(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory); /* Nothing was written. */
}
#define _cleanup_closedir_ _cleanup_(close_directory)

/* One component, never through a symbolic link or into another mount. */
static int open_child(int parent_fd, const char *name)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_BENEATH,
	};
	int fd = (int)syscall(SYS_openat2, parent_fd, name, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static bool is_component(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* ---- Creation ---- */

/* Nobody else may change what the path below it means. */
static int check_parent(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	return 0;
}

/* Makes it if it is missing; @name may be a path for a parent_fd of AT_FDCWD. */
static int open_parent(int parent_fd, const char *name, mode_t mode, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	bool is_new = mkdirat(parent_fd, name, mode) == 0;
	int error;

	if (!is_new && errno != EEXIST)
		return -errno;
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = check_parent(fd);
	if (error < 0)
		return error;
	if (is_new && fchmod(fd, mode) < 0) /* Whatever the umask. */
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int make_own(int tmp_fd, const char *fence_id, const struct identity *identity)
{
	_cleanup_close_ int fd = -1;

	if (mkdirat(tmp_fd, fence_id, 0700) < 0)
		return -errno;
	fd = open_child(tmp_fd, fence_id);
	if (fd >= 0 && fchown(fd, identity->uid, identity->gid) == 0 && fchmod(fd, 0700) == 0)
		return 0;
	return fd < 0 ? fd : -errno;
}

int private_tmp_create(const char *state_dir, const char *fence_id,
		       const struct identity *identity, char **ret_path)
{
	_cleanup_close_ int state_fd = -1;
	_cleanup_close_ int tmp_fd = -1;
	_cleanup_free_ char *path = NULL;
	int error;

	if (!is_component(fence_id))
		return -EINVAL;
	error = open_parent(AT_FDCWD, state_dir, 0755, &state_fd);
	if (error < 0)
		return error;
	error = open_parent(state_fd, "tmp", 0711, &tmp_fd);
	if (error < 0)
		return error;
	if (asprintf(&path, "%s/tmp/%s", state_dir, fence_id) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	error = make_own(tmp_fd, fence_id, identity);
	if (error < 0) {
		if (error != -EEXIST)
			(void)unlinkat(tmp_fd, fence_id, AT_REMOVEDIR); /* Empty, or not there. */
		return error;
	}
	*ret_path = TAKE_PTR(path);
	return 0;
}

/* ---- Removal ---- */

/**
 * struct removal - State of removing one tree
 * @top_fd:  The tree's directory.
 * @counter: Makes names for directories moved there.
 * @has_progress: The pass has removed or moved something.
 * @error:   The first; 0.
 *
 * Depth costs nothing: a directory found below the top is not entered but moved up to it, where it
 * is emptied in its turn. Two directories are open at a time, and no path grows.
 */
struct removal {
	int top_fd;
	unsigned long counter;
	bool has_progress;
	int error;
};

static void note_error(struct removal *removal, int error)
{
	if (!removal->error)
		removal->error = error;
}

static int open_listing(int parent_fd, const char *name, DIR **ret_directory)
{
	_cleanup_close_ int fd = open_child(parent_fd, name);
	DIR *directory;

	if (fd < 0)
		return fd;
	directory = fdopendir(fd);
	if (!directory)
		return -errno;
	(void)TAKE_FD(fd); /* The listing's now. */
	*ret_directory = directory;
	return 0;
}

/* NULL at the end, and if an error ends the listing, with the error noted. */
static const char *next_name(struct removal *removal, DIR *directory)
{
	const struct dirent *entry;

	do {
		errno = 0;
		entry = readdir(directory);
	} while (entry && !is_component(entry->d_name));
	if (!entry && errno)
		note_error(removal, -errno);
	return entry ? entry->d_name : NULL;
}

/* Moves the directory @name to the top, under a name that is free there. */
static int move_to_top(struct removal *removal, int parent_fd, const char *name)
{
	char free_name[32];

	do {
		(void)snprintf(free_name, sizeof(free_name), "%lu", removal->counter++);
		if (renameat2(parent_fd, name, removal->top_fd, free_name, RENAME_NOREPLACE) == 0)
			return 0;
	} while (errno == EEXIST);
	return -errno;
}

/* Removes a file or an empty directory; -ENOTEMPTY otherwise. */
static int remove_entry(int parent_fd, const char *name)
{
	if (unlinkat(parent_fd, name, 0) == 0)
		return 0;
	if (errno == EISDIR && unlinkat(parent_fd, name, AT_REMOVEDIR) == 0)
		return 0;
	return -errno;
}

/* Empties a directory of the top. */
static int empty_directory(struct removal *removal, const char *name)
{
	_cleanup_closedir_ DIR *directory = NULL;
	const char *child;
	int error;

	error = open_listing(removal->top_fd, name, &directory);
	if (error < 0)
		return error;
	while ((child = next_name(removal, directory))) {
		error = remove_entry(dirfd(directory), child);
		if (error == -ENOTEMPTY)
			error = move_to_top(removal, dirfd(directory), child);
		if (error < 0)
			note_error(removal, error);
		else
			removal->has_progress = true;
	}
	return 0;
}

static void remove_from_top(struct removal *removal, const char *name)
{
	int error = remove_entry(removal->top_fd, name);

	if (error == -ENOTEMPTY)
		error = empty_directory(removal, name) ?: remove_entry(removal->top_fd, name);
	if (error < 0)
		note_error(removal, error);
	else
		removal->has_progress = true;
}

/*
 * A pass may miss what it moves to the top itself, so there are passes until one changes nothing.
 * With the fence's tasks gone, nobody adds to the tree.
 */
static void empty_top(struct removal *removal, DIR *top)
{
	const char *name;

	do {
		removal->has_progress = false;
		rewinddir(top);
		while ((name = next_name(removal, top)))
			remove_from_top(removal, name);
	} while (removal->has_progress);
}

int private_tmp_remove(const char *state_dir, const char *fence_id)
{
	struct removal removal = { .error = 0 };
	_cleanup_closedir_ DIR *top = NULL;
	_cleanup_free_ char *parent = NULL;
	_cleanup_close_ int tmp_fd = -1;
	int error;

	if (!is_component(fence_id))
		return -EINVAL;
	if (asprintf(&parent, "%s/tmp", state_dir) < 0) {
		parent = NULL;
		return -ENOMEM;
	}
	tmp_fd = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (tmp_fd < 0)
		return -errno;
	error = open_listing(tmp_fd, fence_id, &top);
	if (error < 0)
		return error;
	removal.top_fd = dirfd(top);
	empty_top(&removal, top);
	if (unlinkat(tmp_fd, fence_id, AT_REMOVEDIR) < 0)
		note_error(&removal, -errno);
	return removal.error;
}

int private_tmp_lock(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static bool is_looked_after(int parent_fd, const char *name)
{
	_cleanup_close_ int fd =
		openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0;
}

void private_tmp_remove_stale(const char *state_dir, bool (*is_in_use)(const char *fence_id))
{
	_cleanup_free_ char *path = path_join(state_dir, "tmp");
	_cleanup_(close_directory) DIR *directory = path ? opendir(path) : NULL;
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && !is_looked_after(dirfd(directory), entry->d_name) &&
		    !is_in_use(entry->d_name))
			(void)private_tmp_remove(state_dir, entry->d_name); /* The next run tries again. */
}
