/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What happened, as a value. */
#include "events/event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN "unknown"

static const char *const verdict_names[] = {
#define X(identifier, name, sentence) name,
	RF_VERDICTS(X)
#undef X
};

static const char *const action_names[] = {
#define X(identifier, name, sentence) name,
	RF_ACTIONS(X)
#undef X
};

static const char *const reason_names[] = {
#define X(identifier, name, sentence) name,
	RF_REASONS(X)
#undef X
};

static const char *const reason_sentences[] = {
#define X(identifier, name, sentence) sentence,
	RF_REASONS(X)
#undef X
};

static const char access_letters[RF_N_ACCESSES] = {
#define X(identifier, bit, letter, sentence) [bit] = letter,
	RF_ACCESSES(X)
#undef X
};

void event_done(struct event *event)
{
	free(event->text);
	*event = (struct event){ 0 };
}

bool event_path_is_cut(const char *path)
{
	return path[0] != '/';
}

static size_t path_size(const char *path)
{
	return path ? strlen(path) + 1 : 0;
}

/* Moves a path into @text; returns the byte after it. */
static char *move_path(const char **path, char *text)
{
	size_t size = path_size(*path);

	if (size)
		*path = memcpy(text, *path, size);
	return text + size;
}

int event_copy(const struct event *event, struct event *ret_copy)
{
	size_t size = path_size(event->path) + path_size(event->process.exe);
	struct event copy = *event;
	char *text;

	for (size_t i = 0; i < event->n_parents; i++)
		size += path_size(event->parents[i].exe);
	copy.names = (struct event_names){ 0 };
	copy.text = malloc(size ? size : 1);
	if (!copy.text)
		return -ENOMEM;
	text = move_path(&copy.path, copy.text);
	text = move_path(&copy.process.exe, text);
	for (size_t i = 0; i < copy.n_parents; i++)
		text = move_path(&copy.parents[i].exe, text);
	*ret_copy = copy;
	return 0;
}

struct event event_of_loss(uint64_t fence, uint64_t lost, uint64_t time_ns)
{
	return (struct event){
		.kind = EVENT_LOST,
		.fence = fence,
		.lost = lost,
		.time_ns = time_ns,
	};
}

static const char *list_name(const char *const *names, size_t n_names, uint8_t number)
{
	return number < n_names ? names[number] : UNKNOWN;
}

const char *event_verdict_name(uint8_t verdict)
{
	return list_name(verdict_names, ELEMENTSOF(verdict_names), verdict);
}

const char *event_action_name(uint8_t action)
{
	return list_name(action_names, ELEMENTSOF(action_names), action);
}

const char *event_reason_name(uint8_t reason)
{
	return list_name(reason_names, ELEMENTSOF(reason_names), reason);
}

const char *event_reason_sentence(const char *name)
{
	for (size_t i = 0; i < ELEMENTSOF(reason_names); i++)
		if (strcmp(name, reason_names[i]) == 0)
			return reason_sentences[i];
	return name;
}

_Static_assert(EVENT_ACCESS_SIZE > RF_N_ACCESSES, "every set of letters fits");

const char *event_access_text(rf_access_mask access, char buf[EVENT_ACCESS_SIZE])
{
	size_t len = 0;

	if (access & ~RF_ACCESS_ALL)
		return UNKNOWN;
	for (size_t bit = 0; bit < RF_N_ACCESSES; bit++)
		if (access & (1U << bit))
			buf[len++] = access_letters[bit];
	buf[len] = '\0';
	return buf;
}

bool event_is_on_socket(const struct event *event)
{
	if (event->key.action >= RF_N_ACTIONS)
		return event->key.object.endpoint.family != 0;
	return strncmp(action_names[event->key.action], "socket.", strlen("socket.")) == 0;
}
