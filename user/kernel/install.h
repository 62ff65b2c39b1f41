/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Compiled policies and fences into the kernel's tables. Logs what fails.
 */
#ifndef KERNEL_INSTALL_H
#define KERNEL_INSTALL_H

#include <stdint.h>

#include "ringfence/abi.h"

struct anchor_table;
struct compiled_policy;
struct loader;

/**
 * install_policy - Fills the tables of a policy slot that no fence uses
 * @generation: Unique while the machine runs.
 *
 * Anchors are resolved to the objects that are there now; keep @ret_anchors as long as the policy is in
 * force. Every entry of every table is known to be there when it returns 0; else -errno, logged, and
 * the slot is empty.
 */
int install_policy(struct loader *loader, const struct compiled_policy *policy, uint32_t slot,
		   uint64_t generation, struct anchor_table **ret_anchors);

/**
 * install_fence - Puts a fence into force
 * @fence: @root is filled in here.
 *
 * From here on tasks of its cgroup and tasks with its label are subjects. Returns 0 or -errno, logged.
 */
int install_fence(struct loader *loader, uint32_t slot, struct rf_fence *fence);

#endif
