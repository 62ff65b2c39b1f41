/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Removing what is to stay. */
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"
#include "escape/uring.h"

ESCAPE(remove_denied, "Remove a denied file")
{
	return ATTEMPT(unlink("key"));
}
DENIED_WITH(remove_denied, EACCES, RULE, FILE_REMOVE, "project/key");

ESCAPE(remove_and_make_anew, "Remove a file that may only be read, to make it anew")
{
	if (unlink("kept/hook") < 0)
		return -errno;
	return write_file("kept/hook", "content\n");
}
DENIED_WITH(remove_and_make_anew, EACCES, RULE, FILE_REMOVE, "project/kept/hook",
	    .rule = "project/kept");

ESCAPE(remove_by_proc_cwd, "Remove a denied file through /proc/self/cwd")
{
	return ATTEMPT(unlink("/proc/self/cwd/key"));
}
DENIED_WITH(remove_by_proc_cwd, EACCES, RULE, FILE_REMOVE, "project/key");

ESCAPE(remove_below_descriptor, "Remove a hidden file relative to an O_PATH descriptor")
{
	_cleanup_close_ int fd = open_as_name("vault/deep");

	return ATTEMPT(unlinkat(fd, "token", 0));
}
DENIED_WITH(remove_below_descriptor, ENOENT, RULE, FILE_REMOVE, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(remove_by_uring, "Remove a denied file by io_uring")
{
	return uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_UNLINKAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"key",
	});
}
DENIED_WITH(remove_by_uring, EACCES, RULE, FILE_REMOVE, "project/key");

ESCAPE(remove_unlisted, "Remove a file that no rule names")
{
	return ATTEMPT(unlink("../home/letter"));
}
DENIED_WITH(remove_unlisted, ENOENT, UNLISTED, FILE_REMOVE, "home/letter");

ESCAPE(remove_directory, "Remove a directory that may only be read")
{
	return ATTEMPT(rmdir("kept/empty"));
}
DENIED_WITH(remove_directory, EACCES, RULE, FILE_REMOVE, "project/kept/empty",
	    .rule = "project/kept");

ESCAPE(remove_directory_by_uring, "Remove a directory that may only be read by io_uring")
{
	return uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_UNLINKAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"kept/empty",
		.unlink_flags = AT_REMOVEDIR,
	});
}
DENIED_WITH(remove_directory_by_uring, EACCES, RULE, FILE_REMOVE, "project/kept/empty",
	    .rule = "project/kept");

ESCAPE(remove_older_link, "Remove a denied file by a hard link that somebody outside made")
{
	return ATTEMPT(unlink("older"));
}
OUTSIDER(link_key)
{
	return ATTEMPT(link("key", "older"));
}
DENIED_WITH(remove_older_link, EACCES, RULE, FILE_REMOVE, "project/older", .rule = "project/key",
	    .before = link_key);

ESCAPE(remove_open, "Remove a file of the project")
{
	return ATTEMPT(unlink("notes"));
}
ALLOWED(remove_open);

ESCAPE(remove_open_directory, "Remove a directory of the project")
{
	return ATTEMPT(rmdir("spare"));
}
ALLOWED(remove_open_directory);
