/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Fixed-width types and layout assertions for both sides of the contract.
 *
 * The only place of the project that asks which side compiles it.
 */
#ifndef RINGFENCE_TYPES_H
#define RINGFENCE_TYPES_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

#define RF_ASSERT_SIZE(type, size) \
	_Static_assert(sizeof(type) == (size), "size of " #type " is part of the contract")
#define RF_ASSERT_OFFSET(type, member, offset)                      \
	_Static_assert(__builtin_offsetof(type, member) == (offset), \
		       "offset of " #type "." #member " is part of the contract")

/*
 * Before a loop with a look-up in its body. Linux 6.1 refuses a loop whose first instruction follows a
 * call (check_cfg() allows back-edges for jumps alone), and whether clang makes one is chance.
 */
#ifdef __clang__
#define RF_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RF_UNROLL
#endif

#define RF_ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
