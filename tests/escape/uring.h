/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* One request to io_uring, which asks the kernel without a system call of its own. */
#ifndef ESCAPE_URING_H
#define ESCAPE_URING_H

#include <linux/io_uring.h>

/* Returns what the call that @request stands for would: not negative, or -errno. */
int uring_request(const struct io_uring_sqe *request);

#endif
