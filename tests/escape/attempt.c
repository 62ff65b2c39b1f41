/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What attacks are built from. */
#include "escape/attempt.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"

#if defined(__x86_64__)
const char loader_path[] = "/lib64/ld-linux-x86-64.so.2";
#elif defined(__aarch64__)
const char loader_path[] = "/lib/ld-linux-aarch64.so.1";
#else
#error "the loader of this architecture is not known here"
#endif

const char *absolute(const char *path)
{
	static char buf[2 * PATH_MAX];
	char project[PATH_MAX];
	char *slash;

	if (!getcwd(project, sizeof(project)))
		return "";
	slash = strrchr(project, '/');
	if (slash)
		*slash = '\0';
	(void)snprintf(buf, sizeof(buf), "%s/%s", project, path);
	return buf;
}

static int list_and_close(int fd)
{
	DIR *directory = fdopendir(fd);
	int r;

	if (!directory) {
		r = -errno;
		cleanup_close(&fd);
		return r;
	}
	errno = 0;
	r = readdir(directory) ? 0 : -errno;
	(void)closedir(directory); /* Only read from. */
	return r;
}

int read_and_close(int fd)
{
	struct stat status;
	char byte;
	int r;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
		return list_and_close(fd);
	r = ATTEMPT(read(fd, &byte, 1));
	(void)close(fd); /* Only read from. */
	return r;
}

int open_as_name(const char *path)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

const char *link_of(int fd)
{
	static char buf[32];

	(void)snprintf(buf, sizeof(buf), "/proc/self/fd/%d", fd);
	return buf;
}

int write_file(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd < 0)
		return -errno;
	return ATTEMPT(write(fd, text, strlen(text)));
}

int make_script(const char *path, const char *first_line)
{
	char text[PATH_MAX];

	(void)snprintf(text, sizeof(text), "#!%s\n", first_line);
	return write_file(path, text);
}

int copy_file(const char *from, const char *to)
{
	_cleanup_close_ int source = open(from, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int target = -1;
	ssize_t n;

	if (source < 0)
		return -errno;
	target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (target < 0)
		return -errno;
	do
		n = sendfile(target, source, NULL, 1 << 20);
	while (n > 0);
	return ATTEMPT(n);
}

int run_program(char *const argv[], char *const envp[])
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		(void)execve(argv[0], argv, envp);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EACCES;
}

/* ---- Libraries ---- */

struct wanted_library {
	const char *name;
	char path[PATH_MAX];
};

static int find_library(struct dl_phdr_info *info, size_t size, void *wanted_library)
{
	struct wanted_library *wanted = wanted_library;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!slash || strcmp(slash + 1, wanted->name) != 0)
		return 0;
	(void)snprintf(wanted->path, sizeof(wanted->path), "%.*s", (int)(slash - info->dlpi_name),
		       info->dlpi_name);
	return 1;
}

/* The smallest one of the C library's is beside it. */
int make_library(const char *path)
{
	struct wanted_library wanted = { .name = "libc.so.6" };
	_cleanup_free_ char *source = NULL;

	if (!dl_iterate_phdr(find_library, &wanted))
		return -ENOENT;
	if (asprintf(&source, "%s/libdl.so.2", wanted.path) < 0)
		return -ENOMEM;
	return copy_file(source, path);
}

bool has_loaded(const char *name)
{
	struct wanted_library wanted = { .name = name };

	return dl_iterate_phdr(find_library, &wanted) != 0;
}
