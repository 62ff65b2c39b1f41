/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Policy file to struct policy.
 *
 * Strict: an unknown or duplicate key, a bad pattern, a number out of range, trailing bytes or too
 * much of anything is an error with its position and, where there is one, a suggestion. All errors
 * of all files are reported in one run.
 */
#ifndef COMPILER_POLICY_PARSE_H
#define COMPILER_POLICY_PARSE_H

#include "compiler/diag.h"
#include "compiler/policy.h"

/**
 * struct parse_context - What a policy file may refer to
 * @variables: Values of `${NAME}`, looked up by name; NULL-terminated array of "NAME=VALUE".
 *             A variable that is not here is an error at its use.
 * @search:    Directories for names in `extends`, NULL-terminated, first hit wins.
 * @allow_open: Accept "*": "allow" in `egress`.
 */
struct parse_context {
	const char *const *variables;
	const char *const *search;
	bool allow_open;
};

/**
 * policy_parse_file - Reads @path and everything it extends
 *
 * @path: a file, or a policy's name to be looked up in @context->search ("codex" finds
 * DIR/codex.json, then DIR/agents/codex.json, then DIR/toolchains/codex.json).
 *
 * Returns 0 and an owned policy, -EINVAL with messages in @diag, or -ENOMEM.
 */
int policy_parse_file(const char *path, const struct parse_context *context, struct diag *diag,
		      struct policy **ret_policy);

/* The same for text in memory; @name stands for the file in messages. `extends` with a relative
 * path is refused.
 */
int policy_parse_text(const char *name, const char *text, size_t size,
		      const struct parse_context *context, struct diag *diag,
		      struct policy **ret_policy);

#endif
