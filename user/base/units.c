/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Numbers with a unit: "10m", "8G". */
#include "base/units.h"

#include <errno.h>
#include <stddef.h>

#include "base/cleanup.h"

struct unit {
	char letter; /* 0: none */
	uint64_t factor;
};

static int parse(const char *text, const struct unit *units, size_t n_units, uint64_t *ret_number)
{
	const char *next = text;
	uint64_t number = 0;

	for (; *next >= '0' && *next <= '9'; next++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*next - '0'), &number))
			return -EINVAL;
	if (next == text || (next[0] && next[1]))
		return -EINVAL;
	for (size_t i = 0; i < n_units; i++) {
		if (*next != units[i].letter)
			continue;
		if (__builtin_mul_overflow(number, units[i].factor, &number))
			return -EINVAL;
		*ret_number = number;
		return 0;
	}
	return -EINVAL;
}

int units_parse_duration(const char *text, uint64_t *ret_ns)
{
	static const uint64_t second = 1000000000;
	const struct unit units[] = {
		{ 's', second },
		{ 'm', 60 * second },
		{ 'h', 3600 * second },
		{ 'd', 86400 * second },
	};

	return parse(text, units, ELEMENTSOF(units), ret_ns);
}

int units_parse_bytes(const char *text, uint64_t *ret_bytes)
{
	static const struct unit units[] = {
		{ 0, 1 },
		{ 'K', 1ULL << 10 },
		{ 'M', 1ULL << 20 },
		{ 'G', 1ULL << 30 },
		{ 'T', 1ULL << 40 },
	};

	return parse(text, units, ELEMENTSOF(units), ret_bytes);
}
