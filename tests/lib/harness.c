/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Results of the tests that run as root in the VM, as TAP. */
#include "lib/harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned int n_passed, n_failed;

/* Flushed at once: a child forked later must not print it again. */
static void print_line(const char *start, const char *format, va_list arguments)
{
	(void)fputs(start, stdout);
	(void)vprintf(format, arguments);
	(void)putchar('\n');
	(void)fflush(stdout);
}

bool harness_ok(bool passed, const char *format, ...)
{
	va_list arguments;
	char start[32];

	passed ? n_passed++ : n_failed++;
	(void)snprintf(start, sizeof(start), "%s %u - ", passed ? "ok" : "not ok",
		       n_passed + n_failed);
	va_start(arguments, format);
	print_line(start, format, arguments);
	va_end(arguments);
	return passed;
}

void harness_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_line("# ", format, arguments);
	va_end(arguments);
}

_Noreturn void harness_give_up(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_line("Bail out! ", format, arguments);
	va_end(arguments);
	n_failed++;
	exit(harness_end());
}

int harness_end(void)
{
	(void)printf("%u passed, %u failed\n", n_passed, n_failed);
	return n_failed || !n_passed ? EXIT_FAILURE : EXIT_SUCCESS;
}
