/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Moments of CLOCK_REALTIME as RFC 3339 text. */
#ifndef EVENTS_EVENT_TIME_H
#define EVENTS_EVENT_TIME_H

#include <stdint.h>

/* "2026-11-29T23:59:59.123456789Z" and a zero byte. */
#define EVENT_TIME_SIZE 31

/* Writes @time_ns in UTC into @buf and returns it. */
const char *event_time_format(uint64_t time_ns, char buf[EVENT_TIME_SIZE]);

/*
 * Reads "YYYY-MM-DDTHH:MM:SS[.FRACTION]ZONE", ZONE being "Z" or an offset such as "+01:00"; digits
 * of the fraction after the ninth are ignored. Returns 0, or -EINVAL for anything else and for
 * moments before 1970.
 */
int event_time_parse(const char *text, uint64_t *ret_time_ns);

#endif
