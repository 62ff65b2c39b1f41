/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict on a place in the tree of files, for hooks that are not called all the time.
 *
 * One global function that takes plain addresses: the verifier checks it once, whatever program calls
 * it, where the typed walk of decide_file.bpf.h is checked anew for each kind of pointer. Every load is a
 * probe instead, which takes some thousand instructions more.
 */
#ifndef JUDGE_BPF_H
#define JUDGE_BPF_H

#include "decide_file.bpf.h"

/* With an access: an enum rf_guard, from this bit on. */
#define RF_JUDGE_GUARD_SHIFT 8
#define RF_JUDGE_MOVE (RF_GUARD_MOVE << RF_JUDGE_GUARD_SHIFT)
#define RF_JUDGE_PLACE (RF_GUARD_PLACE << RF_JUDGE_GUARD_SHIFT)

#define S_IFMT 0170000
#define S_IFDIR 0040000
#define S_IFREG 0100000

/* Walks from @dentry in @mnt and decides. */
static __noinline int judge_road(struct rf_request *request, struct rf_walk *walk,
				 struct dentry *dentry, struct vfsmount *mnt, __u8 unlisted)
{
	walk->task->walk = (struct rf_progress){
		.climb = {
			.dentry = (__u64)dentry,
			.mount = mount_of(mnt),
			.mount_root = (__u64)BPF_CORE_READ(mnt, mnt_root),
		},
		.state = RF_WALK_GOES_ON,
	};
	walk->task->levels[0] = (struct rf_level){};
	bpf_loop(RF_MAX_STEPS, walk_probed, walk, 0);
	decide_after_walk(request, walk, mnt, unlisted);
	return request->report.decision.verdict;
}

static __always_inline int is_directory(struct dentry *dentry)
{
	return (BPF_CORE_READ(dentry, d_inode, i_mode) & S_IFMT) == S_IFDIR;
}

/*
 * Whether the name that was matched last must not change hands: a rule protects something below it. A
 * directory there must stay, and nothing may come to stand there whose content was made elsewhere, where
 * no rule looked at it; making one there is decided name by name.
 */
static __always_inline int guards_names(const struct rf_request *request,
					const struct rf_match *match, struct dentry *dentry)
{
	rf_state states = match->live[0].next | match->live[1].next | match->live[2].next |
			  match->live[3].next;

	_Static_assert(RF_MAX_LIVE_STATES == 4, "every live state is asked");
	if (!(states & RF_STATE_GUARDS))
		return 0;
	return request->report.guard == RF_GUARD_PLACE ||
	       (request->report.guard == RF_GUARD_MOVE && is_directory(dentry));
}

static __always_inline void judge_roads(struct rf_request *request,
					const struct rf_policy *policy, struct dentry *dentry,
					struct vfsmount *mnt)
{
	struct rf_walk walk = {
		.policy = policy,
		.task = request->subject.task,
		.root = &request->subject.fence->root,
	};

	walk.identities = bpf_map_lookup_elem(&rf_identities, &policy->slot);
	if (!walk.identities) {
		request->report.decision = rf_refuse(RF_REASON_NO_POLICY);
		return;
	}
	if (judge_road(request, &walk, dentry, mnt, policy->unlisted) != RF_VERDICT_ALLOW)
		return;
	if (guards_names(request, &walk.task->match, dentry)) {
		request->report.decision = rf_refuse(RF_REASON_GUARDS);
		return;
	}
	if (!walk.task->walk.has_met_bind)
		return;
	walk.is_past_bind = 1;
	judge_road(request, &walk, dentry, mnt, RF_VERDICT_ALLOW);
}

/* Notes what the request is about, so that repeats of it are known. */
static __always_inline void judge_object(struct rf_task *task, struct dentry *dentry)
{
	__u64 place;

	task->object = (struct rf_object){};
	if (read_identity(dentry, &task->object.file))
		return;
	place = BPF_CORE_READ(dentry, d_name.hash_len);
	__builtin_memcpy(task->object.endpoint.address, &place, sizeof(place));
}

/*
 * Decides whether the current task may do @action, which needs @access, to what is at @dentry in @mnt;
 * reports it and returns what the hook returns. To be called through judge().
 */
__noinline int rf_judge(__u32 action, __u32 access, __u64 dentry, __u64 mnt)
{
	struct rf_request request = {
		.report.action = action,
		.report.access = access & RF_ACCESS_ALL,
		.report.guard = access >> RF_JUDGE_GUARD_SHIFT,
	};
	const struct rf_policy *policy;

	if (!subject_of_current(&request.subject))
		return 0;
	policy = find_policy(&request);
	if (!policy) {
		request.report.decision = rf_refuse(RF_REASON_NO_POLICY);
	} else {
		judge_object(request.subject.task, (void *)dentry);
		judge_roads(&request, policy, (void *)dentry, (void *)mnt);
	}
	return conclude(&request, dentry, mnt);
}

/*
 * Since 6.12 the verifier wants to know that a hook returns an errno, and takes nobody's word for what a
 * global function does.
 */
static __always_inline int judge(__u32 action, __u32 access, __u64 dentry, __u64 mnt)
{
	int r = rf_judge(action, access, dentry, mnt);

	if (r == 0)
		return 0;
	return r == -RF_ENOENT ? -RF_ENOENT : -RF_EACCES;
}

#endif
