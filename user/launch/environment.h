/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The environment of the program: the caller's, by the rules of the policy.
 *
 * Per name, first that applies: a value that the policy sets; what ringfence sets (HOME, USER,
 * LOGNAME, SHELL, TMPDIR, RINGFENCE); kept by a pattern of `keep`; dropped by one of `drop`; passed
 * on.
 */
#ifndef LAUNCH_ENVIRONMENT_H
#define LAUNCH_ENVIRONMENT_H

#include <stddef.h>

#include "base/cleanup.h"

struct identity;
struct policy;

/**
 * struct environment_request - What it is built from; all borrowed for the call
 * @caller:   "NAME=VALUE" strings, NULL-terminated, as in environ.
 * @tmp_dir:  Value of TMPDIR; NULL: by the rules.
 * @fence_id: Value of RINGFENCE.
 */
struct environment_request {
	char *const *caller;
	const struct policy *policy;
	const struct identity *identity;
	const char *tmp_dir;
	const char *fence_id;
};

/**
 * struct environment - The result
 * @variables: For execve(2); NULL-terminated.
 * @dropped:   Names that the caller's environment has and the program's has not.
 */
struct environment {
	char **variables;
	size_t n_variables;
	char **dropped;
	size_t n_dropped;
};

/* Returns 0 and an owned environment, or -ENOMEM. */
int environment_build(const struct environment_request *request,
		      struct environment **ret_environment);

/* Accepts NULL, returns NULL. */
struct environment *environment_free(struct environment *environment);
DEFINE_CLEANUP(struct environment, environment_free)

#endif
