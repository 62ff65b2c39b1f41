/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Messages to the person who runs the program. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum log_level shown_level = LOG_LEVEL_INFO;

static const char *const level_prefixes[] = {
	[LOG_LEVEL_ERROR] = "ringfence: error: ",
	[LOG_LEVEL_WARN] = "ringfence: warning: ",
	[LOG_LEVEL_INFO] = "ringfence: ",
	[LOG_LEVEL_DEBUG] = "ringfence: debug: ",
};

void log_set_level(enum log_level level)
{
	shown_level = level;
}

enum log_level log_get_level(void)
{
	return shown_level;
}

void log_message(enum log_level level, const char *format, ...)
{
	char line[2048];
	size_t used;
	int saved_errno = errno;
	va_list args;
	int len;

	if (level > shown_level)
		return;
	used = strlen(level_prefixes[level]);
	memcpy(line, level_prefixes[level], used);
	va_start(args, format);
	len = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	if (len > 0)
		used += strlen(line + used);
	line[used++] = '\n';
	(void)!write(STDERR_FILENO, line, used); /* There is nowhere else to complain. */
	errno = saved_errno;
}

const char *log_quote(char buf[LOG_QUOTE_SIZE], const char *text)
{
	const size_t room = LOG_QUOTE_SIZE - sizeof("\\xff...\"");
	size_t used = 0;

	buf[used++] = '"';
	for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
		if (used >= room) {
			memcpy(buf + used, "...", 3);
			used += 3;
			break;
		}
		if (*byte < 0x20 || *byte >= 0x7f || *byte == '"' || *byte == '\\')
			used += (size_t)snprintf(buf + used, 5, "\\x%02x", *byte);
		else
			buf[used++] = (char)*byte;
	}
	buf[used++] = '"';
	buf[used] = '\0';
	return buf;
}
