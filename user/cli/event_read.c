/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A JSON line of events/event_text.h back to what a person sees. */
#include "cli/event_read.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "compiler/diag.h"
#include "compiler/json_read.h"
#include "events/event_text.h"
#include "events/event_time.h"

void read_event_done(struct read_event *event)
{
	json_value_free(event->json);
	*event = (struct read_event){ 0 };
}

/* The member of that type; NULL also if @object is not an object. */
static const struct json_value *member(const struct json_value *object, const char *key,
				       enum json_type type)
{
	const struct json_value *value = NULL;

	if (object && object->type == JSON_OBJECT)
		value = json_member(object, key);
	return value && value->type == type ? value : NULL;
}

static const char *string_member(const struct json_value *object, const char *key)
{
	const struct json_value *value = member(object, key, JSON_STRING);

	return value ? value->string : NULL;
}

static uint64_t number_member(const struct json_value *object, const char *key)
{
	const struct json_value *value = member(object, key, JSON_INTEGER);

	return value && value->integer > 0 ? (uint64_t)value->integer : 0;
}

static int time_member(const struct json_value *object, const char *key, uint64_t *ret_time_ns)
{
	const char *text = string_member(object, key);

	return text ? event_time_parse(text, ret_time_ns) : -EINVAL;
}

static void read_process(const struct json_value *process, struct event_line *line)
{
	if (line->n_processes == sizeof(line->process) / sizeof(line->process[0]))
		return;
	line->process[line->n_processes++] = (struct event_line_process){
		.pid = number_member(process, "pid"),
		.exe = string_member(process, "exe"),
	};
}

static void read_processes(const struct json_value *json, struct event_line *line)
{
	const struct json_value *process = member(json, "process", JSON_OBJECT);
	const struct json_value *parents = member(process, "parents", JSON_ARRAY);

	line->comm = string_member(process, "comm");
	read_process(process, line);
	for (size_t i = 0; parents && i < parents->n_items; i++)
		read_process(&parents->items[i], line);
}

static void read_object(const struct json_value *json, struct event_line *line)
{
	const struct json_value *object = member(json, "object", JSON_OBJECT);

	line->path = string_member(object, "path");
	line->dev = string_member(object, "dev");
	line->ino = number_member(object, "ino");
	line->address = string_member(object, "address");
	line->port = number_member(object, "port");
	line->family = string_member(object, "family");
	line->protocol = string_member(object, "protocol");
}

static void read_decision(const struct json_value *json, struct event_line *line)
{
	const struct json_value *rule = member(json, "rule", JSON_OBJECT);
	const char *mode = string_member(json, "mode");

	line->verdict = string_member(json, "verdict");
	line->is_audit = mode && strcmp(mode, "audit") == 0;
	line->action = string_member(json, "action");
	line->access = string_member(json, "access");
	line->rule_key = string_member(rule, "key");
	line->rule_source = string_member(rule, "source");
	line->reason = string_member(json, "reason");
	line->count = number_member(json, "count");
	if (time_member(json, "first", &line->first_ns) < 0)
		line->first_ns = line->time_ns;
	read_object(json, line);
	read_processes(json, line);
}

static int refuse(struct diag *diag, const char *why)
{
	diag_error(diag, &(struct position){ .file = "", .line = 1 }, "%s", why);
	return -EINVAL;
}

static int read_line(const struct json_value *json, struct diag *diag, struct event_line *line)
{
	const struct json_value *fence = member(json, "fence", JSON_OBJECT);
	const char *name = string_member(fence, "name");

	if (number_member(json, "v") != EVENT_TEXT_VERSION)
		return refuse(diag, "it has no \"v\" that this ringfence knows");
	if (time_member(json, "time", &line->time_ns) < 0)
		return refuse(diag, "it has no \"time\" in the form of RFC 3339");
	if (!fence)
		return refuse(diag, "it has no \"fence\"");
	line->fence = name ? name : string_member(fence, "id");
	line->lost = number_member(json, "lost");
	read_decision(json, line);
	return 0;
}

int event_read(const char *text, size_t size, struct diag *diag, struct read_event *ret_event)
{
	_cleanup_(json_value_freep) struct json_value *json = NULL;
	struct event_line line = { 0 };
	const struct json_value *fence;
	int r;

	if (!utf8_is_plain_text(text, size))
		return refuse(diag, "it holds control characters or bytes that are not UTF-8");
	/* What json_read() only notes in @diag (an inode number above 2^53) does no harm here. */
	r = json_read("", text, size, diag, &json);
	if (r == 0)
		r = read_line(json, diag, &line);
	if (r < 0)
		return r;
	fence = member(json, "fence", JSON_OBJECT);
	*ret_event = (struct read_event){
		.line = line,
		.fence_id = string_member(fence, "id"),
		.fence_name = string_member(fence, "name"),
	};
	ret_event->json = TAKE_PTR(json);
	return 0;
}
