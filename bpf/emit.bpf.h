/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a decision to a record in a ring: the only writer of rings and counters.
 *
 * Nothing here changes a verdict. A record that does not fit is counted as lost.
 */
#ifndef EMIT_BPF_H
#define EMIT_BPF_H

#include "climb.bpf.h"
#include "subject.bpf.h"
#include "tables.bpf.h"

/* What a request means for the name itself, besides its access. */
enum rf_guard {
	RF_GUARD_NONE,
	RF_GUARD_MOVE,  /* what is there gets another name */
	RF_GUARD_PLACE, /* a directory or symbolic link that is ready comes to stand there */
};

/**
 * struct rf_report - What became of a request, in plain values
 * @generation: Of the policy that decided; 0 if there was none.
 * @action:     enum rf_action.
 * @access:     That was asked for.
 * @is_audit:   Not 0: nothing is refused.
 * @guard:      enum rf_guard.
 */
struct rf_report {
	struct rf_decision decision;
	__u64 generation;
	__u8 action;
	rf_access_mask access;
	__u8 is_audit;
	__u8 guard;
	__u32 pad;
};

/**
 * struct rf_text - A path being written into an event
 * @limit: Where it must end, its terminator included.
 * @cut:   Bit of rf_decision_event.cut to set if it does not fit.
 */
struct rf_text {
	struct rf_climb climb;
	struct rf_decision_event *event;
	__u32 limit;
	__u32 cut;
};

/* Appends one component. Returns 0 if it does not fit. */
static __always_inline int text_append(struct rf_text *text, struct dentry *dentry)
{
	struct rf_decision_event *event = text->event;
	__u32 len = BPF_CORE_READ(dentry, d_name.len);
	__u32 at = event->text_size;

	if (len > RF_MAX_NAME || at + len + 2 > text->limit ||
	    at > RF_EVENT_TEXT_SIZE - RF_MAX_NAME - 2)
		return 0;
	if (bpf_probe_read_kernel(&event->text[at], len, BPF_CORE_READ(dentry, d_name.name)))
		return 0;
	at += len;
	if (at >= RF_EVENT_TEXT_SIZE)
		return 0;
	event->text[at] = '\0';
	event->text_size = at + 1;
	return 1;
}

static long text_component(__u32 index, struct rf_text *text)
{
	struct dentry *dentry = (void *)text->climb.dentry;
	struct dentry *parent;

	if (text->climb.dentry == text->climb.mount_root)
		return !climb_mount(&text->climb);
	parent = BPF_CORE_READ(dentry, d_parent);
	if (!text_append(text, dentry)) {
		text->event->cut |= text->cut;
		return 1;
	}
	text->climb.dentry = (__u64)parent;
	return parent == dentry;
}

/* Writes the path of @dentry in @mnt, at most @size bytes of it; both 0: an empty path. */
static __always_inline void text_path(struct rf_decision_event *event, __u64 dentry, __u64 mnt,
				      __u32 size, __u32 cut)
{
	struct vfsmount *mount = (void *)mnt;

	struct rf_text text = {
		.climb.dentry = dentry,
		.event = event,
		.limit = event->text_size + size,
		.cut = cut,
	};
	__u32 at;

	if (dentry) {
		text.climb.mount = mount_of(mount);
		text.climb.mount_root = (__u64)BPF_CORE_READ(mount, mnt_root);
		bpf_loop(RF_MAX_STEPS, text_component, &text, 0);
	}
	at = event->text_size;
	if (at >= RF_EVENT_TEXT_SIZE)
		return;
	event->text[at] = '\0';
	event->text_size = at + 1;
}

static __always_inline void text_executable(struct rf_decision_event *event,
					    struct task_struct *task, __u32 cut)
{
	struct file *exe = BPF_CORE_READ(task, mm, exe_file);
	__u64 dentry = exe ? (__u64)BPF_CORE_READ(exe, f_path.dentry) : 0;
	__u64 mnt = exe ? (__u64)BPF_CORE_READ(exe, f_path.mnt) : 0;

	text_path(event, dentry, mnt, RF_MAX_EVENT_EXE, cut);
}

/* struct rf_ancestry - Where in the line of parents we are. */
struct rf_ancestry {
	struct rf_decision_event *event;
	struct task_struct *task;
};

static long ancestry_parent(__u32 index, struct rf_ancestry *ancestry)
{
	struct rf_decision_event *event = ancestry->event;
	struct task_struct *task = ancestry->task;
	struct task_struct *parent = BPF_CORE_READ(task, real_parent, group_leader);
	__u32 pid = BPF_CORE_READ(parent, tgid);

	if (pid == 0 || index >= RF_MAX_EVENT_PARENTS)
		return 1;
	event->parents[index].pid = pid;
	event->parents[index].start_ns = BPF_CORE_READ(parent, start_boottime);
	event->n_parents = index + 1;
	text_executable(event, parent, 1U << (2 + index));
	ancestry->task = parent;
	return 0;
}

static __always_inline void event_process(struct rf_decision_event *event)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct task_struct *leader = current->group_leader;
	struct rf_ancestry ancestry = { .event = event, .task = leader };
	__u64 pid_tid = bpf_get_current_pid_tgid();

	event->header.pid = pid_tid >> 32;
	event->header.tid = (__u32)pid_tid;
	event->start_ns = leader->start_boottime;
	event->uid = current->cred->euid.val;
	(void)bpf_get_current_comm(event->comm, sizeof(event->comm));
	text_executable(event, leader, 1U << 1);
	bpf_loop(RF_MAX_EVENT_PARENTS, ancestry_parent, &ancestry, 0);
}

/*
 * Whether the refusal @event->key was sent so recently that it is only counted. If not, the event
 * takes over what was counted since.
 */
static __always_inline int is_repeat(struct rf_decision_event *event)
{
	struct rf_repeat *repeat = bpf_map_lookup_elem(&rf_repeats, &event->key);
	__u64 now = event->header.time_ns;

	if (!repeat) {
		struct rf_repeat first = { .sent_ns = now };

		(void)bpf_map_update_elem(&rf_repeats, &event->key, &first, BPF_ANY);
		return 0;
	}
	if (now - repeat->sent_ns < RF_REPEAT_WINDOW_NS) {
		if (__sync_fetch_and_add(&repeat->count, 1) == 0)
			repeat->first_ns = now;
		repeat->last_ns = now;
		return 1;
	}
	event->count += __sync_fetch_and_and(&repeat->count, 0);
	if (event->count > 1)
		event->first_ns = repeat->first_ns;
	repeat->sent_ns = now;
	return 0;
}

static __always_inline void event_head(struct rf_task *task, const struct rf_report *report)
{
	struct rf_decision_event *event = &task->event;

	__builtin_memset(event, 0, __builtin_offsetof(struct rf_decision_event, text));
	event->header.abi = RF_ABI_VERSION;
	event->header.type = RF_EVENT_DECISION;
	event->header.time_ns = bpf_ktime_get_boot_ns();
	event->header.fence = task->label.cookie;
	event->key.fence = task->label.cookie;
	event->key.object = task->object;
	event->key.source = report->decision.source;
	event->key.action = report->action;
	event->key.access = report->access;
	event->key.verdict = report->decision.verdict;
	event->key.reason = report->decision.reason;
	event->generation = report->generation;
	event->first_ns = event->header.time_ns;
	event->last_ns = event->header.time_ns;
	event->count = 1;
	event->is_audit = report->is_audit;
	event->errno_value = report->is_audit ? 0 : rf_verdict_errno(report->decision.verdict);
}

/* Sends @event to @ring. Returns 0 if it was lost. */
static __always_inline int event_send(void *ring, struct rf_decision_event *event)
{
	__u32 text_size = event->text_size;
	__u32 size;

	if (text_size > RF_EVENT_TEXT_SIZE)
		return 0;
	size = __builtin_offsetof(struct rf_decision_event, text) + text_size;
	event->header.size = size;
	return bpf_ringbuf_output(ring, event, size, 0) == 0;
}

/* Builds the event of @report in the task's storage and sends it. Returns 0 if it was lost. */
static __always_inline int send_report(struct rf_task *task, const struct rf_report *report,
				       struct rf_counters *counters, __u64 dentry, __u64 mnt)
{
	struct rf_decision_event *event = &task->event;

	event_head(task, report);
	if (is_repeat(event)) {
		__sync_fetch_and_add(&counters->repeats, 1);
		return 1;
	}
	text_path(event, dentry, mnt, RF_MAX_EVENT_PATH, 1U << 0);
	event_process(event);
	if (report->decision.verdict == RF_VERDICT_ALLOW)
		return event_send(&rf_activity, event);
	return event_send(&rf_denials, event);
}

/*
 * Tells user space of a decision in the fence of @slot, on what is at @dentry in @mnt; both 0 for
 * sockets. A global function of plain values, like those of tables.bpf.h and for the same reason.
 */
__noinline int rf_emit(struct rf_report *report, __u32 slot, __u64 dentry, __u64 mnt)
{
	struct rf_counters *counters;
	struct rf_task *task;

	if (!report)
		return 0;
	counters = bpf_map_lookup_elem(&rf_counters, &slot);
	if (!counters)
		return 0;
	if (report->decision.verdict != RF_VERDICT_ALLOW)
		__sync_fetch_and_add(&counters->refused, 1);
	task = bpf_task_storage_get(&rf_tasks, bpf_get_current_task_btf(), 0, 0);
	if (!task || !send_report(task, report, counters, dentry, mnt))
		__sync_fetch_and_add(&counters->lost, 1);
	return 0;
}

#endif
