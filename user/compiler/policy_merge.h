/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Rules of several files to one list: of equal keys the last one stays. */
#ifndef COMPILER_POLICY_MERGE_H
#define COMPILER_POLICY_MERGE_H

#include "compiler/diag.h"
#include "compiler/policy.h"

/*
 * Removes every rule whose key a later rule of @policy has again, and reports keys that one file
 * has twice: equal is what means the same once variables are replaced. Returns 0 or -ENOMEM.
 */
int policy_merge(struct policy *policy, struct diag *diag);

#endif
