/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict on a file or directory: walk, match, decide. */
#ifndef DECIDE_FILE_BPF_H
#define DECIDE_FILE_BPF_H

#include "decide.bpf.h"
#include "object.bpf.h"

/* Walks from @dentry in @mnt to the fence's root; walk->state says how it ended. */
static __always_inline void walk_mounts(struct rf_walk *walk, struct dentry *dentry,
					struct vfsmount *mnt)
{
	walk->dentry = dentry;
	walk->mount_root = mnt->mnt_root;
	bpf_loop(RF_MAX_DEPTH, walk_typed, walk, 0);
	if (walk->state != RF_WALK_LEFT_MOUNT)
		return;
	walk->state = RF_WALK_GOES_ON;
	walk->climb.dentry = walk->climb.mount_root = (__u64)mnt->mnt_root;
	walk->climb.mount = mount_of(mnt);
	bpf_loop(RF_MAX_STEPS, walk_probed, walk, 0);
}

/*
 * Decides on an object with a path. What lies in a mount of the kernel's own is either the task's, made
 * by it or handed to it (pipes, sockets, memory files), or a layer of a file system that has just been
 * asked for the same object under its own path (overlayfs).
 */
static __always_inline struct rf_decision decide_on_path(struct rf_request *request,
							 const struct rf_tables *tables,
							 struct dentry *dentry,
							 struct vfsmount *mnt)
{
	struct rf_walk walk = {
		.tables = tables,
		.task = request->subject.task,
		.root = &request->subject.fence->root,
		.dev = request->object.file.dev,
	};

	walk_mounts(&walk, dentry, mnt);
	if (walk.state != RF_WALK_AT_ROOT)
		return is_internal(mnt) ? rf_allow() : rf_refuse(RF_REASON_UNRESOLVED);
	rf_match_init(&walk.task->match);
	bpf_loop(walk.depth + 1, match_level, &walk, 0);
	return rf_decide_file(&walk.task->match, tables->policy->unlisted, request->access);
}

/* Finds the policy and decides; returns the verdict. */
static __noinline int decide_file(struct rf_request *request, struct file *file)
{
	struct dentry *dentry = file->f_path.dentry;
	struct inode *inode = dentry->d_inode;
	struct rf_tables tables;

	request->object.file.ino = inode->i_ino;
	request->object.file.dev = inode->i_sb->s_dev;
	request->object.file.generation =
		rf_object_generation(inode->i_generation, inode->i_mode);
	if (!open_policy(request, &tables))
		request->decision = rf_refuse(RF_REASON_NO_POLICY);
	else
		request->decision = decide_on_path(request, &tables, dentry, file->f_path.mnt);
	return request->decision.verdict;
}

/* Decides, reports and returns what the hook returns. */
static __always_inline int answer_for_file(struct rf_request *request, struct file *file)
{
	if (decide_file(request, file) == RF_VERDICT_ALLOW)
		return 0;
	return conclude(request, file->f_path.dentry, file->f_path.mnt);
}

#endif
