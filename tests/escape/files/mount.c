/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The same files by other mounts. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escape/attempt.h"
#include "escape/escape.h"
#include "escape/outsider.h"

static int bind_mount(const char *from, const char *to)
{
	return ATTEMPT(mount(from, to, NULL, MS_BIND, NULL));
}

OUTSIDER(bind_vault)
{
	return bind_mount("vault", "spare");
}

ESCAPE(list_bound, "List a hidden directory where somebody outside has bound it")
{
	return probe(PROBE_LIST, "spare");
}
DENIED_WITH(list_bound, ENOENT, RULE, FILE_OPEN, "project/spare", .rule = "project/vault",
	    .before = bind_vault);

ESCAPE(read_below_bound, "Read below a hidden directory where somebody outside has bound it")
{
	return probe(PROBE_READ, "spare/deep/token");
}
DENIED_WITH(read_below_bound, ENOENT, RULE, FILE_OPEN, "project/spare/deep/token",
	    .rule = "project/vault", .before = bind_vault);

ESCAPE(create_in_bound, "Create a file in a hidden directory where somebody outside has bound it")
{
	return write_file("spare/new", "content\n");
}
DENIED_WITH(create_in_bound, ENOENT, RULE, FILE_CREATE, "project/spare/new",
	    .rule = "project/vault", .before = bind_vault);

ESCAPE(read_deeper_bound,
       "Read in a directory below a hidden one where somebody outside has bound it")
{
	return probe(PROBE_READ, "spare/token");
}
OUTSIDER(bind_below_vault)
{
	return bind_mount("vault/deep", "spare");
}
DENIED_WITH(read_deeper_bound, ENOENT, RULE, FILE_OPEN, "project/spare/token",
	    .rule = "project/vault", .before = bind_below_vault);

ESCAPE(read_bound_file, "Read a denied file where somebody outside has bound it")
{
	return probe(PROBE_READ, "notes");
}
OUTSIDER(bind_key)
{
	return bind_mount("key", "notes");
}
DENIED_WITH(read_bound_file, EACCES, RULE, FILE_OPEN, "project/notes", .rule = "project/key",
	    .before = bind_key);

ESCAPE(read_bound_hidden_file,
       "Read a file below a hidden directory where somebody outside has bound it")
{
	return probe(PROBE_READ, "notes");
}
OUTSIDER(bind_token)
{
	return bind_mount("vault/deep/token", "notes");
}
DENIED_WITH(read_bound_hidden_file, ENOENT, RULE, FILE_OPEN, "project/notes",
	    .rule = "project/vault", .before = bind_token);

ESCAPE(write_bound_kept,
       "Write to a file that may only be read where somebody outside has bound it")
{
	return probe(PROBE_WRITE, "spare/hook");
}
OUTSIDER(bind_kept)
{
	return bind_mount("kept", "spare");
}
DENIED_WITH(write_bound_kept, EACCES, RULE, FILE_OPEN, "project/spare/hook", .rule = "project/kept",
	    .access = "w", .before = bind_kept);

ESCAPE(read_mounted_in_hidden, "Read what somebody outside has mounted on a hidden directory")
{
	return probe(PROBE_READ, "vault/file");
}
OUTSIDER(mount_on_vault)
{
	int r = ATTEMPT(mount("scratch", "vault", "tmpfs", 0, NULL));

	return r < 0 ? r : write_file("vault/file", "content\n");
}
DENIED_WITH(read_mounted_in_hidden, ENOENT, RULE, FILE_OPEN, "project/vault/file",
	    .rule = "project/vault", .before = mount_on_vault);

ESCAPE(read_in_other_namespace,
       "Read by the root directory of a process in another mount namespace")
{
	char path[2 * PATH_MAX];
	pid_t pid;
	int fd;
	int r = outsider_hold("project/notes", &pid, &fd);

	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/proc/%d/root%s", pid, absolute("project/key"));
	return probe(PROBE_READ, path);
}
DENIED_WITH(read_in_other_namespace, EACCES, RULE, FILE_OPEN, "project/key", .not_on = AS_USER);

ESCAPE(read_open_bound, "Read a directory of the project where somebody outside has bound it")
{
	return probe(PROBE_READ, "spare/paper");
}
OUTSIDER(bind_box)
{
	return bind_mount("box", "spare");
}
ALLOWED(read_open_bound, .before = bind_box);

ESCAPE(read_unlisted_bound,
       "Read a directory that no rule names where somebody outside has bound it")
{
	return probe(PROBE_READ, "spare/letter");
}
OUTSIDER(bind_home)
{
	return bind_mount("../home", "spare");
}
ALLOWED(read_unlisted_bound, .before = bind_home);
