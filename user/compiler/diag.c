/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Messages about a policy file, collected. */
#include "compiler/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "base/utf8.h"

/* A person reads the first few; a broken generator must not fill the memory. */
#define MAX_KEPT_MESSAGES 1000

void diag_done(struct diag *diag)
{
	for (size_t i = 0; i < diag->n_messages; i++) {
		free(diag->messages[i].file);
		free(diag->messages[i].text);
	}
	free(diag->messages);
	*diag = (struct diag){ 0 };
}

static void diag_keep(struct diag *diag, struct diag_message message)
{
	if (message.file && message.text && ARRAY_GROW(diag->messages, diag->n_messages)) {
		diag->messages[diag->n_messages++] = message;
		return;
	}
	free(message.file);
	free(message.text);
	diag->is_out_of_memory = true;
}

static void diag_add(struct diag *diag, enum diag_level level, const struct position *position,
		     const char *format, va_list args)
{
	char *text;

	if (level == DIAG_ERROR)
		diag->n_errors++;
	else
		diag->n_warnings++;
	if (diag->n_messages >= MAX_KEPT_MESSAGES)
		return;
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	diag_keep(diag, (struct diag_message){
				.level = level,
				.file = strdup(position->file),
				.line = position->line,
				.column = position->column,
				.text = text,
			});
}

void diag_error(struct diag *diag, const struct position *position, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add(diag, DIAG_ERROR, position, format, args);
	va_end(args);
}

void diag_warning(struct diag *diag, const struct position *position, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add(diag, DIAG_WARNING, position, format, args);
	va_end(args);
}

bool diag_has_errors(const struct diag *diag)
{
	return diag->n_errors > 0 || diag->is_out_of_memory;
}

const char *diag_level_name(enum diag_level level)
{
	return level == DIAG_ERROR ? "error" : "warning";
}

static void append_message(const struct diag_message *message, struct strbuf *out)
{
	utf8_append_escaped(out, message->file, strlen(message->file));
	if (message->line)
		strbuf_printf(out, ":%u:%u", message->line, message->column);
	strbuf_printf(out, ": %s: ", diag_level_name(message->level));
	utf8_append_escaped(out, message->text, strlen(message->text));
	strbuf_append_byte(out, '\n');
}

void diag_format(const struct diag *diag, struct strbuf *out)
{
	size_t n_all = diag->n_errors + diag->n_warnings;

	for (size_t i = 0; i < diag->n_messages; i++)
		append_message(&diag->messages[i], out);
	if (n_all > diag->n_messages)
		strbuf_printf(out, "%zu more messages are not shown\n", n_all - diag->n_messages);
}
