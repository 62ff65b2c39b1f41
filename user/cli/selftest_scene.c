/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the self-test tries to reach. */
#include "cli/selftest_scene.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

/* A small program that every system has. */
#define PROGRAM "/bin/true"

static int make_file(const char *path, mode_t mode)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	return fd < 0 ? -errno : 0;
}

static int copy_program(const char *path)
{
	_cleanup_close_ int from = open(PROGRAM, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	struct stat status;
	ssize_t copied = 1;

	if (from < 0 || to < 0 || fstat(from, &status) < 0)
		return -errno;
	for (off_t left = status.st_size; left > 0 && copied > 0; left -= copied)
		copied = sendfile(to, from, NULL, (size_t)left);
	return copied > 0 ? 0 : -EIO;
}

static int listen_on_loopback(int *ret_fd, uint16_t *ret_port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 8) < 0 || getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		return -errno;
	*ret_port = ntohs(address.sin_port);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static void name_paths(struct selftest_scene *scene)
{
	const struct {
		char *path;
		const char *name;
	} names[] = {
		{ scene->allowed, "allowed/file" },   { scene->denied, "denied/file" },
		{ scene->hidden, "hidden/file" },     { scene->unlisted, "unlisted/file" },
		{ scene->link, "allowed/link" },      { scene->program, "allowed/program" },
		{ scene->denied_program, "allowed/denied" },
	};

	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		(void)snprintf(names[i].path, SELFTEST_PATH_SIZE, "%.40s/%.20s", scene->directory,
			       names[i].name);
}

static int make_directories(const struct selftest_scene *scene)
{
	static const char *const names[] = { "allowed", "denied", "hidden", "unlisted" };
	_cleanup_close_ int fd = open(scene->directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		if (mkdirat(fd, names[i], 0700) < 0)
			return -errno;
	return 0;
}

static int make_files(const struct selftest_scene *scene)
{
	const char *const files[] = { scene->allowed, scene->denied, scene->hidden,
				      scene->unlisted };
	int r = make_directories(scene);

	for (size_t i = 0; r == 0 && i < ELEMENTSOF(files); i++)
		r = make_file(files[i], 0600);
	if (r == 0 && link(scene->denied, scene->link) < 0)
		r = -errno;
	if (r == 0)
		r = copy_program(scene->program);
	if (r == 0)
		r = copy_program(scene->denied_program);
	return r;
}

int selftest_scene_make(struct selftest_scene *ret_scene)
{
	int r;

	*ret_scene = (struct selftest_scene){
		.directory = "/run/ringfence-self-test.XXXXXX",
		.listeners = { -1, -1 },
	};
	if (!mkdtemp(ret_scene->directory)) {
		ret_scene->directory[0] = '\0';
		return -errno;
	}
	name_paths(ret_scene);
	r = make_files(ret_scene);
	if (r == 0)
		r = listen_on_loopback(&ret_scene->listeners[0], &ret_scene->allowed_port);
	if (r == 0)
		r = listen_on_loopback(&ret_scene->listeners[1], &ret_scene->unlisted_port);
	return r;
}

/* What was not made is not there to be removed; nobody but root can put anything else there. */
void selftest_scene_remove(struct selftest_scene *scene)
{
	const char *const files[] = { scene->allowed,  scene->denied, scene->hidden,
				      scene->unlisted, scene->link,   scene->program,
				      scene->denied_program };
	static const char *const directories[] = { "allowed", "denied", "hidden", "unlisted" };
	char path[SELFTEST_PATH_SIZE];

	cleanup_close(&scene->listeners[0]);
	cleanup_close(&scene->listeners[1]);
	if (!scene->directory[0])
		return;
	for (size_t i = 0; i < ELEMENTSOF(files); i++)
		(void)unlink(files[i]);
	for (size_t i = 0; i < ELEMENTSOF(directories); i++) {
		(void)snprintf(path, sizeof(path), "%.40s/%.20s", scene->directory, directories[i]);
		(void)rmdir(path);
	}
	(void)rmdir(scene->directory);
}

void selftest_scene_policy(const struct selftest_scene *scene, struct strbuf *out)
{
	strbuf_printf(out,
		      "{ \"name\": \"self-test\", \"unlisted\": \"hide\", \"files\": {"
		      " \"/usr\": \"rx\", \"/bin\": \"rx\", \"/lib\": \"rx\", \"/lib64\": \"rx\","
		      " \"/etc\": \"r\","
		      " \"%s/allowed\": \"rx\", \"%s/denied/file\": \"deny\", \"%s/hidden\": \"hide\" },",
		      scene->directory, scene->directory, scene->directory);
	strbuf_printf(out, " \"programs\": { \"%s\": \"deny\" },", scene->denied_program);
	strbuf_printf(out, " \"egress\": { \"127.0.0.1:%u\": \"allow\" } }", scene->allowed_port);
}
