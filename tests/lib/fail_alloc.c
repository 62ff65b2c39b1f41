/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Makes one allocation fail. */
#include "lib/fail_alloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Allocations until the one that fails; 0: none does. */
static unsigned int n_until_failure;
static bool has_failed;

static bool fails(void)
{
	if (n_until_failure == 0 || --n_until_failure > 0)
		return false;
	has_failed = true;
	errno = ENOMEM;
	return true;
}

/* The linker gives these the C library's functions; without its flags nobody calls them. */
#define WRAP(type, name, parameters, arguments)                    \
	type __real_##name parameters __attribute__((weak));       \
	type __wrap_##name parameters;                             \
	type __wrap_##name parameters                              \
	{                                                          \
		return fails() ? NULL : __real_##name arguments;   \
	}

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *old, size_t size), (old, size))
WRAP(void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size))
WRAP(char *, strdup, (const char *text), (text))
WRAP(char *, strndup, (const char *text, size_t size), (text, size))

int __real_vasprintf(char **text, const char *format, va_list args) __attribute__((weak));
int __wrap_vasprintf(char **text, const char *format, va_list args);
int __wrap_asprintf(char **text, const char *format, ...);

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	return fails() ? -1 : __real_vasprintf(text, format, args);
}

int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int size;

	va_start(args, format);
	size = __wrap_vasprintf(text, format, args);
	va_end(args);
	return size;
}

int fail_alloc_each(int (*run)(void *context), void *context)
{
	int r;

	for (unsigned int n = 1;; n++) {
		has_failed = false;
		n_until_failure = n;
		r = run(context);
		n_until_failure = 0;
		if (!has_failed)
			return r < 0 ? r : (int)n - 1;
		if (r != -ENOMEM && r != 0)
			return r < 0 ? r : -r;
	}
}
