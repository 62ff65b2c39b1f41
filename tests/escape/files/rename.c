/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Moving what is protected, or the directories above it, or something else in its place. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escape/attempt.h"
#include "escape/escape.h"
#include "escape/uring.h"

static int exchange(const char *one, const char *other)
{
	return ATTEMPT(renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE));
}

static int rename_and_read(const char *from, const char *to, const char *path)
{
	if (rename(from, to) < 0)
		return -errno;
	return probe(PROBE_READ, path);
}

/* ---- The protected object ---- */

ESCAPE(rename_denied, "Rename a denied file, then read it by its new name")
{
	return rename_and_read("key", "copy", "copy");
}
DENIED_WITH(rename_denied, EACCES, RULE, FILE_RENAME, "project/key");

ESCAPE(rename_unlisted, "Move a file that no rule names into the project")
{
	return rename_and_read("../home/letter", "letter", "letter");
}
DENIED_WITH(rename_unlisted, ENOENT, UNLISTED, FILE_RENAME, "home/letter");

ESCAPE(rename_unlisted_directory, "Move a directory that no rule names into the project")
{
	return rename_and_read("../home", "home", "home/letter");
}
DENIED_WITH(rename_unlisted_directory, ENOENT, UNLISTED, FILE_RENAME, "home");

ESCAPE(rename_hidden, "Rename a hidden directory, then read below it")
{
	return rename_and_read("vault", "open", "open/deep/token");
}
DENIED_WITH(rename_hidden, ENOENT, RULE, FILE_RENAME, "project/vault");

ESCAPE(rename_out_of_hidden, "Move a file out of a hidden directory")
{
	return rename_and_read("vault/deep/token", "token", "token");
}
DENIED_WITH(rename_out_of_hidden, ENOENT, RULE, FILE_RENAME, "project/vault/deep/token",
	    .rule = "project/vault");

ESCAPE(rename_name, "Rename a file with a denied name")
{
	return rename_and_read(".env", "env", "env");
}
DENIED_WITH(rename_name, EACCES, RULE, FILE_RENAME, "project/.env", .rule = "**/.env");

ESCAPE(rename_out_of_kept, "Move a file that may only be read to where it may be written")
{
	if (rename("kept/hook", "hook") < 0)
		return -errno;
	return probe(PROBE_WRITE, "hook");
}
DENIED_WITH(rename_out_of_kept, EACCES, RULE, FILE_RENAME, "project/kept/hook",
	    .rule = "project/kept");

ESCAPE(rename_kept, "Move a directory that may only be read away, to make it anew")
{
	if (rename("kept", "old") < 0)
		return -errno;
	return ATTEMPT(mkdir("kept", 0755));
}
DENIED_WITH(rename_kept, EACCES, RULE, FILE_RENAME, "project/kept");

ESCAPE(exchange_with_denied, "Exchange an open file with a denied one")
{
	int r = exchange("notes", "key");

	return r < 0 ? r : probe(PROBE_READ, "notes");
}
DENIED_WITH(exchange_with_denied, EACCES, RULE, FILE_RENAME, "project/key");

ESCAPE(exchange_denied, "Exchange a denied file with an open one")
{
	int r = exchange("key", "notes");

	return r < 0 ? r : probe(PROBE_READ, "notes");
}
DENIED_WITH(exchange_denied, EACCES, RULE, FILE_RENAME, "project/key");

ESCAPE(exchange_with_hidden, "Exchange a directory with a hidden one")
{
	int r = exchange("box", "vault");

	return r < 0 ? r : probe(PROBE_READ, "box/deep/token");
}
DENIED_WITH(exchange_with_hidden, ENOENT, RULE, FILE_RENAME, "project/vault");

ESCAPE(exchange_with_kept, "Exchange a directory with one that may only be read")
{
	return exchange("box", "kept");
}
DENIED_WITH(exchange_with_kept, EACCES, RULE, FILE_RENAME, "project/kept");

ESCAPE(rename_by_uring, "Rename a denied file by io_uring")
{
	int r = uring_request(&(struct io_uring_sqe){
		.opcode = IORING_OP_RENAMEAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)"key",
		.len = (unsigned int)AT_FDCWD,
		.addr2 = (unsigned long)"copy",
	});

	return r < 0 ? r : probe(PROBE_READ, "copy");
}
DENIED_WITH(rename_by_uring, EACCES, RULE, FILE_RENAME, "project/key");

/* ---- Directories above it ---- */

ESCAPE(rename_above, "Rename the directory above a denied file")
{
	return rename_and_read("area", "other", "other/sealed");
}
DENIED_WITH(rename_above, EACCES, GUARDS, FILE_RENAME, "project/area");

ESCAPE(rename_above_absent, "Rename the directory above a denied name that does not exist")
{
	if (rename("nest", "other") < 0)
		return -errno;
	return write_file("other/absent", "content\n");
}
DENIED_WITH(rename_above_absent, EACCES, GUARDS, FILE_RENAME, "project/nest");

ESCAPE(rename_project, "Rename the directory of the whole project")
{
	return rename_and_read("../project", "../other", "key");
}
DENIED_WITH(rename_project, EACCES, GUARDS, FILE_RENAME, "project");

ESCAPE(rename_above_pattern, "Rename the directory above a pattern")
{
	return rename_and_read("rooms", "other", "other/red/safe");
}
DENIED_WITH(rename_above_pattern, EACCES, GUARDS, FILE_RENAME, "project/rooms");

ESCAPE(rename_inside_pattern, "Move a directory out of where a pattern matches it")
{
	return rename_and_read("rooms/red", "box/red", "box/red/safe");
}
DENIED_WITH(rename_inside_pattern, EACCES, GUARDS, FILE_RENAME, "project/rooms/red");

ESCAPE(exchange_with_above, "Exchange a directory with the one above a denied file")
{
	int r = exchange("box", "area");

	return r < 0 ? r : probe(PROBE_READ, "box/sealed");
}
DENIED_WITH(exchange_with_above, EACCES, GUARDS, FILE_RENAME, "project/area");

ESCAPE(exchange_above, "Exchange the directory above a denied file with another one")
{
	int r = exchange("area", "box");

	return r < 0 ? r : probe(PROBE_READ, "box/sealed");
}
DENIED_WITH(exchange_above, EACCES, GUARDS, FILE_RENAME, "project/area");

/* ---- Something else in its place ---- */

ESCAPE(rename_over_denied, "Rename an open file over a denied one")
{
	return ATTEMPT(rename("notes", "key"));
}
DENIED_WITH(rename_over_denied, EACCES, RULE, FILE_RENAME, "project/key", .access = "w");

ESCAPE(rename_to_absent, "Rename an open file to a denied name that does not exist")
{
	return ATTEMPT(rename("notes", "nest/absent"));
}
DENIED_WITH(rename_to_absent, EACCES, RULE, FILE_RENAME, "project/nest/absent", .access = "w");

ESCAPE(rename_to_name, "Rename an open file to a name that is denied in every directory")
{
	return ATTEMPT(rename("notes", "box/.env"));
}
DENIED_WITH(rename_to_name, EACCES, RULE, FILE_RENAME, "project/box/.env", .rule = "**/.env",
	    .access = "w");

ESCAPE(rename_into_kept, "Move a file into a directory that may only be read")
{
	return ATTEMPT(rename("notes", "kept/notes"));
}
DENIED_WITH(rename_into_kept, EACCES, RULE, FILE_RENAME, "project/kept/notes",
	    .rule = "project/kept", .access = "w");

ESCAPE(rename_over_kept, "Replace an empty directory that may only be read")
{
	return ATTEMPT(rename("spare", "kept/empty"));
}
DENIED_WITH(rename_over_kept, EACCES, RULE, FILE_RENAME, "project/kept/empty",
	    .rule = "project/kept", .access = "w");

/* A program outside that looks for nest/absent would take what the fence wrote. */
ESCAPE(rename_prepared_directory,
       "Prepare a directory with a denied name in it elsewhere, then move it into place")
{
	int r = write_file("box/absent", "content\n");

	if (r == 0)
		r = ATTEMPT(rmdir("nest"));
	if (r == 0)
		r = ATTEMPT(rename("box", "nest"));
	return r;
}
DENIED_WITH(rename_prepared_directory, EACCES, GUARDS, FILE_RENAME, "project/nest", .access = "w");

ESCAPE(rename_over_above, "Move a prepared directory over the empty one above a denied name")
{
	int r = write_file("box/absent", "content\n");

	return r < 0 ? r : ATTEMPT(rename("box", "nest"));
}
DENIED_WITH(rename_over_above, EACCES, GUARDS, FILE_RENAME, "project/nest", .access = "w");

ESCAPE(symlink_prepared_directory,
       "Put a symbolic link to a prepared directory where the one above a denied name was")
{
	int r = write_file("box/absent", "content\n");

	if (r == 0)
		r = ATTEMPT(rmdir("nest"));
	if (r == 0)
		r = ATTEMPT(symlink("box", "nest"));
	return r;
}
DENIED_WITH(symlink_prepared_directory, EACCES, GUARDS, FILE_CREATE, "project/nest");

ESCAPE(rename_prepared_below_pattern,
       "Move a prepared directory to where a pattern denies a name in it")
{
	int r = write_file("box/safe", "content\n");

	return r < 0 ? r : ATTEMPT(rename("box", "rooms/blue"));
}
DENIED_WITH(rename_prepared_below_pattern, EACCES, GUARDS, FILE_RENAME, "project/rooms/blue",
	    .access = "w");

/* A symbolic link to a prepared directory, and nothing where it is to be. */
static int prepare_symlink(void)
{
	int r = write_file("box/absent", "content\n");

	if (r == 0)
		r = ATTEMPT(symlink("box", "way"));
	return r < 0 ? r : ATTEMPT(rmdir("nest"));
}

ESCAPE(rename_symlink_into_place,
       "Rename a symbolic link to where the directory above a denied name was")
{
	int r = prepare_symlink();

	return r < 0 ? r : ATTEMPT(rename("way", "nest"));
}
DENIED_WITH(rename_symlink_into_place, EACCES, GUARDS, FILE_RENAME, "project/nest", .access = "w");

ESCAPE(link_symlink_into_place,
       "Hard-link a symbolic link to where the directory above a denied name was")
{
	int r = prepare_symlink();

	return r < 0 ? r : ATTEMPT(link("way", "nest"));
}
DENIED_WITH(link_symlink_into_place, EACCES, GUARDS, FILE_LINK, "project/nest", .access = "w");

ESCAPE(make_above_anew, "Remove the directory above a denied name and make it anew")
{
	return rmdir("nest") < 0 ? -errno : ATTEMPT(mkdir("nest", 0755));
}
ALLOWED(make_above_anew);

/* ---- What outsiders do ---- */

ESCAPE(read_moved_by_outsider, "Read a denied file that somebody outside has moved elsewhere")
{
	return probe(PROBE_READ, "box/wandered");
}
OUTSIDER(move_key)
{
	return ATTEMPT(rename("key", "box/wandered"));
}
DENIED_WITH(read_moved_by_outsider, EACCES, RULE, FILE_OPEN, "project/box/wandered",
	    .rule = "project/key", .meanwhile = move_key);

ESCAPE(read_below_moved_by_outsider,
       "Read below a hidden directory that somebody outside has moved")
{
	return probe(PROBE_READ, "box/open/deep/token");
}
OUTSIDER(move_vault)
{
	return ATTEMPT(rename("vault", "box/open"));
}
DENIED_WITH(read_below_moved_by_outsider, ENOENT, RULE, FILE_OPEN, "project/box/open/deep/token",
	    .rule = "project/vault", .meanwhile = move_vault);

ESCAPE(read_replaced_by_outsider,
       "Read a denied file that somebody outside has replaced by renaming")
{
	return probe(PROBE_READ, "key");
}
OUTSIDER(replace_key)
{
	int r = write_file("key.new", "content\n");

	return r < 0 ? r : ATTEMPT(rename("key.new", "key"));
}
DENIED_WITH(read_replaced_by_outsider, EACCES, RULE, FILE_OPEN, "project/key",
	    .meanwhile = replace_key);

/* ---- Allowed ---- */

ESCAPE(rename_open, "Rename a file of the project")
{
	return rename_and_read("notes", "box/notes", "box/notes");
}
ALLOWED(rename_open);

ESCAPE(rename_open_directory, "Rename a directory of the project")
{
	return rename_and_read("box", "crate", "crate/paper");
}
ALLOWED(rename_open_directory);

ESCAPE(exchange_open, "Exchange a file and a directory of the project")
{
	return exchange("notes", "box");
}
ALLOWED(exchange_open);

ESCAPE(rename_temporary_over_open, "Replace a file of the project by writing another and renaming")
{
	int r = write_file("notes.new", "content\n");

	return r < 0 ? r : rename_and_read("notes.new", "notes", "notes");
}
ALLOWED(rename_temporary_over_open);
