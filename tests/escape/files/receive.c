/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Files that somebody else has opened. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"
#include "escape/outsider.h"

/* A descriptor out of a process that holds the file open; or -errno. */
static int take_from(pid_t pid, int fd)
{
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	long taken;

	if (pidfd < 0)
		return -errno;
	taken = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	return taken < 0 ? -errno : (int)taken;
}

static int take(const char *path)
{
	pid_t pid;
	int fd;
	int r = outsider_hold(path, &pid, &fd);

	return r < 0 ? r : take_from(pid, fd);
}

ESCAPE(receive_denied, "Receive an open descriptor of a denied file over a socket")
{
	return read_and_close(outsider_hand("project/key", O_RDONLY));
}
DENIED_WITH(receive_denied, EACCES, RULE, FILE_RECEIVE, "project/key");

ESCAPE(receive_unlisted, "Receive an open descriptor of a file that no rule names")
{
	return read_and_close(outsider_hand("home/letter", O_RDONLY));
}
/* The call succeeds without the descriptor. */
DENIED_WITH(receive_unlisted, ENOENT, UNLISTED, FILE_RECEIVE, "home/letter", .outcome = EACCES);

ESCAPE(receive_hidden_directory, "Receive an open descriptor of a hidden directory")
{
	return read_and_close(outsider_hand("project/vault", O_RDONLY | O_DIRECTORY));
}
DENIED_WITH(receive_hidden_directory, ENOENT, RULE, FILE_RECEIVE, "project/vault",
	    .outcome = EACCES);

ESCAPE(receive_kept_for_writing, "Receive a descriptor for writing of a file that may only be read")
{
	_cleanup_close_ int fd = outsider_hand("project/kept/hook", O_WRONLY);

	return fd < 0 ? fd : ATTEMPT(write(fd, "x", 1));
}
DENIED_WITH(receive_kept_for_writing, EACCES, RULE, FILE_RECEIVE, "project/kept/hook",
	    .rule = "project/kept", .access = "w");

ESCAPE(receive_kept_to_truncate, "Receive a descriptor to empty a file that may only be read with")
{
	_cleanup_close_ int fd = outsider_hand("project/kept/hook", O_RDWR);

	return fd < 0 ? fd : ATTEMPT(ftruncate(fd, 0));
}
DENIED_WITH(receive_kept_to_truncate, EACCES, RULE, FILE_RECEIVE, "project/kept/hook",
	    .rule = "project/kept", .access = "rw");

ESCAPE(receive_name, "Receive an O_PATH descriptor of a denied file, then open that")
{
	_cleanup_close_ int fd = outsider_hand("project/key", O_PATH);

	return fd < 0 ? fd : probe(PROBE_READ, link_of(fd));
}
DENIED_WITH(receive_name, EACCES, RULE, FILE_RECEIVE, "project/key", .access = "rw");

ESCAPE(take_denied, "Take an open descriptor of a denied file out of another process")
{
	return read_and_close(take("project/key"));
}
DENIED_WITH(take_denied, EACCES, RULE, FILE_RECEIVE, "project/key", .not_on = AS_USER);

ESCAPE(take_unlisted, "Take an open descriptor of a file that no rule names out of another process")
{
	return read_and_close(take("home/letter"));
}
DENIED_WITH(take_unlisted, ENOENT, UNLISTED, FILE_RECEIVE, "home/letter", .not_on = AS_USER);

ESCAPE(reopen_of_outsider, "Open a file that another process holds open by its link in /proc")
{
	char path[64];
	pid_t pid;
	int fd;
	int r = outsider_hold("project/key", &pid, &fd);

	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	return probe(PROBE_READ, path);
}
DENIED_WITH(reopen_of_outsider, EACCES, RULE, FILE_OPEN, "project/key", .not_on = AS_USER);

ESCAPE(use_left_open, "Read from a descriptor that whoever started the fence left open")
{
	char byte;

	return ATTEMPT(pread(OUTSIDER_LEFT_OPEN_FD, &byte, 1, 0));
}
CLOSED_WITH(use_left_open, EBADF);

ESCAPE(receive_open, "Receive an open descriptor of a file of the project")
{
	return read_and_close(outsider_hand("project/notes", O_RDWR));
}
ALLOWED(receive_open);

ESCAPE(receive_kept_for_reading, "Receive a descriptor for reading of a file that may only be read")
{
	return read_and_close(outsider_hand("project/kept/hook", O_RDONLY));
}
ALLOWED(receive_kept_for_reading);
