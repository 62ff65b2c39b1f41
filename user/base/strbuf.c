/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A growing buffer of bytes. */
#include "base/strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void strbuf_done(struct strbuf *buf)
{
	free(buf->bytes);
	*buf = (struct strbuf){ 0 };
}

void strbuf_reset(struct strbuf *buf)
{
	buf->size = 0;
	buf->error = 0;
	if (buf->bytes)
		buf->bytes[0] = '\0';
}

/* Makes room for @more bytes and the final zero. */
static int strbuf_reserve(struct strbuf *buf, size_t more)
{
	size_t capacity = buf->capacity ? buf->capacity : 128;
	char *bytes;

	if (buf->error)
		return buf->error;
	if (more > SIZE_MAX / 2 - buf->size)
		return buf->error = -ENOMEM;
	while (capacity < buf->size + more + 1)
		capacity *= 2;
	if (capacity == buf->capacity)
		return 0;
	bytes = realloc(buf->bytes, capacity);
	if (!bytes)
		return buf->error = -ENOMEM;
	buf->bytes = bytes;
	buf->capacity = capacity;
	return 0;
}

void strbuf_append(struct strbuf *buf, const void *bytes, size_t size)
{
	if (strbuf_reserve(buf, size) < 0)
		return;
	if (size)
		memcpy(buf->bytes + buf->size, bytes, size);
	buf->size += size;
	buf->bytes[buf->size] = '\0';
}

void strbuf_append_string(struct strbuf *buf, const char *string)
{
	strbuf_append(buf, string, strlen(string));
}

void strbuf_append_byte(struct strbuf *buf, char byte)
{
	strbuf_append(buf, &byte, 1);
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0 || strbuf_reserve(buf, (size_t)len) < 0) {
		buf->error = -ENOMEM;
		return;
	}
	va_start(args, format);
	(void)vsnprintf(buf->bytes + buf->size, (size_t)len + 1, format, args);
	va_end(args);
	buf->size += (size_t)len;
}

int strbuf_error(const struct strbuf *buf)
{
	return buf->error;
}

char *strbuf_take(struct strbuf *buf)
{
	char *bytes = NULL;

	if (strbuf_reserve(buf, 0) == 0) {
		buf->bytes[buf->size] = '\0';
		bytes = buf->bytes;
		buf->bytes = NULL;
	}
	strbuf_done(buf);
	return bytes;
}

const char *strbuf_string(const struct strbuf *buf)
{
	return buf->bytes ? buf->bytes : "";
}
