/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Running one program in a fence of its own, without a daemon. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdbool.h>

/**
 * struct run_options - Of the command line; all borrowed
 * @policy_paths: At most one directory; NULL-terminated.
 * @events:       File for events, "-" for standard error.
 * @user:         NULL: the calling user.
 */
struct run_options {
	const char *policy;
	const char *policy_paths[2];
	bool is_audit;
	const char *events;
	const char *name;
	const char *user;
	char **argv;
};

/* Returns the exit code of `run`: the program's, or an enum run_exit_code with the reason logged. */
int run_program(const struct run_options *options);

#endif
