/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The other road to an object below a bind mount. */
#include "cli/mount_road.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"

/**
 * struct mount - A line of /proc/self/mountinfo
 * @device: MAJOR:MINOR.
 * @root:   What of the file system is mounted.
 * @point:  Where.
 */
struct mount {
	char *device;
	char *root;
	char *point;
};

struct mount_table {
	struct mount *mounts;
	size_t n_mounts;
};

static void mount_table_done(struct mount_table *table)
{
	for (size_t i = 0; i < table->n_mounts; i++) {
		free(table->mounts[i].device);
		free(table->mounts[i].root);
		free(table->mounts[i].point);
	}
	free(table->mounts);
}

/* Replaces \NNN, which stands for a byte that would end the field, in place. */
static void unescape(char *field)
{
	char *to = field;

	for (const char *from = field; *from; to++) {
		if (from[0] == '\\' && from[1] && from[2] && from[3]) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static int add_mount(struct mount_table *table, const char *line)
{
	struct mount mount = { 0 };
	int n_fields;

	if (!ARRAY_GROW(table->mounts, table->n_mounts))
		return -ENOMEM;
	n_fields = sscanf(line, "%*u %*u %ms %ms %ms", &mount.device, &mount.root, &mount.point);
	table->mounts[table->n_mounts++] = mount;
	if (n_fields != 3)
		return -EBADMSG;
	unescape(mount.root);
	unescape(mount.point);
	return 0;
}

static int read_mounts(struct mount_table *table)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/mountinfo", "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int r = 0;

	if (!file)
		return -errno;
	while (r == 0 && getline(&line, &size, file) > 0)
		r = add_mount(table, line);
	return r;
}

/* The mount that @path is in, of those whose point is shorter than @below. Later ones lie on top. */
static const struct mount *mount_of(const struct mount_table *table, const char *path, size_t below)
{
	const struct mount *found = NULL;

	for (size_t i = 0; i < table->n_mounts; i++) {
		const struct mount *mount = &table->mounts[i];

		if (strlen(mount->point) < below && path_is_within(path, mount->point) &&
		    (!found || strlen(mount->point) >= strlen(found->point)))
			found = mount;
	}
	return found;
}

/* The lowest mount on the way up from @path that shows only a part of its file system. */
static const struct mount *find_bind(const struct mount_table *table, const char *path)
{
	const struct mount *mount = mount_of(table, path, SIZE_MAX);

	while (mount && strcmp(mount->root, "/") == 0)
		mount = mount_of(table, path, strlen(mount->point));
	return mount;
}

/* What of @path, which is @directory or below it, comes after @directory: "" or "/a/b". */
static const char *path_after(const char *path, const char *directory)
{
	return strcmp(directory, "/") == 0 ? path : path + strlen(directory);
}

/* The mount that shows most of the file system of @bind, with @inside in it. */
static const struct mount *find_whole(const struct mount_table *table, const struct mount *bind,
				      const char *inside)
{
	const struct mount *found = NULL;

	for (size_t i = 0; i < table->n_mounts; i++) {
		const struct mount *mount = &table->mounts[i];

		if (strcmp(mount->device, bind->device) == 0 && path_is_within(inside, mount->root) &&
		    strlen(mount->root) < strlen(bind->root) &&
		    (!found || strlen(mount->root) < strlen(found->root)))
			found = mount;
	}
	return found;
}

int mount_road_find(const char *path, char **ret_path)
{
	_cleanup_(mount_table_done) struct mount_table table = { 0 };
	_cleanup_free_ char *inside = NULL;
	const struct mount *bind, *whole;
	char *other = NULL;
	int r = read_mounts(&table);

	if (r < 0)
		return r;
	bind = find_bind(&table, path);
	if (bind && asprintf(&inside, "%s%s", bind->root, path_after(path, bind->point)) < 0)
		return -ENOMEM;
	whole = bind ? find_whole(&table, bind, inside) : NULL;
	if (whole && asprintf(&other, "%s%s", strcmp(whole->point, "/") == 0 ? "" : whole->point,
			      path_after(inside, whole->root)) < 0)
		return -ENOMEM;
	*ret_path = other;
	return 0;
}
