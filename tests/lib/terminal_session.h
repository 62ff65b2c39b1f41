/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A terminal with a person before it and a supervisor on it, for tests.
 *
 *	test ──outer terminal──▶ supervisor ──inner terminal──▶ PROGRAM
 *
 * Called as `TEST --supervise PROGRAM…`, a test is what `ringfence run` is without the fence; it
 * has to call terminal_session_main() first. Functions fail the test if what they wait for does not
 * come.
 */
#ifndef TESTS_LIB_TERMINAL_SESSION_H
#define TESTS_LIB_TERMINAL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include "base/strbuf.h"

/* Longer than anything takes on a busy machine. */
#define SESSION_TIMEOUT_MS 30000

/**
 * struct session - A terminal and what was started on it
 * @seen:    What came from the terminal so far.
 * @checked: Bytes of it that an expectation has used up.
 * @modes:   Of the terminal at the start.
 */
struct session {
	int terminal_fd;
	pid_t pid;
	struct strbuf seen;
	size_t checked;
	struct termios modes;
};

/* Ends the process with PROGRAM's exit code if the test was called to supervise one. */
void terminal_session_main(int argc, char **argv);

/* Starts the supervisor of a PROGRAM. */
void session_open(struct session *session, char *const *program);
/* The same for `bash -c SCRIPT`. */
void session_start(struct session *session, const char *script);
/* An interactive bash that has shown its prompt; "$SUPERVISE" there is the supervisor. */
void session_start_shell(struct session *session);
/* Waits until something else than that shell is in the foreground. */
void session_await_job(const struct session *session);
/* Leaves the shell. */
void session_end_shell(struct session *session);

/* What came since the last expectation. */
const char *session_unchecked(const struct session *session);
/* Waits until @text comes, after what was expected before. */
void session_expect(struct session *session, const char *text);
void session_type(struct session *session, const char *keys);

bool session_is_raw(const struct session *session);
/* Waits until the terminal is raw or has left that. */
void session_await_raw(const struct session *session, bool is_raw);
void session_assert_modes_restored(const struct session *session);
/* Waits for the end, and that the terminal is as it was. Closes the session. */
void session_assert_exits(struct session *session, int exit_code);
void session_done(struct session *session);

#endif
