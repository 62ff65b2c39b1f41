/* SPDX-License-Identifier: GPL-2.0-only */
/* First include of every program file: kernel types, BPF helpers, the contract. */
#ifndef PRELUDE_BPF_H
#define PRELUDE_BPF_H

#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "ringfence/abi.h"

/* The kernel's own constants that the programs compare with. */
#define ENOMEM 12
#define EINVAL 22
#define FMODE_READ 0x1
#define FMODE_WRITE 0x2
#define FMODE_EXEC_FLAG 0x20 /* __FMODE_EXEC in f_flags: opened in order to be executed */
#define O_TRUNC 01000
#define S_CASEFOLD (1U << 15) /* names in the directory are compared without case */

#endif
