/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one exit of every hook: find the policy, decide, tell, answer.
 */
#ifndef DECIDE_BPF_H
#define DECIDE_BPF_H

#include "emit.bpf.h"

/* Reports a refusal and returns what the hook returns. */
static __always_inline int conclude(struct rf_request *request, struct dentry *dentry,
				    struct vfsmount *mnt)
{
	if (request->decision.verdict == RF_VERDICT_ALLOW)
		return 0;
	emit_refusal(request, dentry, mnt);
	return request->is_audit ? 0 : -rf_verdict_errno(request->decision.verdict);
}

/* Opens the policy in force. Returns 0 if there is none that is whole. */
static __always_inline int open_policy(struct rf_request *request, struct rf_tables *tables)
{
	const struct rf_fence *fence = request->subject.fence;

	if (!request->subject.task || !fence || !open_tables(tables, fence->policy_slot))
		return 0;
	request->generation = tables->policy->generation;
	request->is_audit = tables->policy->is_audit;
	return 1;
}

#endif
