/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A policy as a command gets it: where names are looked up and what variables stand for.
 *
 * The same for every command, so that `check` and `explain` speak of the policy that `run` puts in
 * force.
 */
#ifndef CLI_POLICY_LOAD_H
#define CLI_POLICY_LOAD_H

#include <stdbool.h>

#include "compiler/diag.h"
#include "compiler/policy.h"

struct identity;

/**
 * struct policy_load_request - Which policy, for whom
 * @policy:       A file or a name.
 * @policy_paths: Directories to look in first, NULL-terminated; may be NULL.
 * @allow_open:   Accept "*": "allow".
 * @identity:     Whose home directory and project it is about.
 * @project:      Directory that the project is around; NULL: the current one.
 * @tmp:          Value of `${tmp}`; NULL: "/tmp".
 */
struct policy_load_request {
	const char *policy;
	const char *const *policy_paths;
	bool allow_open;
	const struct identity *identity;
	const char *project;
	const char *tmp;
};

/* Returns 0 and an owned policy, -EINVAL with messages in @diag, or -ENOMEM. */
int policy_load(const struct policy_load_request *request, struct diag *diag,
		struct policy **ret_policy);

/*
 * Whom a command is about: the user of `--user`, or the caller, seen through sudo. Logs what is
 * wrong. Returns 0 and an owned identity, or -errno.
 */
int policy_load_identity(const char *user, struct identity **ret_identity);

#endif
