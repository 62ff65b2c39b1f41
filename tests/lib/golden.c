/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Texts that are compared with files. */
#include "lib/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

static void write_file(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fflush(file), 0);
}

static void read_file(const char *path, struct strbuf *out)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	char part[4096];
	size_t size;

	if (!file)
		fail_msg("cannot open %s; run in the top directory of the tree", path);
	while ((size = fread(part, 1, sizeof(part), file)) > 0)
		strbuf_append(out, part, size);
	assert_int_equal(strbuf_error(out), 0);
}

/* The number of the first line that differs, from 1. */
static size_t first_difference(const char *a, const char *b)
{
	size_t line = 1;

	for (; *a && *a == *b; a++, b++)
		line += *a == '\n';
	return line;
}

void assert_golden(const char *name, const char *text)
{
	_cleanup_strbuf_ struct strbuf expected = { 0 };
	_cleanup_free_ char *path = NULL;

	assert_true(asprintf(&path, "tests/unit/golden/%s.txt", name) > 0);
	if (getenv("RF_UPDATE_GOLDEN")) {
		write_file(path, text);
		return;
	}
	read_file(path, &expected);
	if (strcmp(strbuf_string(&expected), text) == 0)
		return;
	print_error("%s", text);
	fail_msg("the text above differs from %s at line %zu; if it is right, run again with "
		 "RF_UPDATE_GOLDEN=1 and review the change",
		 path, first_difference(strbuf_string(&expected), text));
}
