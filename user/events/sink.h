/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Where events go. */
#ifndef EVENTS_SINK_H
#define EVENTS_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

struct event;

/**
 * struct sink - A place for enriched events; the first member of each implementation
 * @write:      Writes one event at once, without buffering. Returns 0 or -errno.
 * @free:       Releases the whole implementation.
 * @n_failed:   Events that could not be written. Their seq is missing in the output.
 * @is_failing: The last one could not.
 *
 * Only sink_write() and sink_free() touch these; callers may read the count.
 */
struct sink {
	int (*write)(struct sink *sink, const struct event *event);
	void (*free)(struct sink *sink);
	uint64_t n_failed;
	bool is_failing;
};

/*
 * Returns 0 or -errno, and -EALREADY while it goes on failing: whoever handles it reports the
 * first failure and stays silent until it has worked again.
 */
int sink_write(struct sink *sink, const struct event *event);

/* Accepts NULL, returns NULL. */
struct sink *sink_free(struct sink *sink);
DEFINE_CLEANUP(struct sink, sink_free)

#define SINK_DEFAULT_PATH "/var/log/ringfence/events.jsonl"
#define SINK_DEFAULT_MAX_BYTES (64ULL * 1024 * 1024)
#define SINK_DEFAULT_OLD_FILES 4

/**
 * struct sink_jsonl_options - A file of JSON lines
 * @path:        Created with mode 0640; its directory must exist. "-" is standard error, which
 *               is never rotated. Borrowed for the sink's life.
 * @max_bytes:   A line that would make the file larger goes into a new one; 0: no limit.
 * @n_old_files: Full files that are kept, as PATH.1 (the newest) and so on; 0: none.
 */
struct sink_jsonl_options {
	const char *path;
	uint64_t max_bytes;
	unsigned int n_old_files;
};

/*
 * Several processes may write to one path, and any of them may rotate it. A symbolic link in the
 * last component, a directory and a file with other names (hard links) are refused: the path may
 * lie where somebody else creates files. Returns 0 or -errno: -ELOOP, -EISDIR or -EMLINK for those.
 */
int sink_jsonl_open(const struct sink_jsonl_options *options, struct sink **ret_sink);

/* Human lines to a copy of @fd. */
int sink_terminal_open(int fd, bool has_colour, struct sink **ret_sink);

/* ---- For implementations ---- */

/**
 * struct line_writer - Whole lines to a file descriptor
 * @fd:          Owned.
 * @is_mid_line: A line was written in part; what follows starts a new one.
 * @line:        Memory for the next line.
 */
struct line_writer {
	int fd;
	bool is_mid_line;
	struct strbuf line;
};

void line_writer_done(struct line_writer *writer);

/* Writes @writer->line. Waits at most a moment for a pipe that is full. Returns 0 or -errno. */
int line_writer_write(struct line_writer *writer);

#endif
