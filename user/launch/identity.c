/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Who the program runs as. */
#include "launch/identity.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than any kernel takes (NGROUPS_MAX) is a broken group database. */
#define MAX_GROUPS 65536

struct identity *identity_free(struct identity *identity)
{
	if (identity) {
		free(identity->groups);
		free(identity->name);
		free(identity->home);
		free(identity->shell);
		free(identity);
	}
	return NULL;
}

/* Digits only, in range; the last value means "no change" to setresuid(2). */
static bool parse_id(const char *text, id_t *ret_id)
{
	uint64_t id = 0;

	if (!*text || strlen(text) > 10)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		id = id * 10 + (uint64_t)(*text - '0');
	}
	if (id >= UINT32_MAX)
		return false;
	*ret_id = (id_t)id;
	return true;
}

/* NULL with errno 0 if there is no entry. Valid until the next look-up. */
static const struct passwd *find_entry_of_uid(uid_t uid)
{
	const struct passwd *entry;

	errno = 0;
	entry = getpwuid(uid);
	if (!entry && (errno == ENOENT || errno == ESRCH))
		errno = 0; /* What some modules say for "no entry". */
	return entry;
}

static const struct passwd *find_entry_of_name(const char *name)
{
	const struct passwd *entry;

	errno = 0;
	entry = getpwnam(name);
	if (!entry && (errno == ENOENT || errno == ESRCH))
		errno = 0;
	return entry;
}

static int load_groups(struct identity *identity)
{
	int n_groups = 32;

	for (;;) {
		int room = n_groups;
		gid_t *groups = reallocarray(identity->groups, (size_t)room, sizeof(*groups));

		if (!groups)
			return -ENOMEM;
		identity->groups = groups;
		if (getgrouplist(identity->name, identity->gid, groups, &n_groups) >= 0)
			break;
		/* Not every C library tells how many there are. */
		n_groups = n_groups > room ? n_groups : 2 * room;
		if (n_groups > MAX_GROUPS)
			return -E2BIG;
	}
	identity->n_groups = (size_t)n_groups;
	return 0;
}

static int copy_entry(struct identity *identity, const struct passwd *entry)
{
	const char *shell = entry->pw_shell;

	identity->uid = entry->pw_uid;
	identity->gid = entry->pw_gid;
	identity->name = strdup(entry->pw_name);
	identity->home = strdup(*entry->pw_dir ? entry->pw_dir : "/");
	identity->shell = strdup(shell && *shell ? shell : "/bin/sh");
	if (!identity->name || !identity->home || !identity->shell)
		return -ENOMEM;
	return load_groups(identity);
}

/* A user id that no database knows: a group of the same number, and no other. */
static int make_nameless(struct identity *identity, uid_t uid)
{
	identity->uid = uid;
	identity->gid = uid;
	identity->home = strdup("/");
	identity->shell = strdup("/bin/sh");
	identity->groups = calloc(1, sizeof(*identity->groups));
	if (asprintf(&identity->name, "%u", uid) < 0)
		identity->name = NULL;
	if (!identity->name || !identity->home || !identity->shell || !identity->groups)
		return -ENOMEM;
	identity->groups[0] = identity->gid;
	identity->n_groups = 1;
	return 0;
}

static int load_uid(struct identity *identity, uid_t uid, bool *ret_has_entry,
		    const char **reterr_problem)
{
	const struct passwd *entry = find_entry_of_uid(uid);

	*reterr_problem = "the user's entry cannot be read";
	if (!entry && errno)
		return -errno;
	*ret_has_entry = entry != NULL;
	return entry ? copy_entry(identity, entry) : make_nameless(identity, uid);
}

static int load_user(struct identity *identity, const char *user, const char **reterr_problem)
{
	const struct passwd *entry = find_entry_of_name(user);
	bool has_entry;
	id_t uid;

	*reterr_problem = "the user's entry cannot be read";
	if (entry)
		return copy_entry(identity, entry);
	if (errno)
		return -errno;
	if (parse_id(user, &uid))
		return load_uid(identity, uid, &has_entry, reterr_problem);
	*reterr_problem = "there is no such user";
	return -ENOENT;
}

static bool has_group(const struct identity *identity, gid_t gid)
{
	for (size_t i = 0; i < identity->n_groups; i++)
		if (identity->groups[i] == gid)
			return true;
	return false;
}

/* SUDO_GID differs from the passwd entry after newgrp(1); it has to be a group of the user. */
static int apply_sudo_group(struct identity *identity, const char *sudo_gid, bool has_entry,
			    const char **reterr_problem)
{
	id_t gid;

	*reterr_problem = "SUDO_GID is not a group id";
	if (!parse_id(sudo_gid, &gid))
		return -EINVAL;
	*reterr_problem = "SUDO_GID is not a group of the user in SUDO_UID";
	if (has_entry && !has_group(identity, gid))
		return -EINVAL;
	identity->gid = gid;
	if (!has_entry)
		identity->groups[0] = gid;
	return 0;
}

/*
 * sudo sets all three variables. If they do not agree with each other and with the user database,
 * somebody else has set them, and whom they meant is a guess that must not end in running as root.
 */
static int load_sudo_caller(struct identity *identity, const struct identity_request *request,
			    const char **reterr_problem)
{
	const struct passwd *entry;
	bool has_entry;
	id_t uid;
	int error;

	*reterr_problem = "SUDO_USER or SUDO_GID is set, but not SUDO_UID";
	if (!request->sudo_uid)
		return -EINVAL;
	*reterr_problem = "SUDO_UID is not a user id";
	if (!parse_id(request->sudo_uid, &uid))
		return -EINVAL;
	error = load_uid(identity, uid, &has_entry, reterr_problem);
	if (error < 0)
		return error;
	if (request->sudo_user && has_entry) {
		*reterr_problem = "SUDO_USER is not a name of the user in SUDO_UID";
		entry = find_entry_of_name(request->sudo_user);
		if (!entry || entry->pw_uid != uid)
			return -EINVAL;
	}
	if (!request->sudo_gid)
		return 0;
	return apply_sudo_group(identity, request->sudo_gid, has_entry, reterr_problem);
}

int identity_resolve(const struct identity_request *request, struct identity **ret_identity,
		     const char **reterr_problem)
{
	_cleanup_(identity_freep) struct identity *identity = calloc(1, sizeof(*identity));
	bool is_sudo = request->caller_uid == 0 &&
		       (request->sudo_uid || request->sudo_gid || request->sudo_user);
	const char *problem = NULL;
	bool has_entry;
	int error;

	if (!identity)
		error = -ENOMEM;
	else if (request->user)
		error = load_user(identity, request->user, &problem);
	else if (is_sudo)
		error = load_sudo_caller(identity, request, &problem);
	else
		error = load_uid(identity, request->caller_uid, &has_entry, &problem);
	if (error < 0) {
		*reterr_problem = error == -ENOMEM ? "out of memory" : problem;
		return error;
	}
	*ret_identity = TAKE_PTR(identity);
	return 0;
}
