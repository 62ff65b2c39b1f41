/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which fence is the current task in? The only reader of labels and of fences.
 *
 * A task is a subject if it carries a label, or if it is in a fence's cgroup: either suffices, and
 * neither can be taken off from inside. The label is copied at fork, so leaving the cgroup does not
 * help; the cgroup also catches tasks that were moved in, and those whose label cannot be read: on 6.1
 * bpf_task_storage_get() returns NULL when the per-CPU lock is busy, so NULL alone clears nobody.
 */
#ifndef SUBJECT_BPF_H
#define SUBJECT_BPF_H

#include "maps.bpf.h"

/**
 * struct rf_subject - The current task, known to be in a fence
 * @task:  Its storage, with its label; NULL if there was no memory, then every request is refused.
 * @fence: NULL if the label is stale or the table is broken, then likewise.
 * @slot:  Of the fence.
 */
struct rf_subject {
	struct rf_task *task;
	const struct rf_fence *fence;
	__u32 slot;
};

/*
 * The label of the fence whose cgroup the current task is in, or NULL. Not inlined: its key would take 8 of
 * the 512 bytes of stack that a hook and all it calls have together.
 */
static __noinline struct rf_label *label_of_cgroup(void)
{
	__u64 cgroup = bpf_get_current_ancestor_cgroup_id(rf_fence_level);

	return bpf_map_lookup_elem(&rf_cgroups, &cgroup);
}

/* Returns 0 if the current task is outside every fence: the quick return of every hook. */
static __always_inline int subject_of_current(struct rf_subject *subject)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct rf_task *task = bpf_task_storage_get(&rf_tasks, current, 0, 0);
	__u64 cookie;

	if (!task) {
		struct rf_label *label = label_of_cgroup();

		if (!label)
			return 0;
		task = bpf_task_storage_get(&rf_tasks, current, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (task)
			task->label = *label;
		subject->slot = label->slot;
		cookie = label->cookie;
	} else {
		subject->slot = task->label.slot;
		cookie = task->label.cookie;
	}
	subject->task = task;
	subject->fence = bpf_map_lookup_elem(&rf_fences, &subject->slot);
	if (subject->fence && subject->fence->cookie != cookie)
		subject->fence = NULL;
	return 1;
}

#endif
