/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The fence's own mounts: its temporary directory in place of everybody's. */
#include "launch/private_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "launch/identity.h"

static const char *const covered[] = { "/tmp", "/var/tmp" };

static bool is_covered(const char *path)
{
	for (size_t i = 0; i < ELEMENTSOF(covered); i++) {
		size_t size = strlen(covered[i]);

		if (strncmp(path, covered[i], size) == 0 && path[size] == '/')
			return true;
	}
	return false;
}

static int cover(const char *tmp_dir, const char *target)
{
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

	if (mount(tmp_dir, target, NULL, MS_BIND, NULL) < 0)
		return errno == ENOENT && access(target, F_OK) < 0 ? 0 : -errno;
	/* On the mount that is there now; its other properties are those of the directory. */
	return mount_setattr(AT_FDCWD, target, 0, &attributes, sizeof(attributes)) < 0 ? -errno : 0;
}

/* Makes the directories of @path that are missing, as the user's. */
static int make_path(const char *path, const struct identity *identity)
{
	_cleanup_free_ char *prefix = strdup(path);

	if (!prefix)
		return -ENOMEM;
	for (char *end = strchr(prefix + 1, '/'); end; end = strchr(end + 1, '/')) {
		*end = '\0';
		if (mkdir(prefix, 0700) == 0) {
			if (chown(prefix, identity->uid, identity->gid) < 0)
				return -errno;
		} else if (errno != EEXIST) {
			return -errno;
		}
		*end = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* Nobody but us has been in the private directory yet: its paths lead where they seem to. */
static int restore(int tree_fd, const char *path, const struct identity *identity)
{
	int error = make_path(path, identity);

	if (error < 0)
		return error;
	return move_mount(tree_fd, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0 ? -errno : 0;
}

int private_mounts_install(const char *tmp_dir, const char *project,
			   const struct identity *identity)
{
	_cleanup_close_ int tree_fd = -1;
	int error;

	/* As a slave: what is mounted outside later appears inside, and not the other way. */
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return -errno;
	if (project && is_covered(project)) {
		tree_fd = open_tree(AT_FDCWD, project,
				    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
		if (tree_fd < 0)
			return -errno;
	}
	for (size_t i = 0; i < ELEMENTSOF(covered); i++) {
		error = cover(tmp_dir, covered[i]);
		if (error < 0)
			return error;
	}
	return tree_fd < 0 ? 0 : restore(tree_fd, project, identity);
}
