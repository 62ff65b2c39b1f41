/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The program as a job of an interactive shell: stopped, in the background, in a pipeline. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/terminal_session.h"

static void test_control_z_and_fg(void **state)
{
	struct session session;

	(void)state;
	session_start_shell(&session);
	session_type(&session, "$SUPERVISE bash -c 'echo rea''dy; exec cat'\r");
	session_expect(&session, "ready");
	session_await_raw(&session, true);
	session_type(&session, "\x1a");
	session_expect(&session, "Stopped");
	session_expect(&session, "prompt> ");
	assert_false(session_is_raw(&session));
	session_type(&session, "fg\r");
	session_await_raw(&session, true);
	session_type(&session, "hello\r");
	session_expect(&session, "hello\r\nhello\r\n");
	/* And once more. */
	session_type(&session, "\x1a");
	session_expect(&session, "Stopped");
	session_expect(&session, "prompt> ");
	session_type(&session, "fg\r");
	session_await_raw(&session, true);
	session_type(&session, "\x04");
	session_expect(&session, "prompt> ");
	session_type(&session, "echo code=$?\r");
	session_expect(&session, "code=0");
	session_end_shell(&session);
}

static void test_a_program_that_stops_itself(void **state)
{
	struct session session;

	(void)state;
	session_start_shell(&session);
	session_type(&session, "$SUPERVISE bash -c 'kill -STOP $$; echo on''ward; exit 9'\r");
	session_expect(&session, "Stopped");
	session_expect(&session, "prompt> ");
	session_type(&session, "fg\r");
	session_expect(&session, "onward");
	session_expect(&session, "prompt> ");
	session_type(&session, "echo code=$?\r");
	session_expect(&session, "code=9");
	session_end_shell(&session);
}

static void test_bg_runs_on_until_it_reads(void **state)
{
	struct session session;
	size_t awake_at;

	(void)state;
	session_start_shell(&session);
	session_type(&session, "$SUPERVISE bash -c 'trap \"echo awake; exec cat\" USR1; "
			       "echo rea''dy; while :; do sleep 0.05; done'\r");
	session_expect(&session, "ready");
	session_await_raw(&session, true);
	session_type(&session, "\x1a");
	session_expect(&session, "Stopped");
	session_expect(&session, "prompt> ");
	session_type(&session, "bg\r");
	session_expect(&session, "prompt> ");
	assert_false(session_is_raw(&session));
	session_type(&session, "kill -USR1 %1\r");
	session_expect(&session, "awake\r\n");
	awake_at = session.checked;
	do {
		session_type(&session, "\r");
		session_expect(&session, "prompt> ");
	} while (!strstr(strbuf_string(&session.seen) + awake_at, "Stopped"));
	session_type(&session, "fg\r");
	session_await_raw(&session, true);
	session_type(&session, "hello\r");
	session_expect(&session, "hello\r\nhello\r\n");
	session_type(&session, "\x03");
	session_expect(&session, "prompt> ");
	session_type(&session, "echo code=$?\r");
	session_expect(&session, "code=130");
	session_end_shell(&session);
}

static void test_a_background_job_that_reads_is_stopped(void **state)
{
	struct session session;

	(void)state;
	session_start_shell(&session);
	session_type(&session, "$SUPERVISE cat &\r");
	session_expect(&session, "prompt> ");
	do {
		session_type(&session, "\r"); /* bash tells about jobs before a prompt. */
		session_expect(&session, "prompt> ");
	} while (!strstr(strbuf_string(&session.seen), "Stopped"));
	assert_false(session_is_raw(&session));
	session_type(&session, "fg\r");
	session_await_raw(&session, true);
	session_type(&session, "hello\r");
	session_expect(&session, "hello\r\nhello\r\n");
	session_type(&session, "\x04");
	session_expect(&session, "prompt> ");
	session_end_shell(&session);
}

static void test_a_shell_as_the_program_has_job_control_of_its_own(void **state)
{
	struct session session;

	(void)state;
	session_start_shell(&session);
	session_type(&session, "PS1='inner> ' $SUPERVISE bash --norc --noediting -i\r");
	session_expect(&session, "inner> ");
	session_type(&session, "sh -c 'echo rea''dy; exec cat'\r");
	session_expect(&session, "ready");
	session_type(&session, "hello\r");
	session_expect(&session, "hello\r\nhello\r\n");
	session_type(&session, "\x1a");
	session_expect(&session, "Stopped");
	session_expect(&session, "inner> "); /* Not the outer shell. */
	session_type(&session, "fg\r");
	session_expect(&session, "exec cat'\r\n");
	session_type(&session, "again\r");
	session_expect(&session, "again\r\nagain\r\n");
	session_type(&session, "\x03");
	session_expect(&session, "inner> ");
	session_type(&session, "echo code=$?; exit 3\r");
	session_expect(&session, "code=130");
	session_expect(&session, "prompt> ");
	session_type(&session, "echo code=$?\r");
	session_expect(&session, "code=3");
	session_end_shell(&session);
}

/* ---- Redirection ---- */

static void test_redirected_input_and_output_pass_through(void **state)
{
	struct session session;

	(void)state;
	session_start_shell(&session);
	session_type(&session, "printf 'a b c' | $SUPERVISE bash -c "
			       "'test -t 0; echo $?; test -t 1; echo $?; wc -w; exit 3';"
			       "echo code=$?\r");
	session_expect(&session, "1\r\n0\r\n3\r\n");
	session_expect(&session, "code=3");
	session_type(&session, "$SUPERVISE bash -c 'test -t 0; echo $?; test -t 1; echo $?' | "
			       "tr 01 ab\r");
	session_expect(&session, "a\r\nb\r\n");
	session_type(&session, "echo x | $SUPERVISE cat 2>&1 | tr x y; echo code=$?\r");
	session_expect(&session, "y\r\ncode=0");
	session_end_shell(&session);
}

static void test_the_keyboard_in_a_pipeline(void **state)
{
	struct session session;

	(void)state;
	/* Reads it although its input is a pipe, as less(1) does. */
	session_start_shell(&session);
	session_type(&session, "echo x | $SUPERVISE bash -c "
			       "'cat; read -r line < /dev/tty; echo got-$line'; echo code=$?\r");
	session_expect(&session, "x\r\n");
	session_await_raw(&session, true);
	session_type(&session, "key\r");
	session_expect(&session, "got-key");
	session_expect(&session, "code=0");
	session_expect(&session, "prompt> ");
	/* Leaves it to the other program, which reads it. */
	session_type(&session, "$SUPERVISE echo from-pipe | "
			       "sh -c 'cat; read -r line < /dev/tty; echo got-$line'\r");
	session_expect(&session, "\r\nfrom-pipe");
	session_type(&session, "other\r");
	session_expect(&session, "got-other");
	session_end_shell(&session);
}

static void test_control_c_and_control_z_in_a_pipeline(void **state)
{
	struct session session;

	(void)state;
	session_start_shell(&session);
	session_type(&session, "$SUPERVISE bash -c 'echo rea''dy; exec sleep 1000' | cat\r");
	session_expect(&session, "ready\r\n");
	session_type(&session, "\x1a");
	session_expect(&session, "Stopped");
	session_expect(&session, "prompt> ");
	session_type(&session, "fg\r");
	session_await_job(&session);
	session_type(&session, "\x03");
	session_expect(&session, "prompt> ");
	session_type(&session, "echo code=${PIPESTATUS[0]}\r");
	session_expect(&session, "code=130");
	session_end_shell(&session);
}

static void test_without_a_terminal(void **state)
{
	struct session session;

	(void)state;
	session_start_shell(&session);
	session_type(&session, "$SUPERVISE bash -c 'tty; (: < /dev/tty); echo rea''dy; "
			       "exec sleep 1000' < /dev/null 2>&1 | cat\r");
	session_expect(&session, "\r\nnot a tty\r\n");
	session_expect(&session, "/dev/tty"); /* cannot be opened */
	session_expect(&session, "\r\nready\r\n");
	session_type(&session, "\x03");
	session_expect(&session, "prompt> ");
	session_type(&session, "echo code=${PIPESTATUS[0]}\r");
	session_expect(&session, "code=130");
	session_end_shell(&session);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_z_and_fg),
		cmocka_unit_test(test_a_program_that_stops_itself),
		cmocka_unit_test(test_bg_runs_on_until_it_reads),
		cmocka_unit_test(test_a_background_job_that_reads_is_stopped),
		cmocka_unit_test(test_a_shell_as_the_program_has_job_control_of_its_own),
		cmocka_unit_test(test_redirected_input_and_output_pass_through),
		cmocka_unit_test(test_the_keyboard_in_a_pipeline),
		cmocka_unit_test(test_control_c_and_control_z_in_a_pipeline),
		cmocka_unit_test(test_without_a_terminal),
	};

	terminal_session_main(argc, argv);
	return cmocka_run_group_tests_name("job_control", tests, NULL, NULL);
}
