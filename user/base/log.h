/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Messages to the person who runs the program, on standard error.
 *
 * A message says what failed, on what, why and what to do. Whoever handles an error logs it, once;
 * compiler/, events/ and base/ return errors and log at most at debug level. Bytes that may come
 * from inside a fence are quoted with log_quote().
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stddef.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* Messages above @level are not shown; LOG_LEVEL_INFO at the start. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* Writes "ringfence: error: MESSAGE\n" or the like in one write(2). Keeps errno. */
void log_message(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define log_error(...) log_message(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_message(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_message(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_message(LOG_LEVEL_DEBUG, __VA_ARGS__)

#define LOG_QUOTE_SIZE 512

/*
 * Writes @text in double quotes into @buf, with control bytes, quotes and backslashes as \xNN; what
 * does not fit is replaced by "...". Returns @buf.
 */
const char *log_quote(char buf[LOG_QUOTE_SIZE], const char *text);
#define QUOTED(text) log_quote((char[LOG_QUOTE_SIZE]){ 0 }, (text))

#endif
