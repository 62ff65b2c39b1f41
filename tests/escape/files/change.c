/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Changing whose a file is and what may be done to it. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"

ESCAPE(chmod_denied, "Change the mode of a denied file")
{
	return ATTEMPT(chmod("key", 0666));
}
DENIED_WITH(chmod_denied, EACCES, RULE, FILE_CHANGE, "project/key");

ESCAPE(chmod_kept, "Change the mode of a file that may only be read")
{
	return ATTEMPT(chmod("kept/hook", 0777));
}
DENIED_WITH(chmod_kept, EACCES, RULE, FILE_CHANGE, "project/kept/hook", .rule = "project/kept");

ESCAPE(chmod_kept_directory, "Change the mode of a directory that may only be read")
{
	return ATTEMPT(chmod("kept", 0777));
}
DENIED_WITH(chmod_kept_directory, EACCES, RULE, FILE_CHANGE, "project/kept");

ESCAPE(chmod_by_descriptor, "Change the mode of a file that may only be read by a descriptor")
{
	_cleanup_close_ int fd = open("kept/hook", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : ATTEMPT(fchmod(fd, 0777));
}
DENIED_WITH(chmod_by_descriptor, EACCES, RULE, FILE_CHANGE, "project/kept/hook",
	    .rule = "project/kept");

ESCAPE(chmod_by_proc, "Change the mode of a hidden directory by the link of an O_PATH descriptor")
{
	_cleanup_close_ int fd = open_as_name("vault");

	return fd < 0 ? fd : ATTEMPT(chmod(link_of(fd), 0777));
}
DENIED_WITH(chmod_by_proc, ENOENT, RULE, FILE_CHANGE, "project/vault");

ESCAPE(chown_denied, "Change the owner of a denied file")
{
	return ATTEMPT(chown("key", getuid(), getgid()));
}
DENIED_WITH(chown_denied, EACCES, RULE, FILE_CHANGE, "project/key");

ESCAPE(chown_by_descriptor, "Change the owner of a denied file by an O_PATH descriptor alone")
{
	_cleanup_close_ int fd = open_as_name("key");

	return ATTEMPT(fchownat(fd, "", getuid(), getgid(), AT_EMPTY_PATH));
}
DENIED_WITH(chown_by_descriptor, EACCES, RULE, FILE_CHANGE, "project/key");

ESCAPE(chown_symlink, "Change the owner of a symbolic link with a denied name")
{
	return ATTEMPT(lchown("box/.env", getuid(), getgid()));
}
OUTSIDER(make_symlink)
{
	if (symlink("paper", "box/.env") < 0)
		return -errno;
	/* Whoever owns it in the end: the directory's owner. */
	return ATTEMPT(lchown("box/.env", 1000, 1000));
}
DENIED_WITH(chown_symlink, EACCES, RULE, FILE_CHANGE, "project/box/.env", .rule = "**/.env",
	    .before = make_symlink);

ESCAPE(chmod_open, "Change the mode of a file of the project")
{
	return ATTEMPT(chmod("notes", 0600));
}
ALLOWED(chmod_open);

ESCAPE(chown_open, "Change the owner of a file of the project")
{
	return ATTEMPT(chown("notes", getuid(), getgid()));
}
ALLOWED(chown_open);
