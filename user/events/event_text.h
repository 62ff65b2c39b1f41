/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * struct event to text: a JSON line for logs, a human line for terminals.
 *
 * Both are one line that ends in a newline and holds no other control byte, whatever names the
 * event carries. Both append to @out and return 0 or -ENOMEM; after a failure the text is not to be
 * used.
 */
#ifndef EVENTS_EVENT_TEXT_H
#define EVENTS_EVENT_TEXT_H

#include <stdbool.h>

struct event;
struct strbuf;

/* Version of the shape below, its "v". Keys are only ever added under the same one. */
#define EVENT_TEXT_VERSION 1

/*
 * Every line has "v", "seq", "time" (RFC 3339, UTC), "host" and "fence"; then
 *
 *	a decision: "verdict", "mode", "action", "access", "object", "rule", "reason", "errno",
 *	            "process", "count", and "first" and "last" when "count" is above 1;
 *	a loss:     "lost", the number of events;
 *	a record of an unknown type: "type", its number.
 *
 * What does not apply or is not known is left out. "dev" is MAJOR:MINOR of the kernel's s_dev.
 * "start" is in clock ticks of 1/100 s since the machine started, as in /proc/PID/stat, field 22.
 * A string KEY whose bytes were not all UTF-8 has them in hexadecimal digits as "KEY_hex"; a path
 * that starts with "…" lacks its top components, and "KEY_cut" is true.
 */
int event_text_json(const struct event *event, struct strbuf *out);

/* As event_line_format() says. */
int event_text_human(const struct event *event, bool has_colour, struct strbuf *out);

#endif
