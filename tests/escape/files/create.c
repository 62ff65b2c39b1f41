/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Making what must not come into being. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"
#include "escape/uring.h"

/* An attack returns nothing but 0 for success. */
static int uring_ok(int result)
{
	return result < 0 ? result : 0;
}

static int bind_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	return ATTEMPT(bind(fd, (struct sockaddr *)&address, sizeof(address)));
}

ESCAPE(create_absent, "Create a file with a denied name by O_CREAT")
{
	return write_file("nest/absent", "content\n");
}
DENIED_WITH(create_absent, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_absent_exclusively, "Create a file with a denied name by O_EXCL")
{
	return ATTEMPT(open("nest/absent", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}
DENIED_WITH(create_absent_exclusively, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_by_openat2, "Create a file with a denied name by openat2")
{
	struct open_how how = {
		.flags = O_WRONLY | O_CREAT | O_CLOEXEC,
		.mode = 0600,
		.resolve = RESOLVE_BENEATH,
	};

	return ATTEMPT((int)syscall(SYS_openat2, AT_FDCWD, "nest/absent", &how, sizeof(how)));
}
DENIED_WITH(create_by_openat2, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_by_dangling_symlink, "Create a file with a denied name through a symbolic link to it")
{
	if (symlink("nest/absent", "way") < 0)
		return -errno;
	return write_file("way", "content\n");
}
DENIED_WITH(create_by_dangling_symlink, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_by_uring, "Create a file with a denied name by io_uring")
{
	return uring_ok(uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"nest/absent",
		.len = 0600,
		.open_flags = O_WRONLY | O_CREAT | O_CLOEXEC,
	}));
}
DENIED_WITH(create_by_uring, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_directory, "Make a directory with a denied name")
{
	return ATTEMPT(mkdir("nest/absent", 0755));
}
DENIED_WITH(create_directory, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_directory_by_uring, "Make a directory with a denied name by io_uring")
{
	return uring_ok(uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_MKDIRAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"nest/absent",
		.len = 0755,
	}));
}
DENIED_WITH(create_directory_by_uring, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_symlink, "Make a symbolic link with a denied name")
{
	return ATTEMPT(symlink("../notes", "nest/absent"));
}
DENIED_WITH(create_symlink, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_symlink_by_uring, "Make a symbolic link with a denied name by io_uring")
{
	return uring_ok(uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_SYMLINKAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"../notes",
		.addr2 = (unsigned long)"nest/absent",
	}));
}
DENIED_WITH(create_symlink_by_uring, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_fifo, "Make a FIFO with a denied name")
{
	return ATTEMPT(mkfifo("nest/absent", 0600));
}
DENIED_WITH(create_fifo, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_by_mknod, "Make an ordinary file with a denied name by mknod")
{
	return ATTEMPT(mknod("nest/absent", S_IFREG | 0600, 0));
}
DENIED_WITH(create_by_mknod, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_device, "Make a device with a denied name")
{
	return ATTEMPT(mknod("nest/absent", S_IFCHR | 0600, 0x103)); /* null */
}
DENIED_WITH(create_device, EACCES, RULE, FILE_CREATE, "project/nest/absent", .not_on = AS_USER);

ESCAPE(create_whiteout, "Make a whiteout with a denied name, which needs no privilege")
{
	return ATTEMPT(mknod("nest/absent", S_IFCHR, 0));
}
/* Overlayfs keeps them to itself. */
DENIED_WITH(create_whiteout, EACCES, RULE, FILE_CREATE, "project/nest/absent",
	    .not_on = ON_OVERLAY);

ESCAPE(create_socket, "Bind a socket to a denied name")
{
	return bind_to("nest/absent");
}
DENIED_WITH(create_socket, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_in_kept, "Create a file in a directory that may only be read")
{
	return write_file("kept/new", "content\n");
}
DENIED_WITH(create_in_kept, EACCES, RULE, FILE_CREATE, "project/kept/new", .rule = "project/kept");

ESCAPE(create_below_kept_descriptor,
       "Create a file relative to a descriptor of a directory that may only be read")
{
	_cleanup_close_ int directory_fd = open("kept", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int fd = -1;

	if (directory_fd < 0)
		return -errno;
	fd = openat(directory_fd, "new", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	return ATTEMPT(fd);
}
DENIED_WITH(create_below_kept_descriptor, EACCES, RULE, FILE_CREATE, "project/kept/new",
	    .rule = "project/kept");

ESCAPE(create_unnamed_in_kept, "Make a file without a name in a directory that may only be read")
{
	_cleanup_close_ int fd = open_as_name("kept");
	_cleanup_close_ int file_fd = -1;

	if (fd < 0)
		return -errno;
	file_fd = open("box", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
	if (file_fd < 0)
		return -errno;
	return ATTEMPT(linkat(AT_FDCWD, link_of(file_fd), fd, "new", AT_SYMLINK_FOLLOW));
}
DENIED_WITH(create_unnamed_in_kept, EACCES, RULE, FILE_LINK, "project/kept/new",
	    .rule = "project/kept", .access = "w", .not_on = ON_OVERLAY);

ESCAPE(create_unlisted, "Create a file where no rule allows it")
{
	return write_file("../home/new", "content\n");
}
DENIED_WITH(create_unlisted, ENOENT, UNLISTED, FILE_CREATE, "home/new");

ESCAPE(create_in_hidden, "Create a file in a hidden directory")
{
	return write_file("vault/new", "content\n");
}
DENIED_WITH(create_in_hidden, ENOENT, RULE, FILE_CREATE, "project/vault/new",
	    .rule = "project/vault");

ESCAPE(create_name, "Create a file with a name that is denied in every directory")
{
	return write_file("box/.env", "content\n");
}
DENIED_WITH(create_name, EACCES, RULE, FILE_CREATE, "project/box/.env", .rule = "**/.env");

ESCAPE(create_pattern, "Create a file with a name that matches a denied pattern")
{
	return write_file("box/new.pem", "content\n");
}
DENIED_WITH(create_pattern, EACCES, RULE, FILE_CREATE, "project/box/new.pem", .rule = "**/*.pem");

ESCAPE(create_below_new_directory,
       "Create a denied name below a directory that was made in the fence")
{
	if (mkdir("rooms/blue", 0755) < 0)
		return -errno;
	return write_file("rooms/blue/safe", "content\n");
}
DENIED_WITH(create_below_new_directory, EACCES, RULE, FILE_CREATE, "project/rooms/blue/safe",
	    .rule = "project/rooms/*/safe");

ESCAPE(create_above_anew,
       "Remove the directory above a denied name, make it anew and create the name")
{
	if (rmdir("nest") < 0 || mkdir("nest", 0755) < 0)
		return -errno;
	return write_file("nest/absent", "content\n");
}
DENIED_WITH(create_above_anew, EACCES, RULE, FILE_CREATE, "project/nest/absent");

ESCAPE(create_removed, "Create a denied file that somebody outside has removed")
{
	return write_file("key", "content\n");
}
OUTSIDER(remove_key)
{
	return ATTEMPT(unlink("key"));
}
DENIED_WITH(create_removed, EACCES, RULE, FILE_CREATE, "project/key", .meanwhile = remove_key);

ESCAPE(read_created_by_outsider, "Read a file with a denied name that somebody outside has created")
{
	return probe(PROBE_READ, "nest/absent");
}
OUTSIDER(create_nest_absent)
{
	return write_file("nest/absent", "content\n");
}
DENIED_WITH(read_created_by_outsider, EACCES, RULE, FILE_OPEN, "project/nest/absent",
	    .meanwhile = create_nest_absent);

ESCAPE(read_name_created_by_outsider,
       "Read a file with a name denied in every directory that somebody outside has created")
{
	return probe(PROBE_READ, "box/.env");
}
OUTSIDER(create_env)
{
	return write_file("box/.env", "content\n");
}
DENIED_WITH(read_name_created_by_outsider, EACCES, RULE, FILE_OPEN, "project/box/.env",
	    .rule = "**/.env", .meanwhile = create_env);

ESCAPE(read_below_created_by_outsider,
       "Read below a hidden directory that somebody outside has made anew")
{
	return probe(PROBE_READ, "vault/new");
}
OUTSIDER(remake_vault)
{
	if (rename("vault", "../home/vault") < 0 || mkdir("vault", 0755) < 0)
		return -errno;
	return write_file("vault/new", "content\n");
}
DENIED_WITH(read_below_created_by_outsider, ENOENT, RULE, FILE_OPEN, "project/vault/new",
	    .rule = "project/vault", .meanwhile = remake_vault);

/* ---- Allowed ---- */

ESCAPE(create_open, "Create a file in the project")
{
	return write_file("new", "content\n");
}
ALLOWED(create_open);

ESCAPE(create_beside_absent, "Create a file beside a denied name")
{
	return write_file("nest/present", "content\n");
}
ALLOWED(create_beside_absent);

ESCAPE(create_open_directory, "Make a directory in the project")
{
	return ATTEMPT(mkdir("new", 0755));
}
ALLOWED(create_open_directory);

ESCAPE(create_open_symlink, "Make a symbolic link in the project")
{
	return ATTEMPT(symlink("notes", "new"));
}
ALLOWED(create_open_symlink);

ESCAPE(create_open_fifo, "Make a FIFO in the project")
{
	return ATTEMPT(mkfifo("new", 0600));
}
ALLOWED(create_open_fifo);

ESCAPE(create_open_socket, "Bind a socket to a name in the project")
{
	return bind_to("new");
}
ALLOWED(create_open_socket);
