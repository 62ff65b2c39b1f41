/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict on a file or directory: walk, match, decide. */
#ifndef DECIDE_FILE_BPF_H
#define DECIDE_FILE_BPF_H

#include "decide.bpf.h"
#include "object.bpf.h"

/* Walks up from @file; the state says how it ended. */
static __always_inline void walk_up(struct rf_typed_walk *typed, struct file *file)
{
	struct rf_progress *progress = &typed->up.task->walk;
	struct vfsmount *mnt = file->f_path.mnt;
	struct dentry *root = mnt->mnt_root;

	typed->dentry = file->f_path.dentry;
	typed->mount_root = root;
	if (typed->up.is_past_bind && root->d_parent != root)
		typed->mount_root = NULL;
	*progress = (struct rf_progress){ .state = RF_WALK_GOES_ON };
	bpf_loop(RF_MAX_DEPTH, walk_typed, typed, 0);
	if (progress->state != RF_WALK_LEFT_MOUNT)
		return;
	progress->state = RF_WALK_GOES_ON;
	progress->climb.dentry = progress->climb.mount_root = (__u64)root;
	progress->climb.mount = mount_of(mnt);
	bpf_loop(RF_MAX_STEPS, walk_probed, &typed->up, 0);
}

/* Decides at the end of a walk in @mnt; where no rule matches, @unlisted decides. */
static __always_inline void decide_after_walk(struct rf_request *request, struct rf_walk *walk,
					      struct vfsmount *mnt, __u8 unlisted)
{
	struct rf_task *task = walk->task;

	if (task->walk.state == RF_WALK_ENDED) {
		rf_match_init(&task->match);
		bpf_loop(task->walk.depth + 1, match_level, walk, 0);
		request->report.decision =
			rf_decide_file(&task->match, unlisted, request->report.access);
	} else {
		request->report.decision = is_internal(mnt) ? rf_allow()
							    : rf_refuse(RF_REASON_UNRESOLVED);
	}
}

/* Walks and matches one road. */
static __noinline int decide_on_road(struct rf_request *request, struct rf_typed_walk *typed,
				     struct file *file, __u8 unlisted)
{
	walk_up(typed, file);
	decide_after_walk(request, &typed->up, file->f_path.mnt, unlisted);
	return request->report.decision.verdict;
}

/*
 * Decides on an object with a path: through the mounts and, where a bind mount was on the way, past
 * it, where only what rules say counts: that nothing is said of the place does not hide what is mounted
 * elsewhere.
 *
 * What lies in a mount of the kernel's own is either the task's, made by it or handed to it (pipes,
 * sockets, memory files), or a layer of a file system that has just been asked for the same object under
 * its own path (overlayfs).
 */
static __always_inline void decide_on_path(struct rf_request *request,
					   const struct rf_policy *policy, struct file *file)
{
	struct rf_typed_walk typed = {
		.up = {
			.policy = policy,
				.task = request->subject.task,
			.root = &request->subject.fence->root,
		},
		.dev = request->subject.task->object.file.dev,
	};

	typed.up.identities = bpf_map_lookup_elem(&rf_identities, &policy->slot);
	if (!typed.up.identities) {
		request->report.decision = rf_refuse(RF_REASON_NO_POLICY);
		return;
	}
	if (decide_on_road(request, &typed, file, policy->unlisted) != RF_VERDICT_ALLOW)
		return;
	if (!typed.up.task->walk.has_met_bind)
		return;
	typed.up.is_past_bind = 1;
	decide_on_road(request, &typed, file, RF_VERDICT_ALLOW);
}

/* Notes what @request is about. */
static __always_inline void note_object(struct rf_task *task, struct inode *inode)
{
	task->object = (struct rf_object){
		.file = {
			.ino = inode->i_ino,
			.dev = inode->i_sb->s_dev,
			.generation = rf_object_generation(inode->i_generation, inode->i_mode),
		},
	};
}

/* Finds the policy and decides; returns the verdict. */
static __noinline int decide_file(struct rf_request *request, struct file *file)
{
	const struct rf_policy *policy = find_policy(request);

	if (!policy) {
		request->report.decision = rf_refuse(RF_REASON_NO_POLICY);
	} else {
		note_object(request->subject.task, file->f_path.dentry->d_inode);
		decide_on_path(request, policy, file);
	}
	return request->report.decision.verdict;
}

/* Decides, reports and returns what the hook returns. */
static __always_inline int answer_for_file(struct rf_request *request, struct file *file)
{
	decide_file(request, file);
	return conclude(request, ADDRESS_OF(file->f_path.dentry), ADDRESS_OF(file->f_path.mnt));
}

#endif
