/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Events as lines for a person. */
#include "events/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "events/event_text.h"

struct sink_terminal {
	struct sink sink;
	struct line_writer writer;
	bool has_colour;
};

static int terminal_write(struct sink *sink, const struct event *event)
{
	struct sink_terminal *terminal = (struct sink_terminal *)sink;
	int r;

	strbuf_reset(&terminal->writer.line);
	r = event_text_human(event, terminal->has_colour, &terminal->writer.line);
	if (r < 0)
		return r;
	return line_writer_write(&terminal->writer);
}

static void terminal_free(struct sink *sink)
{
	struct sink_terminal *terminal = (struct sink_terminal *)sink;

	line_writer_done(&terminal->writer);
	free(terminal);
}

int sink_terminal_open(int fd, bool has_colour, struct sink **ret_sink)
{
	_cleanup_free_ struct sink_terminal *terminal = malloc(sizeof(*terminal));

	if (!terminal)
		return -ENOMEM;
	*terminal = (struct sink_terminal){
		.sink = { .write = terminal_write, .free = terminal_free },
		.writer.fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
		.has_colour = has_colour,
	};
	if (terminal->writer.fd < 0)
		return -errno;
	*ret_sink = &TAKE_PTR(terminal)->sink;
	return 0;
}
