/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What is not decided. */
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"
#include "escape/outsider.h"

/* ---- That something is there ---- */

#define NAME_IS_SEEN "What is hidden cannot be read, but that there is such a name can be found out"

ESCAPE(stat_hidden, "Read the size and times of a hidden file by stat")
{
	struct stat status;

	return ATTEMPT(stat("vault/deep/token", &status));
}
KNOWN_GAP(stat_hidden, NAME_IS_SEEN);

ESCAPE(access_hidden, "Ask by access whether a hidden file may be read")
{
	return ATTEMPT(access("vault/deep/token", R_OK));
}
KNOWN_GAP(access_hidden, NAME_IS_SEEN);

ESCAPE(chdir_hidden, "Change into a hidden directory")
{
	return ATTEMPT(chdir("vault/deep"));
}
KNOWN_GAP(chdir_hidden, NAME_IS_SEEN);

ESCAPE(name_hidden, "Open a hidden file with O_PATH")
{
	_cleanup_close_ int fd = open_as_name("vault/deep/token");

	return fd < 0 ? fd : 0;
}
KNOWN_GAP(name_hidden, NAME_IS_SEEN);

ESCAPE(statfs_hidden, "Read the state of the file system of a hidden directory")
{
	struct statfs status;

	return ATTEMPT(statfs("vault", &status));
}
KNOWN_GAP(statfs_hidden, NAME_IS_SEEN);

ESCAPE(watch_hidden, "Watch what happens in a hidden directory by inotify")
{
	_cleanup_close_ int fd = inotify_init1(IN_CLOEXEC);

	return fd < 0 ? -errno : ATTEMPT(inotify_add_watch(fd, "vault", IN_ALL_EVENTS));
}
KNOWN_GAP(watch_hidden, "Names of files and when they are used are seen, not what is in them");

ESCAPE(readlink_hidden, "Read a symbolic link in a hidden directory")
{
	char target[16];

	return ATTEMPT(readlink("vault/way", target, sizeof(target)));
}
OUTSIDER(make_hidden_symlink)
{
	return ATTEMPT(symlink("target", "vault/way"));
}
KNOWN_GAP(readlink_hidden, "The target of a symbolic link is its content, and is not protected",
	  .before = make_hidden_symlink);

ESCAPE(list_attributes_of_hidden, "List the extended attributes of a hidden file")
{
	char names[256];

	return ATTEMPT(listxattr("vault/deep/token", names, sizeof(names)));
}
KNOWN_GAP(list_attributes_of_hidden, NAME_IS_SEEN);

/* ---- What is said of a file ---- */

#define METADATA "Only mode and owner are decided on among the metadata"

ESCAPE(change_times, "Change the times of a file that may only be read")
{
	return ATTEMPT(utimensat(AT_FDCWD, "kept/hook", NULL, 0));
}
KNOWN_GAP(change_times, METADATA);

ESCAPE(change_times_of_denied, "Change the times of a denied file")
{
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

	return ATTEMPT(utimensat(AT_FDCWD, "key", times, 0));
}
KNOWN_GAP(change_times_of_denied, METADATA);

ESCAPE(set_attribute, "Give a file that may only be read an extended attribute")
{
	return ATTEMPT(setxattr("kept/hook", "user.name", "x", 1, 0));
}
KNOWN_GAP(set_attribute, METADATA);

ESCAPE(remove_attribute, "Remove an extended attribute from a file that may only be read")
{
	return ATTEMPT(removexattr("kept/hook", "user.name"));
}
OUTSIDER(set_hook_attribute)
{
	return ATTEMPT(setxattr("kept/hook", "user.name", "x", 1, 0));
}
KNOWN_GAP(remove_attribute, METADATA, .before = set_hook_attribute);

ESCAPE(read_attribute, "Read an extended attribute of a denied file")
{
	char value[16];

	return ATTEMPT(getxattr("key", "user.name", value, sizeof(value)));
}
OUTSIDER(set_key_attribute)
{
	return ATTEMPT(setxattr("key", "user.name", "x", 1, 0));
}
KNOWN_GAP(read_attribute, METADATA, .before = set_key_attribute);

ESCAPE(set_access_list, "Give a file that may only be read an access control list")
{
	/* Version 2: user::rwx, group::rwx, other::rwx. */
	static const unsigned char list[] = {
		2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 4, 0, 7, 0,
		255, 255, 255, 255, 32, 0, 7, 0, 255, 255, 255, 255,
	};

	return ATTEMPT(setxattr("kept/hook", "system.posix_acl_access", list, sizeof(list), 0));
}
KNOWN_GAP(set_access_list, METADATA);

ESCAPE(set_flags, "Change the flags of a file that may only be read by ioctl")
{
	_cleanup_close_ int fd = open("kept/hook", O_RDONLY | O_CLOEXEC);
	int flags = FS_NODUMP_FL;

	return fd < 0 ? -errno : ATTEMPT(ioctl(fd, FS_IOC_SETFLAGS, &flags));
}
KNOWN_GAP(set_flags, METADATA);

/* ---- Programs by content ---- */

#define IS_ANOTHER_FILE                                                                            \
	"A program that can be read can be copied; nothing tells the copy from other files of the project"

ESCAPE(execute_copy, "Copy a denied program and execute the copy")
{
	int r = copy_file("../programs/banned", "program");

	return r < 0 ? r : probe(PROBE_EXECUTE, "program");
}
KNOWN_GAP(execute_copy, IS_ANOTHER_FILE, .has_programs = true);

ESCAPE(execute_copy_in_memory, "Copy a denied program into a memory file and execute that")
{
	_cleanup_close_ int from = open("../programs/banned", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int to = memfd_create("program", MFD_CLOEXEC);

	if (from < 0 || to < 0 || sendfile(to, from, NULL, 1 << 20) < 0)
		return -errno;
	return probe(PROBE_EXECUTE, link_of(to));
}
KNOWN_GAP(execute_copy_in_memory, IS_ANOTHER_FILE, .has_programs = true);

/* ---- Other processes ---- */

#define PROCESSES "Signals, tracing and /proc of processes outside are not decided yet"

/* It is root's, so an ordinary user has no way to it anyway. */
static int find_outsider(pid_t *ret_pid)
{
	int fd;

	return outsider_hold("project/notes", ret_pid, &fd);
}

ESCAPE(signal_outsider, "Ask the kernel whether a process outside may be sent signals")
{
	pid_t pid;
	int r = find_outsider(&pid);

	return r < 0 ? r : ATTEMPT(kill(pid, 0));
}
KNOWN_GAP(signal_outsider, PROCESSES, .not_on = AS_USER);

ESCAPE(trace_outsider, "Attach to a process outside as its debugger")
{
	pid_t pid;
	int r = find_outsider(&pid);

	return r < 0 ? r : ATTEMPT(ptrace(PTRACE_SEIZE, pid, NULL, NULL));
}
KNOWN_GAP(trace_outsider, PROCESSES, .not_on = AS_USER);

ESCAPE(read_environment_of_outsider, "Read the environment of a process outside")
{
	char path[64];
	pid_t pid;
	int r = find_outsider(&pid);

	(void)snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	return r < 0 ? r : probe(PROBE_READ, path);
}
KNOWN_GAP(read_environment_of_outsider, PROCESSES, .not_on = AS_USER);

ESCAPE(connect_to_outsider, "Connect to a socket of a process outside")
{
	const struct sockaddr_un address = { AF_UNIX, "vault/socket" };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	return ATTEMPT(connect(fd, (const struct sockaddr *)&address, sizeof(address)));
}
OUTSIDER(listen_in_vault)
{
	const struct sockaddr_un address = { AF_UNIX, "vault/socket" };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* Stays open. */

	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return ATTEMPT(chmod("vault/socket", 0777));
}
KNOWN_GAP(connect_to_outsider, "Unix sockets are not decided yet", .before = listen_in_vault);

/* ---- Root ---- */

#define MOUNTS "What root mounts in the fence is not decided yet"

ESCAPE(read_unlisted_where_bound,
       "Bind a directory that no rule names into the project and read there")
{
	if (mount("../home", "spare", NULL, MS_BIND, NULL) < 0)
		return -errno;
	return probe(PROBE_READ, "spare/letter");
}
KNOWN_GAP(read_unlisted_where_bound, MOUNTS, .not_on = AS_USER);

ESCAPE(mount_over_hidden, "Mount a file system of its own on a hidden directory")
{
	return ATTEMPT(mount("scratch", "vault", "tmpfs", 0, NULL));
}
KNOWN_GAP(mount_over_hidden, MOUNTS, .not_on = AS_USER);
