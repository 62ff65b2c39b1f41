/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What a log of events holds, held against what it should. */
#ifndef TESTS_LIB_EXPECT_EVENT_H
#define TESTS_LIB_EXPECT_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct event_log;

/* struct expected_event - Members that are compared, by their names in the log; NULL: must be absent. */
struct expected_event {
	const char *path;
	const char *action;
	const char *access;
	const char *verdict;
	const char *reason;
	const char *rule;
	const char *error;
};

/*
 * Reads a file of JSON lines. Returns 0, -EBADMSG if a line is not JSON or has a control byte in it,
 * or another -errno.
 */
int event_log_read(const char *path, struct event_log **ret_log);

/* How many events are as expected; from then on they are. */
size_t event_log_count(struct event_log *log, const struct expected_event *expected);

/* Shows the events on @path as notes. */
void event_log_show(const struct event_log *log, const char *path);
/* Shows those that nobody expected. Returns how many there are. */
size_t event_log_show_rest(const struct event_log *log);

/* Accepts NULL, returns NULL. */
struct event_log *event_log_free(struct event_log *log);
DEFINE_CLEANUP(struct event_log, event_log_free)

#endif
