/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Lines of a file that others append to, truncate and rotate. */
#ifndef CLI_LINE_SOURCE_H
#define CLI_LINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Bytes of one line. Of a longer one the start is dropped. */
#define LINE_SOURCE_MAX ((size_t)1024 * 1024)

/**
 * struct line_source - The file and what was read of it
 * @path:        Borrowed.
 * @fd:          -1: a file that is followed does not exist yet.
 * @inotify_fd:  Watches the directory of a file that is followed, else -1.
 * @buf:         Bytes from the start of a line on.
 * @used:        Bytes at the start of @buf that line_source_next() has given out.
 * @line_number: Of the last line given out, in the file that it came from.
 * @is_too_long: That line was longer than LINE_SOURCE_MAX and is only its end.
 * @is_dropping: The line that is being read is too long.
 * @is_replaced: The path names another file; this one is read to its end first.
 */
struct line_source {
	const char *path;
	int fd;
	int inotify_fd;
	struct strbuf buf;
	size_t used;
	size_t line_number;
	bool is_too_long;
	bool is_dropping;
	bool is_replaced;
};

/*
 * With @follow the file may come into being later, its directory may not. Returns 0 or
 * -errno.
 */
int line_source_open(struct line_source *source, const char *path, bool follow);
void line_source_close(struct line_source *source);

/*
 * The next line without its newline, valid until the next call. Returns 1, 0 if there is none for
 * now, or -errno. A last line without a newline is a line unless the file is followed.
 */
int line_source_next(struct line_source *source, const char **ret_line, size_t *ret_size);

/* Waits until there may be more. For files that are followed. Returns 0 or -errno. */
int line_source_wait(struct line_source *source);

#endif
