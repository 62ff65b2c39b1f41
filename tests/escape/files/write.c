/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Changing content that is not to be changed. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"

#define PAGE_SIZE 4096

static int open_and_close(const char *path, int flags)
{
	_cleanup_close_ int fd = open(path, flags | O_CLOEXEC);

	return ATTEMPT(fd);
}

ESCAPE(write_kept, "Open a file that may only be read for writing")
{
	return probe(PROBE_WRITE, "kept/hook");
}
DENIED_WITH(write_kept, EACCES, RULE, FILE_OPEN, "project/kept/hook", .rule = "project/kept",
	    .access = "w");

ESCAPE(write_kept_and_read, "Open a file that may only be read for reading and writing")
{
	return open_and_close("kept/hook", O_RDWR);
}
DENIED_WITH(write_kept_and_read, EACCES, RULE, FILE_OPEN, "project/kept/hook",
	    .rule = "project/kept", .access = "rw");

ESCAPE(write_by_symlink, "Write through a symbolic link to a file that may only be read")
{
	if (symlink("kept/hook", "way") < 0)
		return -errno;
	return probe(PROBE_WRITE, "way");
}
DENIED_WITH(write_by_symlink, EACCES, RULE, FILE_OPEN, "project/kept/hook", .rule = "project/kept",
	    .access = "w");

ESCAPE(write_unlisted, "Write to a file that no rule names")
{
	return probe(PROBE_WRITE, "../home/letter");
}
DENIED_WITH(write_unlisted, ENOENT, UNLISTED, FILE_OPEN, "home/letter", .access = "w");

ESCAPE(truncate_by_open,
       "Empty a file that may only be read by opening it for reading with O_TRUNC")
{
	return open_and_close("kept/hook", O_RDONLY | O_TRUNC);
}
DENIED_WITH(truncate_by_open, EACCES, RULE, FILE_OPEN, "project/kept/hook", .rule = "project/kept",
	    .access = "rw");

ESCAPE(truncate_by_creat, "Empty a denied file by creat")
{
	_cleanup_close_ int fd = creat("key", 0644);

	return ATTEMPT(fd);
}
DENIED_WITH(truncate_by_creat, EACCES, RULE, FILE_OPEN, "project/key", .access = "w");

ESCAPE(truncate_denied, "Empty a denied file by truncate")
{
	return ATTEMPT(truncate("key", 0));
}
DENIED_WITH(truncate_denied, EACCES, RULE, FILE_TRUNCATE, "project/key");

ESCAPE(truncate_kept, "Lengthen a file that may only be read")
{
	return ATTEMPT(truncate("kept/hook", 4096));
}
DENIED_WITH(truncate_kept, EACCES, RULE, FILE_TRUNCATE, "project/kept/hook",
	    .rule = "project/kept");

ESCAPE(truncate_by_proc, "Empty a denied file by the link of an O_PATH descriptor in /proc")
{
	_cleanup_close_ int fd = open_as_name("key");

	return fd < 0 ? fd : ATTEMPT(truncate(link_of(fd), 0));
}
DENIED_WITH(truncate_by_proc, EACCES, RULE, FILE_TRUNCATE, "project/key");

ESCAPE(truncate_hidden, "Empty a hidden file")
{
	return ATTEMPT(truncate("vault/deep/token", 0));
}
DENIED_WITH(truncate_hidden, ENOENT, RULE, FILE_TRUNCATE, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(write_by_map_files,
       "Open a mapped file that may only be read for writing by its link in map_files")
{
	_cleanup_close_ int fd = open("kept/hook", O_RDONLY | O_CLOEXEC);
	char link[64];
	char *address;

	if (fd < 0)
		return -errno;
	address = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
	if (address == MAP_FAILED)
		return -errno;
	(void)snprintf(link, sizeof(link), "/proc/self/map_files/%lx-%lx", (unsigned long)address,
		       (unsigned long)address + PAGE_SIZE);
	return probe(PROBE_WRITE, link);
}
DENIED_WITH(write_by_map_files, EACCES, RULE, FILE_OPEN, "project/kept/hook",
	    .rule = "project/kept", .access = "w", .not_on = AS_USER);

ESCAPE(write_open, "Write to a file of the project")
{
	return probe(PROBE_WRITE, "notes");
}
ALLOWED(write_open);

ESCAPE(truncate_open, "Empty a file of the project by truncate")
{
	return ATTEMPT(truncate("notes", 0));
}
ALLOWED(truncate_open);

ESCAPE(truncate_open_descriptor, "Empty a file of the project by ftruncate")
{
	_cleanup_close_ int fd = open("notes", O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : ATTEMPT(ftruncate(fd, 0));
}
ALLOWED(truncate_open_descriptor);
