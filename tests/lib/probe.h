/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * One attempt on a file, with its exact outcome; and a process that makes attempts on request, which
 * is what the tests put into a fence.
 */
#ifndef TESTS_LIB_PROBE_H
#define TESTS_LIB_PROBE_H

#include <limits.h>

enum probe {
	PROBE_READ,
	PROBE_WRITE,
	PROBE_LIST,
	PROBE_EXECUTE,
	PROBE_REOPEN, /* O_PATH first, then for reading by its link in /proc */
	PROBE_HANDLE, /* by a file handle, which needs root */
};

/* Returns 0 if it succeeded, else -errno. */
int probe(enum probe probe, const char *path);

/* struct probe_request - What the process is asked, answered by an int. */
struct probe_request {
	enum probe probe;
	char path[PATH_MAX];
};

/* Serves requests from standard input on standard output until its end. */
void probe_serve(void);

#endif
