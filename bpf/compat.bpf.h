/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between supported kernels, chosen by what BTF says, never by version.
 */
#ifndef COMPAT_BPF_H
#define COMPAT_BPF_H

#include "climb.bpf.h"
#include "prelude.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/*
 * v6.14: 58cf9c383c5c ("dcache: back inline names with a struct-wrapped array of unsigned long"):
 * d_iname became d_shortname.string. Drop when 6.12 leaves kernels.list.
 */
struct dentry___before_6_14 {
	unsigned char d_iname[32];
};

union shortname_store {
	unsigned char string[40];
};

struct dentry___since_6_14 {
	union shortname_store d_shortname;
};

/*
 * v6.8: def3ae83da02 ("fs: store real path instead of fake path in backing file f_path"): what a mapping of
 * an overlayfs file has is a file of the layer, which keeps the path it was opened by apart. On 6.1 that
 * path is its f_path. Drop the test when 6.1 leaves kernels.list.
 */
struct backing_file {
	struct file file;
	struct path user_path;
};

#pragma clang attribute pop

#define SB_NOUSER (1UL << 31) /* never mounted where a path could name it: pipes, sockets, memory files */

/*
 * Whether @file is one of a layer: in a mount of the kernel's own, of a file system that paths lead into.
 * (FMODE_BACKING says so too, but is another bit in each kernel.)
 */
static __always_inline int is_backing(struct file *file)
{
	struct vfsmount *mnt = file->f_path.mnt;

	return is_internal(mnt) && !(file->f_inode->i_sb->s_flags & SB_NOUSER);
}

/*
 * The path that @file was opened by, as plain addresses. Returns 0 if it is a file of a layer and this
 * kernel does not tell.
 */
static __always_inline int path_opened_by(struct file *file, __u64 *ret_dentry, __u64 *ret_mnt)
{
	struct backing_file *backing = (void *)file;

	if (!is_backing(file)) {
		*ret_dentry = (__u64)BPF_CORE_READ(file, f_path.dentry);
		*ret_mnt = (__u64)BPF_CORE_READ(file, f_path.mnt);
		return 1;
	}
	if (!bpf_core_field_exists(backing->user_path))
		return 0;
	*ret_dentry = (__u64)BPF_CORE_READ(backing, user_path.dentry);
	*ret_mnt = (__u64)BPF_CORE_READ(backing, user_path.mnt);
	return 1;
}

/* Names up to this long are stored in the dentry itself, on every supported kernel. */
#define DNAME_INLINE_MIN 31

/* Byte @at, 0 or 1, of a name that is stored inside @dentry. */
static __always_inline __u8 dentry_inline_byte(struct dentry *dentry, const __u32 at)
{
	struct dentry___before_6_14 *before = (void *)dentry;
	struct dentry___since_6_14 *since = (void *)dentry;

	if (bpf_core_field_exists(before->d_iname))
		return at ? before->d_iname[1] : before->d_iname[0];
	return at ? since->d_shortname.string[1] : since->d_shortname.string[0];
}

#endif
