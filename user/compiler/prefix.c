/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Prefixes of addresses. */
#include "compiler/prefix.h"

#include <string.h>

struct rf_prefix prefix_make(const uint8_t address[16], uint32_t size)
{
	struct rf_prefix prefix = { .prefix_size = size };

	memcpy(prefix.address, address, sizeof(prefix.address));
	return prefix;
}

struct rf_prefix prefix_make_mapped(void)
{
	static const uint8_t start[16] = { [10] = 0xff, [11] = 0xff };

	return prefix_make(start, PREFIX_MAPPED_SIZE);
}

bool prefix_contains(const struct rf_prefix *outer, const struct rf_prefix *inner)
{
	uint32_t n_bytes = outer->prefix_size / 8, n_bits = outer->prefix_size % 8;

	if (inner->prefix_size < outer->prefix_size ||
	    memcmp(outer->address, inner->address, n_bytes) != 0)
		return false;
	return !n_bits || !((outer->address[n_bytes] ^ inner->address[n_bytes]) >> (8 - n_bits));
}
