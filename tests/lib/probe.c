/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* One attempt on a file, with its exact outcome. */
#include "lib/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

static int read_from(int fd)
{
	char byte;

	if (fd < 0)
		return -errno;
	return read(fd, &byte, 1) < 0 ? -errno : 0;
}

static int probe_read(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return read_from(fd);
}

static int probe_write(const char *path)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, "x", 1) < 0 ? -errno : 0;
}

static int probe_list(const char *path)
{
	DIR *directory = opendir(path);
	int r;

	if (!directory)
		return -errno;
	errno = 0;
	r = readdir(directory) ? 0 : -errno;
	(void)closedir(directory); /* Only read from. */
	return r;
}

/* The child tells what execve(2) said by a pipe, which closes if it says nothing. */
static int probe_execute(const char *path)
{
	char *const argv[] = { (char *)path, NULL };
	int fds[2], error = 0;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child == 0) {
		(void)execv(path, argv);
		error = errno;
		(void)!write(fds[1], &error, sizeof(error)); /* A parent that reads is there. */
		_exit(127);
	}
	(void)close(fds[1]); /* Nothing was written. */
	if (child < 0 || read(fds[0], &error, sizeof(error)) < 0)
		error = errno;
	(void)close(fds[0]); /* Only read from. */
	if (child > 0)
		(void)waitpid(child, NULL, 0); /* How the program ends is its own affair. */
	return -error;
}

static int probe_reopen(const char *path)
{
	_cleanup_close_ int path_fd = open(path, O_PATH | O_CLOEXEC);
	char link[64];

	if (path_fd < 0)
		return -errno;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	return probe_read(link);
}

/* open_by_handle_at(2) wants an open file of the mount: the directory two above the file. */
static int open_mount(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	return open(dirname(dirname(copy)), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int probe_handle(const char *path)
{
	_cleanup_close_ int mount_fd = open_mount(path);
	_cleanup_close_ int fd = -1;
	struct {
		struct file_handle head;
		unsigned char bytes[MAX_HANDLE_SZ];
	} handle = { .head.handle_bytes = MAX_HANDLE_SZ };
	int mount_id;

	if (mount_fd < 0)
		return -errno;
	if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount_id, 0) < 0)
		return -errno;
	fd = open_by_handle_at(mount_fd, &handle.head, O_RDONLY | O_CLOEXEC);
	return read_from(fd);
}

int probe(enum probe probe, const char *path)
{
	switch (probe) {
	case PROBE_READ:
		return probe_read(path);
	case PROBE_WRITE:
		return probe_write(path);
	case PROBE_LIST:
		return probe_list(path);
	case PROBE_EXECUTE:
		return probe_execute(path);
	case PROBE_REOPEN:
		return probe_reopen(path);
	case PROBE_HANDLE:
		return probe_handle(path);
	}
	return -ENOSYS;
}

void probe_serve(void)
{
	struct probe_request request;

	while (fread(&request, sizeof(request), 1, stdin) == 1) {
		int result = probe(request.probe, request.path);

		if (write(STDOUT_FILENO, &result, sizeof(result)) != sizeof(result))
			return;
	}
}
