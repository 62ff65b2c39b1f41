/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* struct event to text. */
#include "events/event_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "base/strbuf.h"
#include "events/event.h"
#include "events/event_address.h"
#include "events/event_line.h"
#include "events/event_time.h"

#define NS_PER_CLOCK_TICK 10000000ULL

/* "MAJOR:MINOR" of 12 and 20 bits. */
#define DEVICE_SIZE sizeof("4095:1048575")
/* "FILE:LINE", the file without directories. */
#define SOURCE_SIZE (NAME_MAX + sizeof(":4294967295"))
/* Sixteen hexadecimal digits. */
#define COOKIE_SIZE 17

static const char *device_text(uint32_t dev, char buf[DEVICE_SIZE])
{
	(void)snprintf(buf, DEVICE_SIZE, "%u:%u", dev >> 20, dev & 0xfffff);
	return buf;
}

static const char *source_text(const struct event_rule *rule, char buf[SOURCE_SIZE])
{
	if (!rule->file)
		return NULL;
	(void)snprintf(buf, SOURCE_SIZE, "%.*s:%" PRIu32, NAME_MAX, rule->file, rule->line);
	return buf;
}

/* Id of the fence; without a name of its own its cookie. */
static const char *fence_text(const struct event *event, char buf[COOKIE_SIZE])
{
	if (event->names.fence_id)
		return event->names.fence_id;
	(void)snprintf(buf, COOKIE_SIZE, "%016" PRIx64, event->fence);
	return buf;
}

/* Whether the kernel could read an address out of the request. */
static bool has_address(const struct event *event)
{
	return event_family_has_address(event->key.object.endpoint.family) &&
	       event->key.reason != RF_REASON_MALFORMED;
}

/* ---- JSON ---- */

static void write_optional(struct json_writer *writer, const char *key, const char *string)
{
	if (string)
		json_write_bytes(writer, key, string, strlen(string));
}

static void write_time(struct json_writer *writer, const char *key, uint64_t time_ns)
{
	json_write_string(writer, key, event_time_format(time_ns, (char[EVENT_TIME_SIZE]){ 0 }));
}

static void write_path(struct json_writer *writer, const char *key, const char *cut_key,
		       const char *path)
{
	write_optional(writer, key, path);
	if (path && event_path_is_cut(path))
		json_write_bool(writer, cut_key, true);
}

static void write_fence(struct json_writer *writer, const struct event *event)
{
	json_write_object_begin(writer, "fence");
	write_optional(writer, "id", fence_text(event, (char[COOKIE_SIZE]){ 0 }));
	write_optional(writer, "name", event->names.fence_name);
	write_optional(writer, "policy", event->names.policy);
	if (event->generation)
		json_write_uint(writer, "generation", event->generation);
	json_write_object_end(writer);
}

static void write_file(struct json_writer *writer, const struct event *event)
{
	const struct rf_object_id *file = &event->key.object.file;

	write_path(writer, "path", "path_cut", event->path);
	if (!file->dev && !file->ino)
		return;
	json_write_string(writer, "dev", device_text(file->dev, (char[DEVICE_SIZE]){ 0 }));
	json_write_uint(writer, "ino", file->ino);
}

static void write_endpoint(struct json_writer *writer, const struct event *event)
{
	const struct rf_endpoint *endpoint = &event->key.object.endpoint;
	char buf[EVENT_ADDRESS_SIZE];

	if (has_address(event)) {
		json_write_string(writer, "address", event_address_text(endpoint, buf));
		json_write_uint(writer, "port", endpoint->port);
	}
	json_write_string(writer, "family", event_family_name(endpoint->family, buf));
	if (endpoint->type)
		json_write_string(writer, "type", event_socket_type_name(endpoint->type, buf));
	if (endpoint->protocol)
		json_write_string(writer, "protocol", event_protocol_name(endpoint->protocol, buf));
}

static void write_object(struct json_writer *writer, const struct event *event)
{
	json_write_object_begin(writer, "object");
	if (event_is_on_socket(event))
		write_endpoint(writer, event);
	else
		write_file(writer, event);
	json_write_object_end(writer);
}

static void write_rule(struct json_writer *writer, const struct event_rule *rule)
{
	if (!rule->key)
		return;
	json_write_object_begin(writer, "rule");
	write_optional(writer, "key", rule->key);
	write_optional(writer, "source", source_text(rule, (char[SOURCE_SIZE]){ 0 }));
	json_write_object_end(writer);
}

static void write_errno(struct json_writer *writer, int error)
{
	const char *name = strerrorname_np(error);

	if (error && name)
		json_write_string(writer, "errno", name);
}

static void write_process(struct json_writer *writer, const struct event *event)
{
	if (!event->process.pid)
		return;
	json_write_object_begin(writer, "process");
	json_write_uint(writer, "pid", event->process.pid);
	json_write_uint(writer, "start", event->process.start_ns / NS_PER_CLOCK_TICK);
	json_write_uint(writer, "uid", event->uid);
	write_optional(writer, "comm", event->comm);
	write_path(writer, "exe", "exe_cut", event->process.exe);
	json_write_array_begin(writer, "parents");
	for (size_t i = 0; i < event->n_parents; i++) {
		json_write_object_begin(writer, NULL);
		json_write_uint(writer, "pid", event->parents[i].pid);
		write_path(writer, "exe", "exe_cut", event->parents[i].exe);
		json_write_object_end(writer);
	}
	json_write_array_end(writer);
	json_write_object_end(writer);
}

static void write_decision(struct json_writer *writer, const struct event *event)
{
	char access[EVENT_ACCESS_SIZE];

	json_write_string(writer, "verdict", event_verdict_name(event->key.verdict));
	json_write_string(writer, "mode", event->is_audit ? "audit" : "enforce");
	json_write_string(writer, "action", event_action_name(event->key.action));
	if (event->key.access)
		json_write_string(writer, "access", event_access_text(event->key.access, access));
	write_object(writer, event);
	write_rule(writer, &event->names.rule);
	json_write_string(writer, "reason", event_reason_name(event->key.reason));
	write_errno(writer, event->errno_value);
	write_process(writer, event);
	json_write_uint(writer, "count", event->count);
	if (event->count > 1) {
		write_time(writer, "first", event->names.first_ns);
		write_time(writer, "last", event->names.last_ns);
	}
}

int event_text_json(const struct event *event, struct strbuf *out)
{
	struct json_writer writer;
	int r;

	json_write_init(&writer, out);
	json_write_object_begin(&writer, NULL);
	json_write_uint(&writer, "v", EVENT_TEXT_VERSION);
	json_write_uint(&writer, "seq", event->names.seq);
	write_time(&writer, "time", event->names.time_ns);
	write_optional(&writer, "host", event->names.host);
	write_fence(&writer, event);
	if (event->kind == EVENT_DECISION)
		write_decision(&writer, event);
	else if (event->kind == EVENT_LOST)
		json_write_uint(&writer, "lost", event->lost);
	else
		json_write_uint(&writer, "type", event->type);
	json_write_object_end(&writer);
	r = json_write_finish(&writer);
	if (r < 0)
		return r;
	strbuf_append_byte(out, '\n');
	return strbuf_error(out);
}

/* ---- For a person ---- */

/* struct buffers - Memory of the strings of one line. */
struct buffers {
	char access[EVENT_ACCESS_SIZE];
	char device[DEVICE_SIZE];
	char source[SOURCE_SIZE];
	char cookie[COOKIE_SIZE];
	char address[EVENT_ADDRESS_SIZE];
	char family[EVENT_ADDRESS_SIZE];
	char protocol[EVENT_ADDRESS_SIZE];
};

static void fill_object(struct event_line *line, const struct event *event, struct buffers *buffers)
{
	const struct rf_endpoint *endpoint = &event->key.object.endpoint;
	const struct rf_object_id *file = &event->key.object.file;

	if (!event_is_on_socket(event)) {
		line->path = event->path;
		line->dev = file->dev || file->ino ? device_text(file->dev, buffers->device) : NULL;
		line->ino = file->ino;
		return;
	}
	line->family = event_family_name(endpoint->family, buffers->family);
	if (endpoint->protocol)
		line->protocol = event_protocol_name(endpoint->protocol, buffers->protocol);
	if (has_address(event)) {
		line->address = event_address_text(endpoint, buffers->address);
		line->port = endpoint->port;
	}
}

static void fill_processes(struct event_line *line, const struct event *event)
{
	line->comm = event->comm;
	line->process[line->n_processes++] =
		(struct event_line_process){ event->process.pid, event->process.exe };
	for (size_t i = 0; i < event->n_parents; i++)
		line->process[line->n_processes++] = (struct event_line_process){
			event->parents[i].pid, event->parents[i].exe
		};
}

static void fill_decision(struct event_line *line, const struct event *event,
			  struct buffers *buffers)
{
	line->verdict = event_verdict_name(event->key.verdict);
	line->is_audit = event->is_audit;
	line->action = event_action_name(event->key.action);
	if (event->key.access)
		line->access = event_access_text(event->key.access, buffers->access);
	line->rule_key = event->names.rule.key;
	line->rule_source = source_text(&event->names.rule, buffers->source);
	line->reason = event_reason_name(event->key.reason);
	line->count = event->count;
	line->first_ns = event->names.first_ns;
	fill_object(line, event, buffers);
	fill_processes(line, event);
}

int event_text_human(const struct event *event, bool has_colour, struct strbuf *out)
{
	struct event_line line = { .time_ns = event->names.time_ns, .lost = event->lost };
	struct buffers buffers;

	line.fence = event->names.fence_name ? event->names.fence_name
					     : fence_text(event, buffers.cookie);
	if (event->kind == EVENT_DECISION)
		fill_decision(&line, event, &buffers);
	return event_line_format(&line, has_colour, out);
}
