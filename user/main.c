/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The ringfence program: finds the verb and runs it. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "cli/command.h"

static const struct command commands[] = {
	{ "run", "run a program in a new fence", cmd_run },
	{ "check", "compile and lint policies", cmd_check },
	{ "explain", "what a policy answers, and which rule says so", cmd_explain },
	{ "events", "print recorded refusals", cmd_events },
	{ "doctor", "what this kernel can enforce, with a live self-test", cmd_doctor },
};

static void print_usage(FILE *out)
{
	fputs("Usage: ringfence VERB [OPTION...] [ARGUMENT...]\n\n"
	      "Confines unmodified programs, in the kernel.\n\n",
	      out);
	for (size_t i = 0; i < ELEMENTSOF(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n\"ringfence VERB --help\" lists the options of a verb; see also ringfence(1).\n", out);
}

static int run_command(const struct command *command, int argc, char **argv)
{
	char name[64];

	/* argp takes the program's name for messages from here. */
	(void)snprintf(name, sizeof(name), "ringfence %s", command->name);
	argv[0] = name;
	program_invocation_name = program_invocation_short_name = name;
	argp_err_exit_status = strcmp(command->name, "run") == 0 ? EXIT_RUN_USAGE : EXIT_USAGE;
	return command->run(argc, argv);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		print_usage(stdout);
		return EXIT_YES;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("ringfence " RINGFENCE_VERSION);
		return EXIT_YES;
	}
	for (size_t i = 0; i < ELEMENTSOF(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return run_command(&commands[i], argc - 1, argv + 1);
	log_error("unknown verb %s; \"ringfence help\" lists them", QUOTED(argv[1]));
	return EXIT_USAGE;
}
