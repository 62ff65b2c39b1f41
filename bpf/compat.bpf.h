/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between supported kernels, chosen by what BTF says, never by version.
 */
#ifndef COMPAT_BPF_H
#define COMPAT_BPF_H

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

#pragma clang attribute pop

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
