/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which parts of a policy this version checks but cannot enforce. */
#ifndef COMPILER_POLICY_ENFORCEABLE_H
#define COMPILER_POLICY_ENFORCEABLE_H

struct diag;
struct policy;

/*
 * Reports each rule that would be silently weaker than it reads: as an error, so that the policy is not
 * put into force, or as a warning if the policy only audits.
 */
void policy_check_enforceable(const struct policy *policy, struct diag *diag);

#endif
