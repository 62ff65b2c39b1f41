/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* ringfence events: prints, filters and follows a log of events. */
#include "cli/command.h"

#include <argp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/event_read.h"
#include "cli/line_source.h"
#include "compiler/diag.h"
#include "events/event.h"
#include "events/event_time.h"
#include "events/sink.h"

#define NS_PER_SECOND 1000000000ULL

/* struct options - Of the command line; NULL and 0: everything. */
struct options {
	const char *path;
	const char *fence;
	const char *verdict;
	uint64_t since_ns;
	bool is_followed;
	bool is_json;
	bool has_colour;
};

/* ---- Command line ---- */

enum {
	KEY_FENCE = 256,
	KEY_SINCE,
	KEY_VERDICT,
	KEY_JSON,
};

static const struct argp_option argp_options[] = {
	{ "follow", 'f', NULL, 0, "Go on with what is written later", 0 },
	{ "fence", KEY_FENCE, "ID", 0, "Only events of the fence with this id or name", 0 },
	{ "since", KEY_SINCE, "TIME", 0,
	  "Only events from then on: 2026-11-29T23:59:59Z, or an age such as 90s, 10m, 2h, 7d", 0 },
	{ "verdict", KEY_VERDICT, "VERDICT", 0,
	  "Only events with this verdict; events that report a loss are always shown", 0 },
	{ "json", KEY_JSON, NULL, 0, "Print matching lines as they are", 0 },
	{ 0 },
};

static const char argp_doc[] =
	"Prints the events of a log, one a line.\v"
	"FILE is " SINK_DEFAULT_PATH " if it is not given. Exit status: 0; 1 if the file could not "
	"be read or a line of it is not an event; 2 for wrong usage.";

static uint64_t now_ns(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &now); /* Cannot fail. */
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Reads "90s", "10m", "2h" or "7d". */
static int parse_age(const char *text, uint64_t *ret_age_ns)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	uint64_t number = 0;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	for (; *text >= '0' && *text <= '9'; text++) {
		number = number * 10 + (uint64_t)(*text - '0');
		if (number > UINT32_MAX)
			return -EINVAL;
	}
	for (size_t i = 0; i < ELEMENTSOF(units); i++) {
		if (*text != units[i].unit || text[1])
			continue;
		*ret_age_ns = number * units[i].seconds * NS_PER_SECOND;
		return 0;
	}
	return -EINVAL;
}

static int parse_since(const char *text, uint64_t *ret_since_ns)
{
	uint64_t now = now_ns();
	uint64_t age_ns;

	if (parse_age(text, &age_ns) < 0)
		return event_time_parse(text, ret_since_ns);
	*ret_since_ns = age_ns < now ? now - age_ns : 0;
	return 0;
}

static bool is_verdict(const char *name)
{
	for (uint8_t verdict = 0; verdict < RF_N_VERDICTS; verdict++)
		if (strcmp(name, event_verdict_name(verdict)) == 0)
			return true;
	return false;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'f':
		options->is_followed = true;
		return 0;
	case KEY_FENCE:
		options->fence = argument;
		return 0;
	case KEY_SINCE:
		if (parse_since(argument, &options->since_ns) < 0)
			argp_error(state, "%s is not a time; write 2026-11-29T23:59:59Z or 10m",
				   QUOTED(argument));
		return 0;
	case KEY_VERDICT:
		if (!is_verdict(argument))
			argp_error(state, "%s is not a verdict; write deny, hide, ask or allow",
				   QUOTED(argument));
		options->verdict = argument;
		return 0;
	case KEY_JSON:
		options->is_json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "only one FILE can be read at once");
		options->path = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[FILE]",
	.doc = argp_doc,
};

/* ---- Lines ---- */

static bool is_same(const char *text, const char *wanted)
{
	return text && strcmp(text, wanted) == 0;
}

/* A loss passes the filter by verdict: what was lost may have had it. */
static bool is_wanted(const struct options *options, const struct read_event *event)
{
	if (event->line.time_ns < options->since_ns)
		return false;
	if (options->fence && !is_same(event->fence_id, options->fence) &&
	    !is_same(event->fence_name, options->fence))
		return false;
	return !options->verdict || event->line.lost ||
	       is_same(event->line.verdict, options->verdict);
}

/* Writes the line to standard output. Returns 0 or -errno. */
static int print_event(const struct options *options, const struct read_event *event,
		       const char *line, size_t size)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	int r;

	if (options->is_json) {
		strbuf_append(&out, line, size);
		strbuf_append_byte(&out, '\n');
		r = strbuf_error(&out);
	} else {
		r = event_line_format(&event->line, options->has_colour, &out);
	}
	if (r < 0)
		return r;
	if (fwrite(strbuf_string(&out), 1, out.size, stdout) != out.size)
		return -errno;
	return 0;
}

static void report_line(const struct line_source *source, const struct diag *diag)
{
	_cleanup_strbuf_ struct strbuf why = { 0 };
	const char *text = "it is too long";

	if (!source->is_too_long)
		text = diag->n_messages ? diag->messages[0].text : "out of memory";
	utf8_append_escaped(&why, text, strlen(text));
	log_error("%s, line %zu is not an event: %s; skipped", QUOTED(source->path),
		  source->line_number, strbuf_string(&why));
}

/*
 * Returns 1 if the line is an event, 0 if it is not and was reported, or -errno if it could not
 * be printed.
 */
static int handle_line(const struct options *options, const struct line_source *source,
		       const char *line, size_t size)
{
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_(read_event_done) struct read_event event = { 0 };
	int r = -EINVAL;

	if (!source->is_too_long)
		r = event_read(line, size, &diag, &event);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		report_line(source, &diag);
		return 0;
	}
	if (!is_wanted(options, &event))
		return 1;
	r = print_event(options, &event, line, size);
	return r < 0 ? r : 1;
}

/* Handles the lines there are now. Returns 0 or -errno; @is_clean: every one was an event. */
static int print_lines(const struct options *options, struct line_source *source, bool *is_clean)
{
	const char *line;
	size_t size;
	int r;

	while ((r = line_source_next(source, &line, &size)) > 0) {
		r = handle_line(options, source, line, size);
		if (r < 0)
			return r;
		if (r == 0)
			*is_clean = false;
	}
	if (r < 0)
		return r;
	return fflush(stdout) == 0 ? 0 : -errno;
}

/* Handles all lines; for ever if the file is followed. Returns an enum exit_code. */
static int print_file(const struct options *options, struct line_source *source)
{
	bool is_clean = true;
	int r;

	for (;;) {
		r = print_lines(options, source, &is_clean);
		if (r == 0 && !options->is_followed)
			return is_clean ? EXIT_YES : EXIT_NO;
		if (r == 0)
			r = line_source_wait(source);
		if (r < 0) {
			log_error("cannot print the events of %s: %s", QUOTED(source->path),
				  strerror(-r));
			return EXIT_NO;
		}
	}
}

int cmd_events(int argc, char **argv)
{
	const char *no_colour = getenv("NO_COLOR");
	struct options options = {
		.path = SINK_DEFAULT_PATH,
		.has_colour = isatty(STDOUT_FILENO) && !(no_colour && *no_colour),
	};
	_cleanup_(line_source_close) struct line_source source = { .fd = -1, .inotify_fd = -1 };
	int r;

	r = argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (r != 0)
		return EXIT_USAGE;
	r = line_source_open(&source, options.path, options.is_followed);
	if (r < 0) {
		log_error("cannot read events from %s: %s; name the file that \"ringfence run "
			  "--events FILE\" wrote, or read as root",
			  QUOTED(options.path), strerror(-r));
		return EXIT_NO;
	}
	return print_file(&options, &source);
}
