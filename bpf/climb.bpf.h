/* SPDX-License-Identifier: GPL-2.0-only */
/* Going up through dentries and mounts by plain addresses, every load a probe. */
#ifndef CLIMB_BPF_H
#define CLIMB_BPF_H

#include "prelude.bpf.h"

/* Loops turn at most once for each level and for each mount. */
#define RF_MAX_STEPS (2 * RF_MAX_DEPTH)

/**
 * struct rf_climb - A place in the mount tree, by plain address
 * @dentry:     Where we are.
 * @mount:      The struct mount we are in.
 * @mount_root: Its root dentry.
 */
struct rf_climb {
	__u64 dentry;
	__u64 mount;
	__u64 mount_root;
};

/* A typed pointer as the plain address that a global function takes. */
#define ADDRESS_OF(pointer)                                                      \
	({                                                                       \
		const void *_pointer = (pointer);                                \
		__u64 _address = 0;                                              \
		bpf_probe_read_kernel(&_address, sizeof(_address), &_pointer);   \
		_address;                                                        \
	})

/* The struct mount around @mnt, as a plain address. */
static __always_inline __u64 mount_of(struct vfsmount *mnt)
{
	return (__u64)mnt - bpf_core_field_offset(struct mount, mnt);
}

/*
 * Goes from the root of a mount to the place it is mounted on. Returns 0 if it is mounted nowhere:
 * the top of a namespace, or a detached mount.
 */
static __always_inline int climb_mount(struct rf_climb *climb)
{
	struct mount *mount = (void *)climb->mount;
	struct mount *parent = BPF_CORE_READ(mount, mnt_parent);

	if (parent == mount || !parent)
		return 0;
	climb->dentry = (__u64)BPF_CORE_READ(mount, mnt_mountpoint);
	climb->mount = (__u64)parent;
	climb->mount_root = (__u64)BPF_CORE_READ(parent, mnt.mnt_root);
	return 1;
}

/*
 * Whether @mnt is a mount of the kernel's own, which no path leads into. Its namespace is the error
 * MNT_NS_INTERNAL; a detached mount that a task made is in an anonymous namespace instead.
 */
static __always_inline int is_internal(struct vfsmount *mnt)
{
	struct mount *mount = (void *)mount_of(mnt);

	return (__s64)BPF_CORE_READ(mount, mnt_ns) == -EINVAL;
}

/* Reads the identity of the object at @dentry. Returns 0 if there is none. */
static __always_inline int read_identity(struct dentry *dentry, struct rf_object_id *id)
{
	struct inode *inode = BPF_CORE_READ(dentry, d_inode);

	if (!inode)
		return 0;
	id->ino = BPF_CORE_READ(inode, i_ino);
	id->generation = rf_object_generation(BPF_CORE_READ(inode, i_generation),
					      BPF_CORE_READ(inode, i_mode));
	id->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	return 1;
}

#endif
