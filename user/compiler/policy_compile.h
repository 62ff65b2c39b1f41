/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * struct policy to struct compiled_policy.
 *
 * Rules of `files` and `programs` become one automaton (subset construction over path components),
 * `egress` rules become a prefix table. The result depends on the policy alone, and for equal
 * policies is equal byte for byte.
 */
#ifndef COMPILER_POLICY_COMPILE_H
#define COMPILER_POLICY_COMPILE_H

#include "compiler/compiled_policy.h"
#include "compiler/diag.h"
#include "compiler/policy.h"

/* Returns 0, -EINVAL with messages in @diag (a limit was reached), or -ENOMEM. */
int policy_compile(const struct policy *policy, struct diag *diag,
		   struct compiled_policy **ret_compiled);

#endif
