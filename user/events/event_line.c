/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The line that a person sees. */
#include "events/event_line.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "events/event.h"

#define NS_PER_SECOND 1000000000ULL
#define COLOUR_END "\033[0m"

static void append_escaped(struct strbuf *out, const char *text)
{
	utf8_append_escaped(out, text, strlen(text));
}

static void append_time(struct strbuf *out, uint64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / NS_PER_SECOND);
	struct tm tm = { 0 };

	(void)localtime_r(&seconds, &tm); /* Fails only for years that do not fit an int. */
	strbuf_printf(out, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static const char *verdict_colour(const char *verdict)
{
	static const struct {
		const char *verdict;
		const char *colour;
	} colours[] = {
		{ "allow", "\033[32m" }, { "ask", "\033[33m" },
		{ "hide", "\033[35m" },	 { "deny", "\033[31m" },
	};

	for (size_t i = 0; i < ELEMENTSOF(colours); i++)
		if (strcmp(verdict, colours[i].verdict) == 0)
			return colours[i].colour;
	return "";
}

static void append_verdict(struct strbuf *out, const struct event_line *line, bool has_colour)
{
	if (has_colour)
		strbuf_append_string(out, verdict_colour(line->verdict));
	if (line->is_audit)
		strbuf_append_string(out, "would ");
	append_escaped(out, line->verdict);
	if (has_colour)
		strbuf_append_string(out, COLOUR_END);
}

static void append_endpoint(struct strbuf *out, const struct event_line *line)
{
	bool has_colon = line->address && strchr(line->address, ':');

	if (!line->address) {
		append_escaped(out, line->family);
		return;
	}
	strbuf_append_string(out, has_colon ? "[" : "");
	append_escaped(out, line->address);
	strbuf_printf(out, "%s:%" PRIu64, has_colon ? "]" : "", line->port);
	if (line->protocol) {
		strbuf_append_byte(out, '/');
		append_escaped(out, line->protocol);
	}
}

static void append_object(struct strbuf *out, const struct event_line *line)
{
	strbuf_append_byte(out, ' ');
	if (line->path) {
		append_escaped(out, line->path);
	} else if (line->family) {
		append_endpoint(out, line);
	} else if (line->dev) {
		strbuf_append_string(out, "device ");
		append_escaped(out, line->dev);
		strbuf_printf(out, " inode %" PRIu64, line->ino);
	} else {
		strbuf_append_string(out, "(unknown)");
	}
}

/* Appends the program's name; of a path only what is behind the last slash. */
static void append_program(struct strbuf *out, const char *name)
{
	const char *slash = strrchr(name, '/');

	append_escaped(out, slash ? slash + 1 : name);
}

static void append_processes(struct strbuf *out, const struct event_line *line)
{
	const struct event_line_process *process = line->process;

	if (!line->n_processes || !process[0].pid)
		return;
	strbuf_append_string(out, " by ");
	if (process[0].exe)
		append_program(out, process[0].exe);
	else if (line->comm)
		append_escaped(out, line->comm);
	strbuf_printf(out, "[%" PRIu64 "]", process[0].pid);
	for (size_t i = 1; i < line->n_processes; i++) {
		strbuf_append_string(out, " < ");
		if (process[i].exe)
			append_program(out, process[i].exe);
		else
			strbuf_printf(out, "[%" PRIu64 "]", process[i].pid);
	}
}

static void append_why(struct strbuf *out, const struct event_line *line)
{
	if (line->rule_key) {
		strbuf_append_string(out, ": rule ");
		append_escaped(out, line->rule_key);
	} else if (line->reason) {
		strbuf_append_string(out, ": ");
		append_escaped(out, event_reason_sentence(line->reason));
	}
	if (line->rule_key && line->rule_source) {
		strbuf_append_string(out, " (");
		append_escaped(out, line->rule_source);
		strbuf_append_byte(out, ')');
	}
	if (line->count > 1) {
		strbuf_printf(out, " [%" PRIu64 " times since ", line->count);
		append_time(out, line->first_ns);
		strbuf_append_byte(out, ']');
	}
}

static void append_decision(struct strbuf *out, const struct event_line *line, bool has_colour)
{
	append_verdict(out, line, has_colour);
	if (line->action) {
		strbuf_append_byte(out, ' ');
		append_escaped(out, line->action);
	}
	if (line->access) {
		strbuf_append_byte(out, ' ');
		append_escaped(out, line->access);
	}
	append_object(out, line);
	append_processes(out, line);
	append_why(out, line);
}

static void append_loss(struct strbuf *out, const struct event_line *line)
{
	strbuf_printf(out, "%" PRIu64 " event%s lost", line->lost, line->lost == 1 ? "" : "s");
	if (line->fence) {
		strbuf_append_string(out, " of fence ");
		append_escaped(out, line->fence);
	}
	strbuf_append_string(out, ": they came faster than they were written. What they report was "
				  "refused all the same; a faster place for events loses fewer.");
}

int event_line_format(const struct event_line *line, bool has_colour, struct strbuf *out)
{
	append_time(out, line->time_ns);
	strbuf_append_byte(out, ' ');
	if (line->verdict)
		append_decision(out, line, has_colour);
	else if (line->lost)
		append_loss(out, line);
	else
		strbuf_append_string(out,
				     "an event that only a newer ringfence knows; --json shows it");
	strbuf_append_byte(out, '\n');
	return strbuf_error(out);
}
