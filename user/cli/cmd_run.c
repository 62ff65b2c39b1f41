/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* ringfence run: the command line, and what the caller is told. */
#include "cli/command.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "cli/run.h"
#include "events/sink.h"

enum {
	KEY_AUDIT = 256,
	KEY_EVENTS,
	KEY_NAME,
	KEY_POLICY_PATH,
	KEY_RECORD,
	KEY_USER,
};

static const struct argp_option argp_options[] = {
	{ "policy", 'p', "POLICY", 0, "A policy file, or the name of one; \"default\" if not given", 0 },
	{ "policy-path", KEY_POLICY_PATH, "DIR", 0,
	  "Look for policies in DIR first; may be given several times", 0 },
	{ "audit", KEY_AUDIT, NULL, 0, "Refuse nothing; record what would be refused", 0 },
	{ "events", KEY_EVENTS, "FILE", 0,
	  "Append events to FILE as JSON lines, \"-\" for standard error; " SINK_DEFAULT_PATH
	  " if not given",
	  0 },
	{ "record", KEY_RECORD, "FILE", 0, "Append what is allowed to FILE, likewise", 0 },
	{ "name", KEY_NAME, "NAME", 0, "What events call the fence; PROGRAM's name if not given", 0 },
	{ "user", KEY_USER, "USER", 0, "Run PROGRAM as USER instead of the calling user", 0 },
	{ "verbose", 'v', NULL, 0, "Say more of what is done", 0 },
	{ 0 },
};

static const char argp_doc[] =
	"Runs PROGRAM in a new fence, under POLICY.\v"
	"Needs root; under sudo, PROGRAM runs as the calling user. Signals, terminal and job control "
	"pass through, and so does PROGRAM's exit status. When PROGRAM ends, what it left running in "
	"the fence is ended too. PROGRAM never runs outside a fence: if one cannot be made the exit "
	"status is 125 (usage, policy), 126 (this kernel cannot enforce, PROGRAM cannot be executed) or "
	"127 (PROGRAM not found).";

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct run_options *options = state->input;

	switch (key) {
	case 'p':
		options->policy = argument;
		return 0;
	case 'v':
		log_set_level(LOG_LEVEL_DEBUG);
		return 0;
	case KEY_AUDIT:
		options->is_audit = true;
		return 0;
	case KEY_EVENTS:
		options->events = argument;
		return 0;
	case KEY_NAME:
		options->name = argument;
		return 0;
	case KEY_POLICY_PATH:
		if (strings_add(&options->policy_paths, &options->n_policy_paths, argument) < 0)
			argp_failure(state, EXIT_RUN_USAGE, ENOMEM, "cannot read the command line");
		return 0;
	case KEY_RECORD:
		options->record = argument;
		return 0;
	case KEY_USER:
		options->user = argument;
		return 0;
	case ARGP_KEY_ARGS:
		options->argv = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name a program to run, as in \"ringfence run -- bash\"");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[--] PROGRAM [ARGUMENT...]",
	.doc = argp_doc,
};

int cmd_run(int argc, char **argv)
{
	struct run_options options = { .policy = "default", .events = SINK_DEFAULT_PATH };
	int r;

	if (getenv("RINGFENCE_DEBUG"))
		log_set_level(LOG_LEVEL_DEBUG);
	/* In order: what follows PROGRAM belongs to PROGRAM. */
	r = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	if (r) {
		log_error("cannot read the command line: %s", strerror(r));
		return EXIT_RUN_USAGE;
	}
	if (!options.name)
		options.name = basename(options.argv[0]);
	r = run_program(&options);
	strings_free(options.policy_paths, options.n_policy_paths);
	return r;
}
