/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Messages about a policy file: file, line, column, text.
 *
 * The compiler collects them and goes on where it can, so that one run reports all errors.
 */
#ifndef COMPILER_DIAG_H
#define COMPILER_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum diag_level {
	DIAG_ERROR,
	DIAG_WARNING,
};

/**
 * struct position - A place in a policy file
 * @file:   Name as the person would recognise it; borrowed, lives as long as the policy.
 * @line:   From 1; 0: the file as a whole.
 * @column: In bytes, from 1.
 */
struct position {
	const char *file;
	uint32_t line;
	uint32_t column;
};

struct diag_message {
	enum diag_level level;
	char *file; /* owned copy */
	uint32_t line;
	uint32_t column;
	char *text;
};

/**
 * struct diag - Collected messages; zero-initialise to start
 * @messages:         The first 1000.
 * @n_errors:         Errors reported, including those that were not kept.
 * @is_out_of_memory: A message was lost for lack of memory; counts as an error.
 */
struct diag {
	struct diag_message *messages;
	size_t n_messages;
	size_t n_errors;
	size_t n_warnings;
	bool is_out_of_memory;
};

void diag_done(struct diag *diag);
void diag_error(struct diag *diag, const struct position *position, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *diag, const struct position *position, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "error" or "warning". */
const char *diag_level_name(enum diag_level level);

/* Whether the policy may not be used. */
bool diag_has_errors(const struct diag *diag);

struct strbuf;
/* Appends every message as "FILE:LINE:COLUMN: error: TEXT\n", control bytes escaped. */
void diag_format(const struct diag *diag, struct strbuf *out);

#endif
