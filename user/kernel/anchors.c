/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* From the anchors of a policy to identities of the objects that are there. */
#include "kernel/anchors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "compiler/compiled_policy.h"
#include "compiler/explain.h"
#include "kernel/identify.h"
#include "ringfence/rule_merge.h"

/* Symbolic links on the way to one anchor; the kernel's own limit. */
#define MAX_LINKS 40

/* struct found_anchor - An anchor whose object is there. */
struct found_anchor {
	struct rf_object_id id;
	struct rf_target target;
	bool is_by_link;
};

struct anchor_table *anchor_table_free(struct anchor_table *table)
{
	if (!table)
		return NULL;
	for (size_t i = 0; i < table->n_fds; i++)
		cleanup_close(&table->fds[i]);
	free(table->fds);
	free(table->entries);
	free(table->rules);
	free(table);
	return NULL;
}

static int open_without_links(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* Whether a fence could have made or changed entries of the directory @fd. */
static bool is_writable_inside(const struct compiled_policy *policy, int fd)
{
	_cleanup_explanation_ struct explanation explanation = { 0 };
	char link[32], path[PATH_MAX];
	ssize_t len;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0)
		return true;
	path[len] = '\0';
	return explain_path(policy, path, RF_ACCESS_WRITE, NULL, &explanation) < 0 ||
	       explanation.verdict == RF_VERDICT_ALLOW;
}

/**
 * struct link_walk - A path being followed by hand, link by link
 * @fd:   The directory reached, or at the end the object.
 * @rest: What is still to go, owned.
 */
struct link_walk {
	const struct compiled_policy *policy;
	int fd;
	char *rest;
	int n_links;
};

/* Puts the target of the link @name in front of what is left. */
static int follow_link(struct link_walk *walk, const char *name, const char *rest)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(walk->fd, name, target, sizeof(target) - 1);
	char *joined;

	if (len < 0)
		return -errno;
	if (++walk->n_links > MAX_LINKS || is_writable_inside(walk->policy, walk->fd))
		return -ELOOP;
	target[len] = '\0';
	if (asprintf(&joined, "%s/%s", target, rest) < 0)
		return -ENOMEM;
	free(walk->rest);
	walk->rest = joined;
	if (target[0] != '/')
		return 0;
	cleanup_close(&walk->fd);
	walk->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->fd < 0 ? -errno : 0;
}

/* Takes one component off @walk->rest. Returns 1 if there was none. */
static int follow_component(struct link_walk *walk)
{
	const char *start = walk->rest + strspn(walk->rest, "/");
	size_t size = strcspn(start, "/");
	_cleanup_free_ char *name = strndup(start, size);
	_cleanup_free_ char *rest = strdup(start + size);
	struct stat status;
	int fd;

	if (!name || !rest)
		return -ENOMEM;
	if (size == 0)
		return 1;
	if (fstatat(walk->fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISLNK(status.st_mode))
		return follow_link(walk, name, rest);
	fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	cleanup_close(&walk->fd);
	walk->fd = fd;
	free(walk->rest);
	walk->rest = TAKE_PTR(rest);
	return 0;
}

static int open_through_links(const struct compiled_policy *policy, const char *path)
{
	struct link_walk walk = { .policy = policy, .fd = -1, .rest = strdup(path) };
	int r = walk.rest ? 0 : -ENOMEM;

	walk.fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (walk.fd < 0)
		r = -errno;
	while (r == 0)
		r = follow_component(&walk);
	free(walk.rest);
	if (r == 1)
		return walk.fd;
	cleanup_close(&walk.fd);
	return r;
}

/* Whether an anchor that cannot be opened for this reason is protected by its name alone. */
static bool is_absent(int error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -ELOOP || error == -EACCES ||
	       error == -ENAMETOOLONG;
}

/*
 * Whether the object's number may be another one's too: overlayfs with layers on several file systems
 * and without xino takes numbers of files as they are there, and shows it by their device in stat(2).
 * Such a file is protected by its name alone.
 */
static bool is_ambiguous(int fd, const struct rf_object_id *id)
{
	struct statfs file_system;
	struct stat status;

	if (fstatfs(fd, &file_system) < 0 || fstat(fd, &status) < 0)
		return true;
	return file_system.f_type == OVERLAYFS_SUPER_MAGIC && !S_ISDIR(status.st_mode) &&
	       (major(status.st_dev) << 20 | minor(status.st_dev)) != id->dev;
}

/* Whether the file system of the object does not tell a new file from a removed one. */
static bool has_no_generation(int fd, const struct rf_object_id *id)
{
	struct stat status;

	return fstat(fd, &status) < 0 ||
	       id->generation == rf_object_generation(0, status.st_mode);
}

/*
 * Returns 1 and the object of @anchor, 0 if there is none, or -errno. @table takes the descriptor if it
 * has to stay open.
 */
static int find_anchor(struct loader *loader, const struct compiled_policy *policy,
		       const struct anchor *anchor, struct anchor_table *table,
		       struct found_anchor *ret_found)
{
	_cleanup_close_ int fd = open_without_links(anchor->path);
	bool is_by_link = fd == -ELOOP;
	struct rf_identify answer;
	int r;

	if (is_by_link)
		fd = open_through_links(policy, anchor->path);
	if (fd < 0)
		return is_absent(fd) ? 0 : fd;
	r = identify_fd(loader, fd, &answer);
	if (r < 0)
		return r;
	if (is_ambiguous(fd, &answer.object))
		return 0;
	*ret_found = (struct found_anchor){
		.id = answer.object,
		.target = anchor->target,
		.is_by_link = is_by_link,
	};
	if (has_no_generation(fd, &answer.object))
		table->fds[table->n_fds++] = TAKE_FD(fd);
	return 1;
}

static int compare_found(const void *left, const void *right)
{
	const struct found_anchor *a = left, *b = right;
	int order = memcmp(&a->id, &b->id, sizeof(a->id));

	return order ? order : (int)a->is_by_link - (int)b->is_by_link;
}

/* The number of the rules that hold where both @one and @other end. */
static __u32 merge_rules(struct anchor_table *table, __u32 one, __u32 other)
{
	struct rf_rules *merged = &table->rules[table->n_rules];

	if (one == other || other == 0)
		return one;
	if (one == 0)
		return other;
	*merged = table->rules[one - 1];
	for (size_t layer = 0; layer < RF_N_LAYERS; layer++)
		rf_rule_merge(&merged->layer[layer], &table->rules[other - 1].layer[layer]);
	return (__u32)++table->n_rules;
}

/*
 * Several anchors may lead to one object, as /bin and /usr/bin do. Names below it go on as from the
 * path without links, which sorts first; of the rules the stricter hold.
 */
static void add_found(struct anchor_table *table, const struct found_anchor *found)
{
	struct identity_entry *last =
		table->n_entries ? &table->entries[table->n_entries - 1] : NULL;

	if (last && memcmp(&last->key, &found->id, sizeof(found->id)) == 0) {
		last->value.rules = merge_rules(table, last->value.rules, found->target.rules);
		return;
	}
	table->entries[table->n_entries++] =
		(struct identity_entry){ .key = found->id, .value = found->target };
}

static int find_anchors(struct loader *loader, const struct compiled_policy *policy,
			struct anchor_table *table, struct found_anchor *found,
			size_t *ret_n_found)
{
	size_t n_found = 0;

	for (size_t i = 0; i < policy->n_anchors; i++) {
		int r = find_anchor(loader, policy, &policy->anchors[i], table,
				    &found[n_found]);

		if (r < 0)
			return r;
		n_found += (size_t)r;
	}
	*ret_n_found = n_found;
	return 0;
}

int anchor_table_build(struct loader *loader, const struct compiled_policy *policy,
		       struct anchor_table **ret_table)
{
	_cleanup_(anchor_table_freep) struct anchor_table *table = calloc(1, sizeof(*table));
	_cleanup_free_ struct found_anchor *found =
		calloc(policy->n_anchors + 1, sizeof(*found));
	size_t n_found;
	int r;

	if (!table || !found)
		return -ENOMEM;
	table->fds = calloc(policy->n_anchors + 1, sizeof(*table->fds));
	if (!table->fds)
		return -ENOMEM;
	r = find_anchors(loader, policy, table, found, &n_found);
	if (r < 0)
		return r;
	table->entries = calloc(n_found + 1, sizeof(*table->entries));
	table->rules = calloc(policy->n_rules + n_found + 1, sizeof(*table->rules));
	if (!table->entries || !table->rules)
		return -ENOMEM;
	if (policy->n_rules)
		memcpy(table->rules, policy->rules, policy->n_rules * sizeof(*table->rules));
	table->n_rules = policy->n_rules;
	qsort(found, n_found, sizeof(*found), compare_found);
	for (size_t i = 0; i < n_found; i++)
		add_found(table, &found[i]);
	*ret_table = TAKE_PTR(table);
	return 0;
}
