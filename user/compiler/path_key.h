/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Keys of `files`, `programs` and `sockets` that are paths. */
#ifndef COMPILER_PATH_KEY_H
#define COMPILER_PATH_KEY_H

#include "compiler/diag.h"

/*
 * Checks @text, in which variables are already replaced, and normalises it to the form of struct
 * path_rule.pattern. Returns 0 and an owned pattern, -EINVAL with a message in @diag, or -ENOMEM.
 */
int path_key_parse(const char *text, const struct position *position, struct diag *diag,
		   char **ret_pattern);

#endif
