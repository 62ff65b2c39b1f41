/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What a log of events holds, held against what it should. */
#include "lib/expect_event.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "compiler/json_read.h"
#include "lib/harness.h"

struct logged_event {
	char *line;
	struct json_value *value;
	bool is_expected;
};

struct event_log {
	struct logged_event *events;
	size_t n_events;
};

struct event_log *event_log_free(struct event_log *log)
{
	if (!log)
		return NULL;
	for (size_t i = 0; i < log->n_events; i++) {
		free(log->events[i].line);
		json_value_free(log->events[i].value);
	}
	free(log->events);
	free(log);
	return NULL;
}

static bool has_control_byte(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < ' ' || *line == 0x7f)
			return true;
	return false;
}

static int add_line(struct event_log *log, const char *line)
{
	struct logged_event event = { .line = strdup(line) };
	struct diag diag = { 0 };
	int r;

	if (!event.line || !ARRAY_GROW(log->events, log->n_events)) {
		free(event.line);
		return -ENOMEM;
	}
	r = json_read("event", line, strlen(line), &diag, &event.value);
	if (r == 0 && (diag_has_errors(&diag) || has_control_byte(line)))
		r = -EINVAL;
	diag_done(&diag);
	log->events[log->n_events++] = event;
	return r == -EINVAL ? -EBADMSG : r;
}

int event_log_read(const char *path, struct event_log **ret_log)
{
	_cleanup_(event_log_freep) struct event_log *log = calloc(1, sizeof(*log));
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int r = 0;

	if (!log)
		return -ENOMEM;
	if (!file)
		return -errno;
	while (r == 0 && getline(&line, &size, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		r = add_line(log, line);
	}
	if (r == 0 && ferror(file))
		r = -EIO;
	if (r == 0)
		*ret_log = TAKE_PTR(log);
	return r;
}

/* The string @key of @object, of @value if that is NULL; NULL if there is none. */
static const char *string_of(const struct json_value *value, const char *object, const char *key)
{
	if (object)
		value = json_member(value, object);
	if (value)
		value = json_member(value, key);
	return value ? value->string : NULL;
}

static bool is_same(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool is_expected(const struct json_value *event, const struct expected_event *expected)
{
	return is_same(string_of(event, "object", "path"), expected->path) &&
	       is_same(string_of(event, NULL, "action"), expected->action) &&
	       is_same(string_of(event, NULL, "access"), expected->access) &&
	       is_same(string_of(event, NULL, "verdict"), expected->verdict) &&
	       is_same(string_of(event, NULL, "reason"), expected->reason) &&
	       is_same(string_of(event, "rule", "key"), expected->rule) &&
	       is_same(string_of(event, NULL, "errno"), expected->error);
}

size_t event_log_count(struct event_log *log, const struct expected_event *expected)
{
	size_t n = 0;

	for (size_t i = 0; i < log->n_events; i++) {
		if (!is_expected(log->events[i].value, expected))
			continue;
		log->events[i].is_expected = true;
		n++;
	}
	return n;
}

void event_log_show(const struct event_log *log, const char *path)
{
	for (size_t i = 0; i < log->n_events; i++)
		if (is_same(string_of(log->events[i].value, "object", "path"), path))
			harness_note("%s", log->events[i].line);
}

size_t event_log_show_rest(const struct event_log *log)
{
	size_t n = 0;

	for (size_t i = 0; i < log->n_events; i++) {
		if (log->events[i].is_expected)
			continue;
		harness_note("%s", log->events[i].line);
		n++;
	}
	return n;
}
