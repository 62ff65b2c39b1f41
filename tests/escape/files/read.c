/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Reading what is not to be read. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"
#include "escape/uring.h"

/* Links that the kernel follows in one path. */
#define MAX_LINKS 40

static int open_with(const char *path, unsigned long long flags, unsigned long long resolve)
{
	struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = resolve };
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* Opens @path, relative to @directory_fd, or passes on an error. */
static int read_below(int directory_fd, const char *path)
{
	int fd;

	if (directory_fd < 0)
		return directory_fd;
	fd = openat(directory_fd, path, O_RDONLY | O_CLOEXEC);
	return read_and_close(fd < 0 ? -errno : fd);
}

ESCAPE(read_denied, "Read a file that a rule denies")
{
	return probe(PROBE_READ, "key");
}
DENIED_WITH(read_denied, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_unlisted, "Read a file that no rule names")
{
	return probe(PROBE_READ, "../home/letter");
}
DENIED_WITH(read_unlisted, ENOENT, UNLISTED, FILE_OPEN, "home/letter");

ESCAPE(read_below_hidden, "Read a file below a hidden directory")
{
	return probe(PROBE_READ, "vault/deep/token");
}
DENIED_WITH(read_below_hidden, ENOENT, RULE, FILE_OPEN, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(list_hidden, "List a hidden directory")
{
	return probe(PROBE_LIST, "vault");
}
DENIED_WITH(list_hidden, ENOENT, RULE, FILE_OPEN, "project/vault");

ESCAPE(read_by_dot_dot, "Read through a path with needless components")
{
	return probe(PROBE_READ, "./box/..//kept/empty/../../key");
}
DENIED_WITH(read_by_dot_dot, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_by_proc_root, "Read through /proc/self/root")
{
	char path[2 * PATH_MAX];

	(void)snprintf(path, sizeof(path), "/proc/self/root%s", absolute("project/key"));
	return probe(PROBE_READ, path);
}
DENIED_WITH(read_by_proc_root, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_by_proc_cwd, "Read through /proc/self/cwd")
{
	return probe(PROBE_READ, "/proc/self/cwd/key");
}
DENIED_WITH(read_by_proc_cwd, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_by_task_root, "Read through the root of a thread in /proc")
{
	char path[2 * PATH_MAX];

	(void)snprintf(path, sizeof(path), "/proc/thread-self/root/%s", absolute("project/key"));
	return probe(PROBE_READ, path);
}
DENIED_WITH(read_by_task_root, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_below_root_directory, "Read relative to a descriptor of the root directory")
{
	_cleanup_close_ int fd = open_as_name("/");

	return read_below(fd, absolute("project/key") + 1);
}
DENIED_WITH(read_below_root_directory, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(reopen_name, "Open with O_PATH, then again by the link in /proc")
{
	return probe(PROBE_REOPEN, "key");
}
DENIED_WITH(reopen_name, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(reopen_for_writing,
       "Open for reading what may be read, then for writing by the link in /proc")
{
	_cleanup_close_ int fd = open("kept/hook", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return probe(PROBE_WRITE, link_of(fd));
}
DENIED_WITH(reopen_for_writing, EACCES, RULE, FILE_OPEN, "project/kept/hook",
	    .rule = "project/kept", .access = "w");

ESCAPE(read_below_hidden_descriptor, "Read relative to an O_PATH descriptor of a hidden directory")
{
	_cleanup_close_ int fd = open_as_name("vault");

	return read_below(fd, "deep/token");
}
DENIED_WITH(read_below_hidden_descriptor, ENOENT, RULE, FILE_OPEN, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(read_after_chdir, "Change into a hidden directory and read from there")
{
	if (chdir("vault/deep") < 0)
		return -errno;
	return probe(PROBE_READ, "token");
}
DENIED_WITH(read_after_chdir, ENOENT, RULE, FILE_OPEN, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(list_after_fchdir, "Change into a hidden directory by a descriptor and list it")
{
	_cleanup_close_ int fd = open_as_name("vault");

	if (fd < 0 || fchdir(fd) < 0)
		return -errno;
	return probe(PROBE_LIST, ".");
}
DENIED_WITH(list_after_fchdir, ENOENT, RULE, FILE_OPEN, "project/vault");

ESCAPE(read_by_symlink, "Read through a symbolic link made in the project")
{
	if (symlink("key", "way") < 0)
		return -errno;
	return probe(PROBE_READ, "way");
}
DENIED_WITH(read_by_symlink, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_by_directory_symlink, "Read through a symbolic link to a hidden directory")
{
	if (symlink(absolute("project/vault"), "way") < 0)
		return -errno;
	return probe(PROBE_READ, "way/deep/token");
}
DENIED_WITH(read_by_directory_symlink, ENOENT, RULE, FILE_OPEN, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(read_by_chain_of_symlinks, "Read through as many symbolic links as the kernel follows")
{
	char target[16] = "key", name[16];

	for (int i = 0; i < MAX_LINKS; i++) {
		(void)snprintf(name, sizeof(name), "way%d", i);
		if (symlink(target, name) < 0)
			return -errno;
		(void)snprintf(target, sizeof(target), "%s", name);
	}
	return probe(PROBE_READ, target);
}
DENIED_WITH(read_by_chain_of_symlinks, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_by_swapped_symlink, "Swap a symbolic link between an open file and a denied one")
{
	if (symlink("notes", "way") < 0 || probe(PROBE_READ, "way") < 0 ||
	    symlink("key", "other") < 0 || rename("other", "way") < 0)
		return -errno;
	return probe(PROBE_READ, "way");
}
DENIED_WITH(read_by_swapped_symlink, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_beneath, "Read by openat2 with RESOLVE_BENEATH")
{
	return read_and_close(open_with("key", O_RDONLY, RESOLVE_BENEATH));
}
DENIED_WITH(read_beneath, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_in_root, "Read by openat2 with the project as the root")
{
	return read_and_close(open_with("/../key", O_RDONLY, RESOLVE_IN_ROOT));
}
DENIED_WITH(read_in_root, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_without_links, "Read by openat2 without symbolic links and other mounts")
{
	return read_and_close(
		open_with("vault/deep/token", O_RDONLY,
			  RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV));
}
DENIED_WITH(read_without_links, ENOENT, RULE, FILE_OPEN, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(read_after_chroot, "Make the project the root directory and read from there")
{
	if (chroot(".") < 0)
		return -errno;
	return probe(PROBE_READ, "/key");
}
DENIED_WITH(read_after_chroot, EACCES, RULE, FILE_OPEN, "project/key", .not_on = AS_USER);

ESCAPE(read_by_handle, "Read by a file handle")
{
	return probe(PROBE_HANDLE, "key");
}
/* This overlay has no handles. */
DENIED_WITH(read_by_handle, EACCES, RULE, FILE_OPEN, "project/key", .not_on = AS_USER | ON_OVERLAY);

ESCAPE(open_for_control, "Open a file that may only be read with access mode 3, for ioctl")
{
	int fd = open("kept/hook", O_ACCMODE | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	cleanup_close(&fd);
	return 0;
}
DENIED_WITH(open_for_control, EACCES, RULE, FILE_OPEN, "project/kept/hook", .rule = "project/kept",
	    .access = "rw");

ESCAPE(read_by_uring, "Read by io_uring")
{
	return read_and_close(uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"key",
		.open_flags = O_RDONLY | O_CLOEXEC,
	}));
}
DENIED_WITH(read_by_uring, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_by_uring_thread, "Read by a kernel thread of io_uring")
{
	return read_and_close(uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT,
		.flags = IOSQE_ASYNC,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"key",
		.open_flags = O_RDONLY | O_CLOEXEC,
	}));
}
DENIED_WITH(read_by_uring_thread, EACCES, RULE, FILE_OPEN, "project/key");

/* In a session of its own, after its parent has ended. */
static void read_as_orphan(int result_fd)
{
	int r;

	if (fork() != 0)
		_exit(0);
	(void)setsid(); /* It is no leader, so this succeeds. */
	r = probe(PROBE_READ, "key");
	(void)!write(result_fd, &r, sizeof(r)); /* The other end is there. */
	_exit(0);
}

ESCAPE(read_as_daemon, "Read in a process that has left its parent and its session")
{
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	if (fork() == 0)
		read_as_orphan(fds[1]);
	return read(fds[0], &r, sizeof(r)) == (ssize_t)sizeof(r) ? r : -EIO;
}
DENIED_WITH(read_as_daemon, EACCES, RULE, FILE_OPEN, "project/key");

ESCAPE(read_name_in_every_directory, "Read a file whose name is denied in every directory")
{
	return probe(PROBE_READ, ".env");
}
DENIED_WITH(read_name_in_every_directory, EACCES, RULE, FILE_OPEN, "project/.env",
	    .rule = "**/.env");

ESCAPE(read_pattern_in_every_directory, "Read a file whose name matches a denied pattern")
{
	return probe(PROBE_READ, "server.pem");
}
DENIED_WITH(read_pattern_in_every_directory, EACCES, RULE, FILE_OPEN, "project/server.pem",
	    .rule = "**/*.pem");

ESCAPE(read_below_any_directory, "Read a file that is denied below any directory of another")
{
	return probe(PROBE_READ, "rooms/red/safe");
}
DENIED_WITH(read_below_any_directory, EACCES, RULE, FILE_OPEN, "project/rooms/red/safe",
	    .rule = "project/rooms/*/safe");

ESCAPE(read_other_case, "Read a file whose name differs in case from a denied one")
{
	return probe(PROBE_READ, ".ENV");
}
OUTSIDER(make_other_case)
{
	return write_file(".ENV", "content\n");
}
ALLOWED(read_other_case, .before = make_other_case);

ESCAPE(read_open, "Read a file of the project")
{
	return probe(PROBE_READ, "notes");
}
ALLOWED(read_open);

ESCAPE(read_kept, "Read a file that may only be read")
{
	return probe(PROBE_READ, "kept/hook");
}
ALLOWED(read_kept);

ESCAPE(list_open, "List a directory of the project that holds denied files")
{
	return probe(PROBE_LIST, ".");
}
ALLOWED(list_open);

ESCAPE(read_open_by_uring, "Read a file of the project by io_uring")
{
	return read_and_close(uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"notes",
		.open_flags = O_RDONLY | O_CLOEXEC,
	}));
}
ALLOWED(read_open_by_uring);
