/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Pins: enforcement that outlives every process.
 *
 * One directory for each fence that a `run` without a daemon started, named by the fence's id. It is
 * stale once the fence's cgroup is gone or empty; the next run removes it.
 */
#ifndef KERNEL_PINS_H
#define KERNEL_PINS_H

#include <stdbool.h>
#include <stddef.h>

struct bpf_link;

#define PIN_DIR "/sys/fs/bpf/ringfence"

int pins_create(const char *name);
int pins_add(const char *name, size_t index, struct bpf_link *link);
/* Ignores what is not there. */
void pins_remove(const char *name);

/* Removes the pins of every fence of which @is_in_use says no. */
void pins_remove_stale(bool (*is_in_use)(void *context, const char *name), void *context);

#endif
