/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Pins: enforcement that outlives every process. */
#include "kernel/pins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"

static void close_directory(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory); /* Only read from. */
}

int pins_create(const char *name)
{
	char path[256];

	if (mkdir(PIN_DIR, 0700) < 0 && errno != EEXIST)
		return -errno;
	if ((size_t)snprintf(path, sizeof(path), PIN_DIR "/%s", name) >= sizeof(path))
		return -ENAMETOOLONG;
	return mkdir(path, 0700) < 0 ? -errno : 0;
}

int pins_add(const char *name, size_t index, struct bpf_link *link)
{
	char path[256];

	if ((size_t)snprintf(path, sizeof(path), PIN_DIR "/%s/link_%zu", name, index) >= sizeof(path))
		return -ENAMETOOLONG;
	return bpf_link__pin(link, path);
}

static DIR *open_directory(int parent_fd, const char *name)
{
	_cleanup_close_ int fd =
		openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory;

	if (fd < 0)
		return NULL;
	directory = fdopendir(fd);
	if (directory)
		(void)TAKE_FD(fd);
	return directory;
}

static void remove_all(int parent_fd, const char *name)
{
	_cleanup_(close_directory) DIR *directory = open_directory(parent_fd, name);
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			(void)unlinkat(dirfd(directory), entry->d_name, 0); /* rmdir would fail then. */
	(void)unlinkat(parent_fd, name, AT_REMOVEDIR);
}

void pins_remove(const char *name)
{
	_cleanup_close_ int fd = open(PIN_DIR, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		remove_all(fd, name);
	(void)rmdir(PIN_DIR); /* Stays while another fence has pins there. */
}

void pins_remove_stale(bool (*is_in_use)(void *context, const char *name), void *context)
{
	_cleanup_(close_directory) DIR *directory = open_directory(AT_FDCWD, PIN_DIR);
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && !is_in_use(context, entry->d_name))
			remove_all(dirfd(directory), entry->d_name);
}
