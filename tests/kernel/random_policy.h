/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Random policies, and requests that meet their rules often: few names, few addresses, and of each
 * those around a limit. The same on every run.
 */
#ifndef TESTS_KERNEL_RANDOM_POLICY_H
#define TESTS_KERNEL_RANDOM_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/policy.h"

#define RANDOM_PATH_SIZE 2048

void random_seed(uint64_t seed);
uint32_t random_below(uint32_t limit);

/* Of names, or with @may_have_star of patterns too; may be "/". */
void random_path(char path[RANDOM_PATH_SIZE], uint32_t max_depth, bool may_have_star);
/* An address of sixteen bytes, and a port in host byte order. */
void random_address(uint8_t ret_address[16]);
uint16_t random_port(void);

/* Rules of `files`, `programs` and `egress`. NULL when out of memory. */
struct policy *random_policy(void);
/* For a counterexample, as notes. */
void random_policy_show(const struct policy *policy);

#endif
