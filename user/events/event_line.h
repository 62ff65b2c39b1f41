/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The line that a person sees, made of strings: of an event, or of a log that was read back. */
#ifndef EVENTS_EVENT_LINE_H
#define EVENTS_EVENT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringfence/limits.h"

struct strbuf;

/* struct event_line_process - @exe: path of the program, NULL if not known. */
struct event_line_process {
	uint64_t pid;
	const char *exe;
};

/**
 * struct event_line - What the line says; names as in the JSON line (event_text.h)
 * @verdict: NULL: no decision, but a loss of @lost events if that is not 0.
 * @dev, @ino: Of the object, shown if its path is not known.
 * @process: The first is the one that asked, then its ancestors; pid 0 if not known.
 *
 * Strings may hold any bytes, are borrowed, and are NULL where there is nothing to say.
 */
struct event_line {
	uint64_t time_ns;
	const char *fence;
	uint64_t lost;

	const char *verdict;
	bool is_audit;
	const char *action;
	const char *access;
	const char *path;
	const char *dev;
	uint64_t ino;
	const char *address;
	uint64_t port;
	const char *family;
	const char *protocol;
	const char *rule_key;
	const char *rule_source;
	const char *reason;
	const char *comm;
	struct event_line_process process[1 + RF_MAX_EVENT_PARENTS];
	size_t n_processes;
	uint64_t count;
	uint64_t first_ns;
};

/*
 * Appends one line with its newline and no other control byte: the local time of day, then
 *
 *	hide file.open r /home/u/.ssh/id by cat[812] < bash < node: rule ${home}/.ssh (base.json:12)
 *
 * A program is called by its file; by its comm, which it chose itself, only if that is not known.
 * @has_colour adds the only escape sequences there are. Returns 0 or -ENOMEM; after that the text
 * is not to be used.
 */
int event_line_format(const struct event_line *line, bool has_colour, struct strbuf *out);

#endif
