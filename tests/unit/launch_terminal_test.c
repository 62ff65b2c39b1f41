/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The program's terminal: keys, output, size, and the caller's terminal afterwards. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/terminal_session.h"

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void test_output_and_exit_code_pass_through(void **state)
{
	struct session session;

	(void)state;
	session_start(&session, "echo out; echo err >&2; exit 7");
	session_expect(&session, "out\r\nerr\r\n");
	session_assert_exits(&session, 7);
}

static void test_the_last_output_is_not_lost(void **state)
{
	struct session session;

	(void)state;
	session_start(&session, "seq 1 20000");
	session_expect(&session, "1\r\n2\r\n3\r\n");
	session_expect(&session, "19999\r\n20000\r\n");
	session_assert_exits(&session, 0);
}

static void test_a_writer_left_behind_does_not_keep_it_open(void **state)
{
	struct session session;

	(void)state;
	session_start(&session, "trap '' HUP; (while echo more; do :; done) & exit 4");
	session_assert_exits(&session, 4);
}

static void test_the_terminal_is_another_one(void **state)
{
	struct session session;
	char outer[64];

	(void)state;
	session_start(&session, "tty; tty < /dev/tty; echo end");
	assert_int_equal(ptsname_r(session.terminal_fd, outer, sizeof(outer)), 0);
	session_expect(&session, "end");
	assert_non_null(strstr(strbuf_string(&session.seen), "/dev/pts/"));
	(void)strncat(outer, "\r", sizeof(outer) - strlen(outer) - 1);
	assert_null(strstr(strbuf_string(&session.seen), outer));
	session_assert_exits(&session, 0);
}

static void test_control_c_interrupts_the_program(void **state)
{
	struct session session;

	(void)state;
	session_start(&session, "echo ready; exec cat");
	session_expect(&session, "ready");
	session_type(&session, "line\r");
	session_expect(&session, "line\r\nline\r\n");
	session_type(&session, "\x03");
	session_assert_exits(&session, 128 + SIGINT);
}

static void test_control_c_reaches_children_of_the_program(void **state)
{
	struct session session;

	(void)state;
	session_start(&session, "trap 'echo trapped; exit 5' INT;"
				"sh -c 'echo ready; exec sleep 1000'");
	session_expect(&session, "ready");
	session_type(&session, "\x03");
	session_expect(&session, "trapped");
	session_assert_exits(&session, 5);
}

static void test_control_d_is_the_end_of_input(void **state)
{
	struct session session;

	(void)state;
	session_start(&session, "echo ready; cat; exit 6");
	session_expect(&session, "ready");
	session_type(&session, "\x04");
	session_assert_exits(&session, 6);
}

static void test_keys_come_alone_and_at_once(void **state)
{
	struct session session;
	int64_t typed_ms;

	(void)state;
	session_start(&session, "stty raw -echo; echo ready; head -c 1 | od -An -tx1");
	session_expect(&session, "ready");
	typed_ms = now_ms();
	session_type(&session, "\x1b");
	session_expect(&session, "1b");
	assert_true(now_ms() - typed_ms < 2000);
	session_assert_exits(&session, 0);
}

/* More than all buffers on the way hold, to a program that takes its time. */
static void test_a_long_paste_is_not_lost(void **state)
{
	static const char line[] = "0123456789012345678901234567890123456789012345678\r";
	struct session session;

	(void)state;
	session_start(&session, "stty -echo; echo ready; sleep 0.3; wc -c");
	session_expect(&session, "ready");
	for (int i = 0; i < 4000; i++)
		session_type(&session, line);
	session_type(&session, "\x04");
	session_expect(&session, "200000");
	session_assert_exits(&session, 0);
}

static void test_size_is_that_of_the_callers_terminal(void **state)
{
	const struct winsize size = { .ws_row = 33, .ws_col = 101 };
	struct session session;

	(void)state;
	session_start(&session, "stty size; trap 'stty size; exit 0' WINCH; echo ready;"
			"while :; do sleep 0.05; done");
	session_expect(&session, "24 80");
	session_expect(&session, "ready");
	assert_int_equal(ioctl(session.terminal_fd, TIOCSWINSZ, &size), 0);
	session_expect(&session, "33 101");
	session_assert_exits(&session, 0);
}

static void test_modes_are_those_of_the_callers_terminal(void **state)
{
	struct session session;

	(void)state;
	session_start(&session, "stty -a");
	session_expect(&session, "intr = ^C");
	session_expect(&session, " icanon");
	session_assert_exits(&session, 0);
}

static void test_a_signal_passes_through(void **state)
{
	struct session session;

	(void)state;
	session_start(&session, "trap 'echo trapped; exit 5' USR1; echo ready;"
				"while :; do sleep 0.05; done");
	session_expect(&session, "ready");
	assert_int_equal(kill(session.pid, SIGUSR1), 0);
	session_expect(&session, "trapped");
	session_assert_exits(&session, 5);

	session_start(&session, "echo ready; exec cat");
	session_expect(&session, "ready");
	assert_int_equal(kill(session.pid, SIGTERM), 0);
	session_assert_exits(&session, 128 + SIGTERM);
}

static void test_a_program_that_is_not_there(void **state)
{
	char *argv[] = { (char *)"/no/such/program", NULL };
	struct session session;

	(void)state;
	session_open(&session, argv);
	session_assert_exits(&session, 127);
}

/* The session leader gives the terminal back. */
static void test_the_terminal_is_given_back_if_ringfence_is_killed(void **state)
{
	struct session session;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	session_start(&session, "trap '' HUP; echo ready; exec sleep 1000");
	session_expect(&session, "ready");
	session_await_raw(&session, true);
	assert_int_equal(kill(session.pid, SIGKILL), 0);
	for (int i = 0; i < 3; i++) /* It, the session leader, the program. */
		assert_true(wait(NULL) > 0);
	session_assert_modes_restored(&session);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
	session_done(&session);
}

static void test_the_program_gets_a_hangup_when_the_terminal_goes(void **state)
{
	char path[] = "/tmp/terminal_test.XXXXXX";
	int fd = mkstemp(path);
	struct session session;
	char script[256];
	char text[16] = "";
	int status;

	(void)state;
	assert_true(fd >= 0);
	(void)snprintf(script, sizeof(script),
		       "trap 'echo hangup > %s; exit 8' HUP; echo ready;"
		       "while :; do sleep 0.05; done",
		       path);
	session_start(&session, script);
	session_expect(&session, "ready");
	(void)close(session.terminal_fd);
	session.terminal_fd = -1;
	assert_int_equal(waitpid(session.pid, &status, 0), session.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 8);
	assert_int_equal(read(fd, text, sizeof(text) - 1), strlen("hangup\n"));
	assert_string_equal(text, "hangup\n");
	(void)close(fd);
	(void)unlink(path);
	session_done(&session);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_and_exit_code_pass_through),
		cmocka_unit_test(test_the_last_output_is_not_lost),
		cmocka_unit_test(test_a_writer_left_behind_does_not_keep_it_open),
		cmocka_unit_test(test_the_terminal_is_another_one),
		cmocka_unit_test(test_control_c_interrupts_the_program),
		cmocka_unit_test(test_control_c_reaches_children_of_the_program),
		cmocka_unit_test(test_control_d_is_the_end_of_input),
		cmocka_unit_test(test_keys_come_alone_and_at_once),
		cmocka_unit_test(test_a_long_paste_is_not_lost),
		cmocka_unit_test(test_size_is_that_of_the_callers_terminal),
		cmocka_unit_test(test_modes_are_those_of_the_callers_terminal),
		cmocka_unit_test(test_a_signal_passes_through),
		cmocka_unit_test(test_a_program_that_is_not_there),
		cmocka_unit_test(test_the_terminal_is_given_back_if_ringfence_is_killed),
		cmocka_unit_test(test_the_program_gets_a_hangup_when_the_terminal_goes),
	};

	terminal_session_main(argc, argv);
	return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
