/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What a policy says that its author may not have meant. */
#ifndef COMPILER_POLICY_LINT_H
#define COMPILER_POLICY_LINT_H

#include "compiler/diag.h"
#include "compiler/policy.h"

/* Adds warnings only: a policy that parses may be used whatever is said here. */
void policy_lint(const struct policy *policy, struct diag *diag);

#endif
