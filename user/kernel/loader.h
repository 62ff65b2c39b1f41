/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The programs in the kernel: open, configure, load, attach, pin.
 *
 * Logs what fails. Enforcement lives as long as one of: the loader's descriptors, copies of them in a
 * child, the pins.
 */
#ifndef KERNEL_LOADER_H
#define KERNEL_LOADER_H

#include <stdint.h>

#include "base/cleanup.h"
#include "ringfence/abi.h"

struct loader;
struct ringfence_bpf;

/**
 * struct loader_options - Capacities, see limits.h
 * @max_fences:   Fence slots.
 * @max_policies: Policy slots.
 */
struct loader_options {
	uint32_t max_fences;
	uint32_t max_policies;
};

/*
 * Loads and attaches everything, or nothing. Returns 0, -EPERM without the privileges, -EOPNOTSUPP if
 * this kernel cannot enforce, or another error; each is logged with what to do.
 */
int loader_open(const struct loader_options *options, struct loader **ret_loader);

/*
 * Pins the links below PIN_DIR/@name, so that enforcement outlives every process. Returns 0 or
 * -errno, logged.
 */
int loader_pin(struct loader *loader, const char *name);

/* Detaches, and removes the pins. Accepts NULL, returns NULL. */
struct loader *loader_close(struct loader *loader);
DEFINE_CLEANUP(struct loader, loader_close)

/* For the other modules of this folder; borrowed. */
struct ringfence_bpf *loader_skeleton(struct loader *loader);

#endif
