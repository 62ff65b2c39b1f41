/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Who the program runs as. */
#ifndef LAUNCH_IDENTITY_H
#define LAUNCH_IDENTITY_H

#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* struct identity - A user. Without a passwd entry: name is the decimal id, home "/". */
struct identity {
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	size_t n_groups;
	char *name;
	char *home;
	char *shell;
};

/**
 * struct identity_request - What is known about the caller
 * @user:       Of `--user`: a name or a decimal id; NULL: the calling user.
 * @caller_uid: getuid().
 * @sudo_uid, @sudo_gid, @sudo_user: SUDO_UID and so on from the environment, or NULL. Looked at
 *              only if @caller_uid is root, who could have set them to anything: they choose whom
 *              root becomes and give nobody a right.
 */
struct identity_request {
	const char *user;
	uid_t caller_uid;
	const char *sudo_uid;
	const char *sudo_gid;
	const char *sudo_user;
};

/*
 * Returns 0 and an owned identity, or -EINVAL, -ENOENT, -ENOMEM or an error of the user database,
 * with the problem as a phrase ("SUDO_UID is not a user id") that lives forever.
 */
int identity_resolve(const struct identity_request *request, struct identity **ret_identity,
		     const char **reterr_problem);

/* Accepts NULL, returns NULL. */
struct identity *identity_free(struct identity *identity);
DEFINE_CLEANUP(struct identity, identity_free)

#endif
