/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Sub-commands: one file each, options to call to output. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/* Exit codes of every command but `run`, whose own failures are 125 to 127. */
enum exit_code {
	EXIT_YES = 0,
	EXIT_NO = 1,
	EXIT_USAGE = 2,
	EXIT_CANNOT_ENFORCE = 3,
	EXIT_NO_DAEMON = 4,
};

/* Exit codes of `run` for its own failures; a program's own code passes through. */
enum run_exit_code {
	EXIT_RUN_USAGE = 125,
	EXIT_RUN_CANNOT_ENFORCE = 126,
	EXIT_RUN_NOT_FOUND = 127,
};

/**
 * struct command - One verb
 * @run: Gets the arguments from the verb on (argv[0] is "ringfence VERB", for messages of argp);
 *       returns the exit code.
 */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif
