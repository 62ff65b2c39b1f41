/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A growing buffer of bytes.
 *
 * Errors stick: after a failed allocation further appends do nothing and strbuf_error() says
 * -ENOMEM, so a builder checks once, at its end.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stddef.h>

/* @bytes is NULL or owned, with a zero byte after @size bytes. Zero-initialise to start. */
struct strbuf {
	char *bytes;
	size_t size;
	size_t capacity;
	int error;
};

void strbuf_done(struct strbuf *buf);
/* Empties it, keeping memory and clearing the error. */
void strbuf_reset(struct strbuf *buf);

void strbuf_append(struct strbuf *buf, const void *bytes, size_t size);
void strbuf_append_string(struct strbuf *buf, const char *string);
void strbuf_append_byte(struct strbuf *buf, char byte);
void strbuf_printf(struct strbuf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* 0 or -ENOMEM. */
int strbuf_error(const struct strbuf *buf);
/* The bytes as a string that the caller frees, NULL after an error. The buffer is empty then. */
char *strbuf_take(struct strbuf *buf);
/* The bytes as a string, never NULL, valid until the next change. */
const char *strbuf_string(const struct strbuf *buf);

#define _cleanup_strbuf_ __attribute__((cleanup(strbuf_done)))

#endif
