/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A JSON line of events/event_text.h back to what a person sees. */
#ifndef CLI_EVENT_READ_H
#define CLI_EVENT_READ_H

#include <stddef.h>

#include "events/event_line.h"

struct diag;
struct json_value;

/**
 * struct read_event - An event of a log; its strings are borrowed from @json
 * @fence_id, @fence_name: NULL if not there.
 */
struct read_event {
	struct json_value *json;
	struct event_line line;
	const char *fence_id;
	const char *fence_name;
};

void read_event_done(struct read_event *event);

/*
 * Reads one line, without its newline. Bytes that ringfence never writes, raw control characters
 * among them, are an error, so that the line may be shown as it is. What is missing or of another
 * type is left out, except "v", "time" and "fence". Returns 0, -EINVAL with the first message of
 * @diag saying why, or -ENOMEM.
 */
int event_read(const char *text, size_t size, struct diag *diag, struct read_event *ret_event);

#endif
