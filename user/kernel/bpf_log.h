/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What libbpf says, kept apart from what ringfence says. */
#ifndef KERNEL_BPF_LOG_H
#define KERNEL_BPF_LOG_H

/* Sends libbpf's messages to the debug level from here on. */
void bpf_log_install(void);

#endif
