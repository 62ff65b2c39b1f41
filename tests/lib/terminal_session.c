/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A terminal with a person before it and a supervisor on it, for tests. */
#include "lib/terminal_session.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/event_loop.h"
#include "launch/identity.h"
#include "launch/supervisor.h"

static char *own_path;

/* ---- The supervisor under test ---- */

static int supervise(char *const *argv)
{
	_cleanup_(event_loop_freep) struct event_loop *loop = NULL;
	_cleanup_(supervisor_freep) struct supervisor *supervisor = NULL;
	gid_t group = getgid();
	const struct identity identity = {
		.uid = getuid(), .gid = group, .groups = &group, .n_groups = 1
	};
	const struct process_request request = {
		.identity = &identity, .argv = argv, .environment = environ, .kill_fd = -1
	};
	struct process_failure failure;

	if (event_loop_new(&loop) < 0 || supervisor_new(loop, &supervisor) < 0 ||
	    supervisor_prepare(supervisor, &request, &failure) < 0 ||
	    supervisor_release(supervisor) < 0)
		return 125;
	while (!supervisor_is_finished(supervisor))
		if (event_loop_run_once(loop, -1) < 0)
			return 125;
	return supervisor_result(supervisor).exit_code;
}

/* ---- A person at a terminal ---- */

static void open_terminal(struct session *session, char *const *argv)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };

	*session = (struct session){ .terminal_fd = -1 };
	session->pid = forkpty(&session->terminal_fd, NULL, NULL, &size);
	assert_true(session->pid >= 0);
	if (session->pid == 0) {
		execv(argv[0], argv);
		_exit(125);
	}
	assert_int_equal(fcntl(session->terminal_fd, F_SETFD, FD_CLOEXEC), 0);
	assert_int_equal(tcgetattr(session->terminal_fd, &session->modes), 0);
}

void session_open(struct session *session, char *const *program)
{
	char *argv[16] = { own_path, (char *)"--supervise" };

	for (size_t i = 0; program[i]; i++) {
		assert_true(i + 3 < ELEMENTSOF(argv));
		argv[i + 2] = program[i];
	}
	open_terminal(session, argv);
}

/* Not dash: one that is between vfork(2) and execve(2) loses signals. */
void session_start(struct session *session, const char *script)
{
	session_open(session, (char *[]){ (char *)"bash", (char *)"-c", (char *)script, NULL });
}

void session_start_shell(struct session *session)
{
	char *argv[] = { (char *)"/bin/bash", (char *)"--norc", (char *)"--noediting", (char *)"-i",
			 NULL };

	assert_int_equal(setenv("PS1", "prompt> ", 1), 0);
	open_terminal(session, argv);
	session_expect(session, "prompt> ");
}

void session_end_shell(struct session *session)
{
	session_type(session, "exit 0\r");
	session_assert_exits(session, 0);
}

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns false if nothing more will come, or if nothing came in @timeout_ms. */
static bool look(struct session *session, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = session->terminal_fd, .events = POLLIN };
	char bytes[4096];
	ssize_t size;

	if (poll(&poll_fd, 1, timeout_ms) != 1)
		return false;
	size = read(session->terminal_fd, bytes, sizeof(bytes));
	if (size > 0)
		strbuf_append(&session->seen, bytes, (size_t)size);
	return size > 0;
}

const char *session_unchecked(const struct session *session)
{
	return strbuf_string(&session->seen) + session->checked;
}

void session_expect(struct session *session, const char *text)
{
	int64_t end_ms = now_ms() + SESSION_TIMEOUT_MS;
	const char *found;

	while (!(found = strstr(session_unchecked(session), text)))
		if (!look(session, (int)(end_ms - now_ms())))
			fail_msg("no \"%s\" in \"%s\"", text, session_unchecked(session));
	session->checked = (size_t)(found - strbuf_string(&session->seen)) + strlen(text);
}

void session_type(struct session *session, const char *keys)
{
	assert_int_equal(write(session->terminal_fd, keys, strlen(keys)), strlen(keys));
}

static struct termios modes_of(const struct session *session)
{
	struct termios modes;

	assert_int_equal(tcgetattr(session->terminal_fd, &modes), 0);
	return modes;
}

bool session_is_raw(const struct session *session)
{
	return !(modes_of(session).c_lflag & (ICANON | ECHO | ISIG));
}

void session_await_raw(const struct session *session, bool is_raw)
{
	int64_t end_ms = now_ms() + SESSION_TIMEOUT_MS;

	for (; session_is_raw(session) != is_raw; (void)usleep(5000))
		assert_true(now_ms() < end_ms);
}

void session_await_job(const struct session *session)
{
	int64_t end_ms = now_ms() + SESSION_TIMEOUT_MS;

	for (; tcgetpgrp(session->terminal_fd) == session->pid; (void)usleep(5000))
		assert_true(now_ms() < end_ms);
}

void session_assert_modes_restored(const struct session *session)
{
	struct termios modes = modes_of(session);

	assert_int_equal(modes.c_iflag, session->modes.c_iflag);
	assert_int_equal(modes.c_oflag, session->modes.c_oflag);
	assert_int_equal(modes.c_lflag, session->modes.c_lflag);
	assert_memory_equal(modes.c_cc, session->modes.c_cc, sizeof(modes.c_cc));
}

/* Reads to the end, so that the process is not held up, and returns the wait status. */
static int finish(struct session *session)
{
	int64_t end_ms = now_ms() + SESSION_TIMEOUT_MS;
	int status;

	while (waitpid(session->pid, &status, WNOHANG) == 0) {
		if (now_ms() > end_ms) {
			(void)kill(session->pid, SIGKILL);
			fail_msg("still runs after \"%s\"", session_unchecked(session));
		}
		(void)look(session, 10);
	}
	return status;
}

void session_assert_exits(struct session *session, int exit_code)
{
	int status = finish(session);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), exit_code);
	session_assert_modes_restored(session);
	session_done(session);
}

void session_done(struct session *session)
{
	cleanup_close(&session->terminal_fd);
	strbuf_done(&session->seen);
}

void terminal_session_main(int argc, char **argv)
{
	_cleanup_free_ char *command = NULL;

	if (argc > 2 && strcmp(argv[1], "--supervise") == 0)
		exit(supervise(argv + 2));
	own_path = realpath(argv[0], NULL);
	if (!own_path || asprintf(&command, "%s --supervise", own_path) < 0 ||
	    setenv("SUPERVISE", command, 1) < 0)
		exit(EXIT_FAILURE);
}

