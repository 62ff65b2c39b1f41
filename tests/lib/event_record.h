/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Builds records as the kernel side writes them. */
#ifndef TESTS_LIB_EVENT_RECORD_H
#define TESTS_LIB_EVENT_RECORD_H

#include <stddef.h>

#include "ringfence/events.h"

/* A record of no text: /usr/bin/cat, pid 812, is refused to read inode 131075 of 8:1. */
struct rf_decision_event record_of_file(void);

/* The same process is refused to connect to 192.0.2.1, TCP port 443. */
struct rf_decision_event record_of_socket(void);

/* Appends a path to the text, components deepest first, as one string with NULs between them. */
#define RECORD_ADD_PATH(record, components) \
	record_add_text((record), "" components "\0", sizeof(components "\0"))
void record_add_text(struct rf_decision_event *record, const char *text, size_t size);

/* Adds the text of a usual event: the path of an SSH key, cat, and its parents bash and node. */
void record_add_usual_text(struct rf_decision_event *record);

#endif
