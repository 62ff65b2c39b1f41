/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A fence's cgroup, and who is in it. */
#include "kernel/membership.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/identify.h"
#include "kernel/loader.h"
#include "kernel/pins.h"
#include "ringfence.skel.h"

#define FENCES_DIR "ringfence"

/**
 * struct membership - See the header
 * @parent_fd: The directory of all fences.
 * @fd:        The fence's own, locked while somebody looks after it.
 */
struct membership {
	char id[32];
	int parent_fd;
	int fd;
	int kill_fd;
	uint64_t cgroup;
};

/* Opens where the unified hierarchy is mounted, wherever that is. */
static int open_hierarchy(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;
	int fd = -ENOENT;

	if (!mounts)
		return -errno;
	while (fd < 0 && (mount = getmntent(mounts)))
		if (strcmp(mount->mnt_type, "cgroup2") == 0)
			fd = open(mount->mnt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)endmntent(mounts);
	return fd;
}

static int write_file(int dir_fd, const char *name, const char *text)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static int read_file(int dir_fd, const char *name, char *buf, size_t size)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	if (len < 0)
		return -errno;
	buf[len] = '\0';
	return 0;
}

static int open_parent(void)
{
	_cleanup_close_ int hierarchy_fd = open_hierarchy();
	int fd;

	if (hierarchy_fd < 0) {
		log_error("no cgroup2 hierarchy is mounted; \"mount -t cgroup2 none /sys/fs/cgroup\" "
			  "mounts one");
		return hierarchy_fd;
	}
	if (mkdirat(hierarchy_fd, FENCES_DIR, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(hierarchy_fd, FENCES_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Only needed for limits, which report it if it did not work. */
	(void)write_file(hierarchy_fd, "cgroup.subtree_control", "+pids +memory");
	(void)write_file(fd, "cgroup.subtree_control", "+pids +memory");
	return fd;
}

static int set_limit(const struct membership *membership, const char *file, uint64_t value)
{
	char text[24];
	int r;

	if (value == 0)
		return 0;
	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	r = write_file(membership->fd, file, text);
	if (r < 0)
		log_error("cannot set %s of the fence's cgroup to %s: %s; is that controller enabled?",
			  file, text, strerror(-r));
	return r;
}

static int create_cgroup(struct membership *membership)
{
	membership->parent_fd = open_parent();
	if (membership->parent_fd < 0)
		return membership->parent_fd;
	if (mkdirat(membership->parent_fd, membership->id, 0755) < 0)
		return -errno;
	membership->fd = openat(membership->parent_fd, membership->id,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (membership->fd < 0)
		return -errno;
	if (flock(membership->fd, LOCK_SH | LOCK_NB) < 0)
		return -errno;
	membership->kill_fd = openat(membership->fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	return membership->kill_fd < 0 ? -errno : 0;
}

static int learn_cgroup(struct membership *membership, struct loader *loader)
{
	struct rf_identify answer;
	int r;

	r = identify_fd(loader, membership->fd, &answer);
	if (r < 0)
		return r;
	if (!answer.is_cgroup)
		return -ENOTSUP;
	membership->cgroup = answer.cgroup;
	loader_skeleton(loader)->bss->rf_fence_level = answer.cgroup_level;
	return 0;
}

int membership_create(struct loader *loader, const struct membership_request *request,
		      struct membership **ret_membership)
{
	_cleanup_(membership_freep) struct membership *membership = calloc(1, sizeof(*membership));
	int r;

	if (!membership)
		return -ENOMEM;
	membership->parent_fd = membership->fd = membership->kill_fd = -1;
	(void)snprintf(membership->id, sizeof(membership->id), "%s", request->id);
	r = create_cgroup(membership);
	if (r == 0)
		r = learn_cgroup(membership, loader);
	if (r < 0) {
		log_error("cannot make the cgroup " FENCES_DIR "/%s: %s", request->id, strerror(-r));
		return r;
	}
	r = set_limit(membership, "pids.max", request->max_tasks);
	if (r == 0)
		r = set_limit(membership, "memory.max", request->max_memory);
	if (r < 0)
		return r;
	*ret_membership = TAKE_PTR(membership);
	return 0;
}

uint64_t membership_cgroup(const struct membership *membership)
{
	return membership->cgroup;
}

int membership_kill_fd(const struct membership *membership)
{
	return membership->kill_fd;
}

static int set_label(struct loader *loader, const struct rf_label *label, int pid_fd)
{
	struct bpf_map *tasks = loader_skeleton(loader)->maps.rf_tasks;
	_cleanup_free_ char *value = calloc(1, bpf_map__value_size(tasks));

	if (!value)
		return -ENOMEM;
	memcpy(value, label, sizeof(*label)); /* struct rf_task starts with it. */
	return bpf_map_update_elem(bpf_map__fd(tasks), &pid_fd, value, BPF_ANY);
}

int membership_add(struct membership *membership, struct loader *loader,
		   const struct rf_label *label, pid_t pid, int pid_fd)
{
	char text[16];
	int r;

	r = set_label(loader, label, pid_fd);
	if (r < 0) {
		log_error("cannot label process %d as a member of the fence: %s", pid, strerror(-r));
		return r;
	}
	(void)snprintf(text, sizeof(text), "%d", pid);
	r = write_file(membership->fd, "cgroup.procs", text);
	if (r < 0)
		log_error("cannot move process %d into the fence's cgroup: %s", pid, strerror(-r));
	return r;
}

static bool is_populated(int cgroup_fd)
{
	char events[256];

	/* What cannot be read counts as in use. */
	return read_file(cgroup_fd, "cgroup.events", events, sizeof(events)) < 0 ||
	       !strstr(events, "populated 0");
}

bool membership_is_populated(const struct membership *membership)
{
	return is_populated(membership->fd);
}

int membership_kill(struct membership *membership, int timeout_ms)
{
	if (write(membership->kill_fd, "1", 1) < 0)
		return -errno;
	for (int waited_ms = 0; is_populated(membership->fd); waited_ms += 5) {
		if (waited_ms >= timeout_ms)
			return -ETIMEDOUT;
		(void)poll(NULL, 0, 5);
	}
	return 0;
}

/* The directory of all fences goes with the last of them. */
static void remove_parent(void)
{
	_cleanup_close_ int fd = open_hierarchy();

	if (fd >= 0)
		(void)unlinkat(fd, FENCES_DIR, AT_REMOVEDIR); /* Fails while there are others. */
}

struct membership *membership_free(struct membership *membership)
{
	if (!membership)
		return NULL;
	cleanup_close(&membership->kill_fd);
	cleanup_close(&membership->fd);
	/* A task that cannot be killed keeps it; the next run removes it. */
	if (membership->parent_fd >= 0)
		(void)unlinkat(membership->parent_fd, membership->id, AT_REMOVEDIR);
	cleanup_close(&membership->parent_fd);
	remove_parent();
	free(membership);
	return NULL;
}

/* Whether the fence @name has a task, or somebody who looks after it. Removes its cgroup if not. */
static bool is_in_use(void *context, const char *name)
{
	int parent_fd = *(int *)context;
	_cleanup_close_ int fd =
		openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno != ENOENT;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || is_populated(fd))
		return true;
	return unlinkat(parent_fd, name, AT_REMOVEDIR) < 0;
}

void membership_remove_stale(void)
{
	_cleanup_close_ int fd = open_parent();

	if (fd >= 0)
		pins_remove_stale(is_in_use, &fd);
}

bool membership_is_in_use(const char *id)
{
	_cleanup_close_ int fd = open_parent();

	return fd < 0 || is_in_use(&fd, id);
}
