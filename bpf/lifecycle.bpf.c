// SPDX-License-Identifier: GPL-2.0-only
/*
 * Membership over a task's life.
 *
 *   task_alloc   A child of a subject is a subject: fork, vfork, clone3, threads, io-wq workers.
 */
#include "maps.bpf.h"

SEC("lsm/task_alloc")
int BPF_PROG(rf_task_alloc, struct task_struct *child, unsigned long clone_flags, int ret)
{
	struct rf_task *parent, *task;

	if (ret)
		return ret;
	parent = bpf_task_storage_get(&rf_tasks, bpf_get_current_task_btf(), 0, 0);
	if (!parent)
		return 0; /* Outside, or a subject by cgroup alone: so is the child, then. */
	task = bpf_task_storage_get(&rf_tasks, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!task)
		return -ENOMEM; /* Better no child than one without a label. */
	task->label = parent->label;
	return 0;
}
