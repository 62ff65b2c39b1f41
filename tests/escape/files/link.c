/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Another name for a file. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"
#include "escape/uring.h"

static int link_and_read(const char *from, const char *to)
{
	if (link(from, to) < 0)
		return -errno;
	return probe(PROBE_READ, to);
}

ESCAPE(link_denied, "Hard-link a denied file into the project, then read the link")
{
	return link_and_read("key", "copy");
}
DENIED_WITH(link_denied, EACCES, RULE, FILE_LINK, "project/key");

ESCAPE(link_unlisted, "Hard-link a file that no rule names into the project, then read the link")
{
	return link_and_read("../home/letter", "copy");
}
DENIED_WITH(link_unlisted, ENOENT, UNLISTED, FILE_LINK, "home/letter");

ESCAPE(link_below_hidden, "Hard-link a file out of a hidden directory")
{
	return link_and_read("vault/deep/token", "copy");
}
DENIED_WITH(link_below_hidden, ENOENT, RULE, FILE_LINK, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(link_name, "Hard-link a file with a denied name to another name")
{
	return link_and_read(".env", "copy");
}
DENIED_WITH(link_name, EACCES, RULE, FILE_LINK, "project/.env", .rule = "**/.env");

ESCAPE(link_kept_to_write, "Hard-link a file that may only be read, then write to the link")
{
	if (link("kept/hook", "copy") < 0)
		return -errno;
	return probe(PROBE_WRITE, "copy");
}
DENIED_WITH(link_kept_to_write, EACCES, RULE, FILE_LINK, "project/kept/hook",
	    .rule = "project/kept");

ESCAPE(link_by_symlink, "Hard-link a denied file through a symbolic link")
{
	if (symlink("key", "way") < 0 ||
	    linkat(AT_FDCWD, "way", AT_FDCWD, "copy", AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	return probe(PROBE_READ, "copy");
}
DENIED_WITH(link_by_symlink, EACCES, RULE, FILE_LINK, "project/key");

ESCAPE(link_by_proc, "Hard-link a denied file by the link of an O_PATH descriptor in /proc")
{
	_cleanup_close_ int fd = open_as_name("key");

	if (fd < 0 || linkat(AT_FDCWD, link_of(fd), AT_FDCWD, "copy", AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	return probe(PROBE_READ, "copy");
}
DENIED_WITH(link_by_proc, EACCES, RULE, FILE_LINK, "project/key");

ESCAPE(link_by_descriptor, "Hard-link a denied file by an O_PATH descriptor alone")
{
	_cleanup_close_ int fd = open_as_name("key");

	if (fd < 0 || linkat(fd, "", AT_FDCWD, "copy", AT_EMPTY_PATH) < 0)
		return -errno;
	return probe(PROBE_READ, "copy");
}
DENIED_WITH(link_by_descriptor, EACCES, RULE, FILE_LINK, "project/key", .not_on = AS_USER);

ESCAPE(link_by_uring, "Hard-link a denied file by io_uring")
{
	int r = uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_LINKAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"key",
		.len = (unsigned int)AT_FDCWD,
		.addr2 = (unsigned long)"copy",
	});

	return r < 0 ? r : probe(PROBE_READ, "copy");
}
DENIED_WITH(link_by_uring, EACCES, RULE, FILE_LINK, "project/key");

ESCAPE(link_to_absent_name, "Give a file of the project a name that is denied")
{
	return ATTEMPT(link("notes", "nest/absent"));
}
DENIED_WITH(link_to_absent_name, EACCES, RULE, FILE_LINK, "project/nest/absent", .access = "w");

ESCAPE(link_into_kept, "Link a file of the project into a directory that may only be read")
{
	return ATTEMPT(link("notes", "kept/new"));
}
DENIED_WITH(link_into_kept, EACCES, RULE, FILE_LINK, "project/kept/new", .rule = "project/kept",
	    .access = "w");

ESCAPE(link_to_name, "Give a file of the project a name that is denied in every directory")
{
	return ATTEMPT(link("notes", "box/.env"));
}
DENIED_WITH(link_to_name, EACCES, RULE, FILE_LINK, "project/box/.env", .rule = "**/.env",
	    .access = "w");

ESCAPE(link_unnamed_file, "Make a file without a name and link it to a denied one")
{
	_cleanup_close_ int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	return ATTEMPT(linkat(AT_FDCWD, link_of(fd), AT_FDCWD, "nest/absent", AT_SYMLINK_FOLLOW));
}
/* 6.1 has no such files on overlayfs. */
DENIED_WITH(link_unnamed_file, EACCES, RULE, FILE_LINK, "project/nest/absent", .access = "w",
	    .not_on = ON_OVERLAY);

OUTSIDER(link_key)
{
	return ATTEMPT(link("key", "older"));
}

ESCAPE(read_older_link,
       "Read by a hard link that somebody outside made to a file that a rule names")
{
	return probe(PROBE_READ, "older");
}
DENIED_WITH(read_older_link, EACCES, RULE, FILE_OPEN, "project/older", .rule = "project/key",
	    .before = link_key);

ESCAPE(link_older_link, "Make another hard link from one that somebody outside made")
{
	return link_and_read("older", "copy");
}
DENIED_WITH(link_older_link, EACCES, RULE, FILE_LINK, "project/older", .rule = "project/key",
	    .before = link_key);

ESCAPE(read_later_link, "Read by a hard link that somebody outside makes while the fence is there")
{
	return probe(PROBE_READ, "older");
}
DENIED_WITH(read_later_link, EACCES, RULE, FILE_OPEN, "project/older", .rule = "project/key",
	    .meanwhile = link_key);

ESCAPE(read_link_to_unlisted,
       "Read by a hard link in the project that somebody outside made to a file that no rule names")
{
	return probe(PROBE_READ, "older");
}
OUTSIDER(link_letter)
{
	return ATTEMPT(link("../home/letter", "older"));
}
ALLOWED(read_link_to_unlisted, .before = link_letter);

ESCAPE(link_open, "Hard-link a file of the project")
{
	return link_and_read("notes", "box/copy");
}
ALLOWED(link_open);

ESCAPE(link_unnamed_file_openly, "Make a file without a name and link it into the project")
{
	_cleanup_close_ int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	return ATTEMPT(linkat(AT_FDCWD, link_of(fd), AT_FDCWD, "copy", AT_SYMLINK_FOLLOW));
}
ALLOWED(link_unnamed_file_openly, .not_on = ON_OVERLAY);
