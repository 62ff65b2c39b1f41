/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Numbers with a unit: "10m", "8G". */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdint.h>

/* Whole seconds, minutes, hours or days: "30s", "10m", "2h", "1d". 0 or -EINVAL. */
int units_parse_duration(const char *text, uint64_t *ret_ns);
/* Bytes, or powers of 1024 of them: "1048576", "512M", "8G". 0 or -EINVAL. */
int units_parse_bytes(const char *text, uint64_t *ret_bytes);

#endif
