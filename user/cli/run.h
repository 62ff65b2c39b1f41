/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Running one program in a fence of its own, without a daemon. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct run_options - Of the command line; all borrowed
 * @policy_paths: Directories, NULL-terminated; may be NULL.
 * @events:       File for events, "-" for standard error.
 * @record:       File for what is allowed; NULL: not recorded.
 * @user:         NULL: the calling user.
 */
struct run_options {
	const char *policy;
	char **policy_paths;
	size_t n_policy_paths;
	bool is_audit;
	const char *events;
	const char *record;
	const char *name;
	const char *user;
	char **argv;
};

/* Returns the exit code of `run`: the program's, or an enum run_exit_code with the reason logged. */
int run_program(const struct run_options *options);

#endif
