/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Runs one program to its end: signals, terminal and job control pass between it and the caller.
 *
 *	supervisor_new(loop)      signals wait for the loop from here on
 *	supervisor_prepare()      the process exists, with nothing executed
 *	…                         the caller puts supervisor_pid() into its fence
 *	supervisor_release()      it executes; the caller's terminal is the program's
 *	event_loop_run_once()     until supervisor_is_finished(); the terminal is the caller's again
 *	supervisor_result()
 */
#ifndef LAUNCH_SUPERVISOR_H
#define LAUNCH_SUPERVISOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "launch/process.h"

struct event_loop;
struct supervisor;

/**
 * struct supervisor_result - How it ended
 * @exit_code: The program's, 128 + the signal that ended it, or, if it could not be executed, 127
 *             (not found) or 126.
 * @failure:   error is 0 if the program was executed.
 */
struct supervisor_result {
	int exit_code;
	struct process_failure failure;
};

/*
 * Blocks the signals that it takes over, for good: one that comes late must not replace the exit
 * code. @loop is borrowed until supervisor_free(), so it is freed later.
 */
int supervisor_new(struct event_loop *loop, struct supervisor **ret_supervisor);

/* Gives the program a terminal of its own if one of descriptors 0, 1 and 2 is one. Else like
 * process_prepare().
 */
int supervisor_prepare(struct supervisor *supervisor, const struct process_request *request,
		       struct process_failure *reterr_failure);

pid_t supervisor_pid(const struct supervisor *supervisor);
int supervisor_pidfd(const struct supervisor *supervisor);

int supervisor_release(struct supervisor *supervisor);

bool supervisor_is_finished(const struct supervisor *supervisor);
/* Valid once finished. */
struct supervisor_result supervisor_result(const struct supervisor *supervisor);

/* Restores the terminal, kills the program if it still runs. Accepts NULL, returns NULL. */
struct supervisor *supervisor_free(struct supervisor *supervisor);
DEFINE_CLEANUP(struct supervisor, supervisor_free)

#endif
