/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Bytes of a ring record to struct event. */
#include "events/event_decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "events/event.h"

#define MAX_PATHS (2 + RF_MAX_EVENT_PARENTS)

/* Fixed part of a decision: the minimum of its type. */
#define DECISION_SIZE offsetof(struct rf_decision_event, text)

/*
 * Stands for a slash inside a component. A pseudo file may be called so ("memfd:a/b"), and must
 * not look like a file in a directory; no UTF-8 text has this byte, so the event shows it as
 * replaced.
 */
#define SLASH_IN_NAME '\xff'

/* struct text - The part of a record that holds paths: what is left to read, where to write. */
struct text {
	const char *next;
	size_t size;
	char *out;
};

/*
 * Measures the path at the start of @text, without the empty component that ends it. Returns 0 or
 * -EBADMSG if it does not end.
 */
static int measure_path(const struct text *text, size_t *ret_size)
{
	size_t size = 0;

	for (;;) {
		const char *end = memchr(text->next + size, '\0', text->size - size);

		if (!end)
			return -EBADMSG;
		if (end == text->next + size)
			break;
		size = (size_t)(end - text->next) + 1;
	}
	*ret_size = size;
	return 0;
}

/* Writes the components in @bytes, each with its zero, in reverse order as "/a/b". */
static void write_components(const char *bytes, size_t size, char *out)
{
	while (size > 0) {
		size_t len = strlen(bytes);

		size -= len + 1;
		out[size] = '/';
		for (size_t i = 0; i < len; i++)
			out[size + 1 + i] = bytes[i] == '/' ? SLASH_IN_NAME : bytes[i];
		bytes += len + 1;
	}
}

/* Takes the next path out of @text; one without components is NULL unless it is cut. */
static int take_path(struct text *text, bool is_cut, const char **ret_path)
{
	size_t prefix = is_cut ? strlen(EVENT_CUT_PATH) : 0;
	size_t size;
	int r;

	r = measure_path(text, &size);
	if (r < 0)
		return r;
	memcpy(text->out, EVENT_CUT_PATH, prefix);
	write_components(text->next, size, text->out + prefix);
	text->out[prefix + size] = '\0';
	*ret_path = prefix + size ? text->out : NULL;
	text->out += prefix + size + 1;
	text->next += size + 1;
	text->size -= size + 1;
	return 0;
}

static bool is_cut(uint32_t cut, uint32_t bit)
{
	return cut & (1U << bit);
}

static int take_paths(struct text *text, uint32_t cut, struct event *event)
{
	int r;

	r = take_path(text, is_cut(cut, 0), &event->path);
	if (r < 0)
		return r;
	if (!event->path && event->key.action < RF_N_ACTIONS && !event_is_on_socket(event))
		event->path = "/";
	r = take_path(text, is_cut(cut, 1), &event->process.exe);
	for (uint32_t i = 0; r == 0 && i < event->n_parents; i++)
		r = take_path(text, is_cut(cut, 2 + i), &event->parents[i].exe);
	return r;
}

/* Copies the fixed part. @record holds no more than that. */
static void copy_decision(const struct rf_decision_event *record, struct event *event)
{
	event->kind = EVENT_DECISION;
	event->key = record->key;
	event->generation = record->generation;
	event->first_ns = record->first_ns;
	event->last_ns = record->last_ns;
	event->count = record->count;
	event->uid = record->uid;
	event->errno_value = record->errno_value;
	event->is_audit = record->is_audit;
	event->process.pid = record->header.pid;
	event->process.start_ns = record->start_ns;
	memcpy(event->comm, record->comm, sizeof(record->comm));
	event->n_parents = record->n_parents;
	for (size_t i = 0; i < record->n_parents; i++) {
		event->parents[i].pid = record->parents[i].pid;
		event->parents[i].start_ns = record->parents[i].start_ns;
	}
}

static int decode_decision(const char *bytes, size_t size, struct event *event)
{
	struct rf_decision_event record;
	struct text text;

	if (size < DECISION_SIZE)
		return -EBADMSG;
	memcpy(&record, bytes, DECISION_SIZE);
	if (record.n_parents > RF_MAX_EVENT_PARENTS || record.text_size > RF_EVENT_TEXT_SIZE ||
	    record.text_size > size - DECISION_SIZE)
		return -EBADMSG;
	copy_decision(&record, event);
	/* Putting components in order makes them no longer. */
	event->text = malloc(record.text_size + MAX_PATHS * strlen(EVENT_CUT_PATH));
	if (!event->text)
		return -ENOMEM;
	text = (struct text){ bytes + DECISION_SIZE, record.text_size, event->text };
	return take_paths(&text, record.cut, event);
}

int event_decode(const void *bytes, size_t size, struct event *ret_event)
{
	_cleanup_event_ struct event event = { 0 };
	struct rf_event_header header;
	int r = 0;

	if (size < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.abi != RF_ABI_VERSION)
		return -EPROTO;
	if (header.size < sizeof(header) || header.size > size)
		return -EBADMSG;
	event.type = header.type;
	event.time_ns = header.time_ns;
	event.fence = header.fence;
	event.process.pid = header.pid;
	if (header.type == RF_EVENT_DECISION)
		r = decode_decision(bytes, header.size, &event);
	if (r < 0)
		return r;
	*ret_event = event;
	event = (struct event){ 0 };
	return 0;
}
