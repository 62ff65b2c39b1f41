/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * `${NAME}` in policy files: where the values come from, and how they are put in.
 *
 * Values come from the user database, the kernel and files that belong to the user outside every
 * fence; never from the environment, which a fenced program may have prepared for the next start.
 */
#ifndef COMPILER_VARIABLES_H
#define COMPILER_VARIABLES_H

#include <sys/types.h>

#include "base/cleanup.h"
#include "compiler/diag.h"

/**
 * struct variables_request - Whose variables
 * @user: Name, or NULL.
 * @home: Home directory by the user database, or NULL.
 * @cwd:  Directory the work is done in.
 * @tmp:  What `${tmp}` stands for.
 */
struct variables_request {
	uid_t uid;
	const char *user;
	const char *home;
	const char *cwd;
	const char *tmp;
};

/*
 * Collects every variable that has a value: home, config, cache, data, state, project, project_git,
 * user, runtime, tmp, registry:npm. What is odd about them, as a `.git` file that cannot be
 * trusted, is a warning in @diag. Returns 0 and an owned, NULL-terminated list of "NAME=VALUE", or
 * -errno.
 */
int variables_collect(const struct variables_request *request, struct diag *diag,
		      char ***ret_variables);
/* Accepts NULL, returns NULL. */
char **variables_free(char **variables);
DEFINE_CLEANUP(char *, variables_free)

/* The value of @name, or NULL. */
const char *variables_get(const char *const *variables, const char *name);

/*
 * Puts values in for every `${NAME}` of @text. Returns 0 and an owned string, -EINVAL with a
 * message in @diag, or -ENOMEM.
 *
 * A value with a `*` is refused: it would turn a directory somebody named into a pattern.
 */
int variables_expand(const char *const *variables, const char *text,
		     const struct position *position, struct diag *diag, char **ret_text);

#endif
