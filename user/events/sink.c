/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What all sinks share. */
#include "events/sink.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/*
 * Standard error may be a pipe that the fenced program, which shares it, made non-blocking and that
 * nobody empties. A loop that waited for it would lose events of the ring.
 */
#define FULL_PIPE_WAIT_MS 100

int sink_write(struct sink *sink, const struct event *event)
{
	bool was_failing = sink->is_failing;
	int r;

	r = sink->write(sink, event);
	sink->is_failing = r < 0;
	if (r == 0)
		return 0;
	sink->n_failed++;
	return was_failing ? -EALREADY : r;
}

struct sink *sink_free(struct sink *sink)
{
	if (sink)
		sink->free(sink);
	return NULL;
}

void line_writer_done(struct line_writer *writer)
{
	cleanup_close(&writer->fd);
	strbuf_done(&writer->line);
}

static bool wait_for_room(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
	int r = poll(&pollfd, 1, FULL_PIPE_WAIT_MS);

	return r > 0 || (r < 0 && errno == EINTR);
}

/* Writes some of @bytes. Returns how many or -errno. */
static ssize_t write_some(int fd, const char *bytes, size_t size)
{
	for (;;) {
		ssize_t written = write(fd, bytes, size);

		if (written > 0)
			return written;
		if (written == 0)
			return -EIO;
		if (errno == EINTR || (errno == EAGAIN && wait_for_room(fd)))
			continue;
		return -errno;
	}
}

/*
 * One write(2) as a rule, so that lines of several processes that append to one file do not mix.
 * When it was cut short, the rest follows; when that fails, the line stays in part, because
 * cutting the file back could remove another process's line.
 */
int line_writer_write(struct line_writer *writer)
{
	const char *bytes = strbuf_string(&writer->line);
	size_t size = writer->line.size;
	ssize_t written;

	if (writer->is_mid_line) {
		written = write_some(writer->fd, "\n", 1);
		if (written < 0)
			return (int)written;
		writer->is_mid_line = false;
	}
	while (size > 0) {
		written = write_some(writer->fd, bytes, size);
		if (written < 0)
			return (int)written;
		bytes += written;
		size -= (size_t)written;
		writer->is_mid_line = size > 0;
	}
	return 0;
}
