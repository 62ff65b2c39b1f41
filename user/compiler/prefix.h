/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Prefixes of addresses, in the one space of IPv6 and IPv4-mapped IPv6. */
#ifndef COMPILER_PREFIX_H
#define COMPILER_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "ringfence/rules.h"

/* Bits of the prefix ::ffff:0:0, under which IPv4 addresses stand. */
#define PREFIX_MAPPED_SIZE 96U

struct rf_prefix prefix_make(const uint8_t address[16], uint32_t size);
struct rf_prefix prefix_make_mapped(void);
/* Whether all of @inner is in @outer. */
bool prefix_contains(const struct rf_prefix *outer, const struct rf_prefix *inner);

#endif
