/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one exit of every hook: find the policy, decide, tell, answer.
 */
#ifndef DECIDE_BPF_H
#define DECIDE_BPF_H

#include "emit.bpf.h"

/* struct rf_request - Who tries what, and what becomes of it. */
struct rf_request {
	struct rf_subject subject;
	struct rf_report report;
};

static __always_inline int is_recorded(const struct rf_request *request)
{
	const struct rf_fence *fence = request->subject.fence;

	return fence && fence->is_recording;
}

/* Reports the decision, if it is to be known, and returns what the hook returns. */
static __always_inline int conclude(struct rf_request *request, __u64 dentry, __u64 mnt)
{
	__u8 verdict = request->report.decision.verdict;

	if (verdict == RF_VERDICT_ALLOW && !is_recorded(request))
		return 0;
	rf_emit(&request->report, request->subject.slot, dentry, mnt);
	return request->report.is_audit ? 0 : -rf_verdict_errno(verdict);
}

/* Finds the head of the policy in force, which is there only if its tables are; NULL: refuse. */
static __always_inline const struct rf_policy *find_policy(struct rf_request *request)
{
	const struct rf_fence *fence = request->subject.fence;
	const struct rf_policy *policy;

	if (!request->subject.task || !fence)
		return NULL;
	policy = bpf_map_lookup_elem(&rf_policies, &fence->policy_slot);
	if (!policy)
		return NULL;
	request->report.generation = policy->generation;
	request->report.is_audit = policy->is_audit;
	return policy;
}

#endif
