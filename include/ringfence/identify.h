/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What user space asks the kernel about a descriptor: argument of the rf_identify program.
 *
 * stat(2) answers with other numbers than the programs see (overlayfs, btrfs), and a cgroup namespace
 * hides how deep a cgroup is; so the kernel's own structures are read.
 */
#ifndef RINGFENCE_IDENTIFY_H
#define RINGFENCE_IDENTIFY_H

#include "rules.h"
#include "types.h"

/**
 * struct rf_identify - Question and answer
 * @fd:           In: a descriptor of the calling process, O_PATH suffices.
 * @is_found:     Out: 0 if @fd is not open; then nothing else is valid.
 * @is_cgroup:    Out: 1 if it is a directory of the unified cgroup hierarchy.
 * @object:       Out: identity of the file or directory.
 * @cgroup:       Out, for a cgroup: its id.
 * @cgroup_level: Out, for a cgroup: its distance from the true root of the hierarchy.
 */
struct rf_identify {
	__u32 fd;
	__u32 is_found;
	struct rf_object_id object;
	__u64 cgroup;
	__u32 cgroup_level;
	__u32 is_cgroup;
};
RF_ASSERT_SIZE(struct rf_identify, 40);

#endif
