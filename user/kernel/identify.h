/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the kernel knows about one of our descriptors. */
#ifndef KERNEL_IDENTIFY_H
#define KERNEL_IDENTIFY_H

#include "ringfence/identify.h"

struct loader;

/* Asks about @fd, which may be O_PATH. Returns 0, -EBADF, or the error of bpf(2). */
int identify_fd(struct loader *loader, int fd, struct rf_identify *ret_answer);

#endif
