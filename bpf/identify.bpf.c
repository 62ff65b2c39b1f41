// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers user space about its own descriptors; decides nothing.
 *
 *   rf_identify   run by BPF_PROG_TEST_RUN in the context of the process that asks.
 */
#include "prelude.bpf.h"

#include "ringfence/identify.h"

#define CGROUP2_SUPER_MAGIC 0x63677270

/* The open file behind @fd of the current task, or NULL. */
static __always_inline struct file *file_of(__u32 fd)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct fdtable *table = BPF_CORE_READ(current, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd);
	struct file *file = NULL;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), &files[fd]);
	return file;
}

SEC("syscall")
int rf_identify(struct rf_identify *question)
{
	struct file *file = file_of(question->fd);
	struct kernfs_node *node;
	struct cgroup *cgroup;
	struct inode *inode;

	if (!file)
		return 0;
	inode = BPF_CORE_READ(file, f_inode);
	question->is_found = 1;
	question->object.ino = BPF_CORE_READ(inode, i_ino);
	question->object.dev = BPF_CORE_READ(inode, i_sb, s_dev);
	question->object.generation = rf_object_generation(BPF_CORE_READ(inode, i_generation),
							   BPF_CORE_READ(inode, i_mode));
	if (BPF_CORE_READ(inode, i_sb, s_magic) != CGROUP2_SUPER_MAGIC)
		return 0;
	node = BPF_CORE_READ(inode, i_private);
	cgroup = BPF_CORE_READ(node, priv);
	question->is_cgroup = 1;
	question->cgroup = BPF_CORE_READ(node, id);
	question->cgroup_level = BPF_CORE_READ(cgroup, level);
	return 0;
}
