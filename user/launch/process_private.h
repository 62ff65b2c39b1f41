/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What ringfence, the session leader and the program before execve(2) say to each other. */
#ifndef LAUNCH_PROCESS_PRIVATE_H
#define LAUNCH_PROCESS_PRIVATE_H

#include <stdint.h>
#include <sys/types.h>

#include "launch/process.h"

enum report_type {
	REPORT_PREPARED, /* value: the program's process id */
	REPORT_FAILED,   /* value: errno, step: enum process_step */
	REPORT_STOPPED,  /* value: the signal */
	REPORT_EXITED,   /* value: the exit code */
};

/* To ringfence; one packet each, so both others may write. */
struct report {
	enum report_type type;
	enum process_step step;
	int value;
};

enum order_type {
	ORDER_RELEASE,
	ORDER_SIGNAL,              /* value: the signal, for the program's process group */
	ORDER_CONTINUE_FOREGROUND, /* the process group, in front of its terminal */
	ORDER_CONTINUE_BACKGROUND,
};

/* To the session leader. The end of the packets: kill the program, then the fence. */
struct order {
	enum order_type type;
	int value;
};

void process_send_report(int socket_fd, const struct report *report);

/* The session leader; @socket_fd is its end. */
_Noreturn void session_leader_run(const struct process_request *request, struct terminal *terminal,
				  int socket_fd);

/* The program. It executes when a byte comes from @release_fd, and ends if that is closed. */
_Noreturn void program_run(const struct process_request *request, const struct terminal *terminal,
			   int socket_fd, int release_fd);

#endif
