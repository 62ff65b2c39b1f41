/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Any bytes as a record: what decodes becomes one line of valid JSON and one line for a person,
 * and neither holds a control byte but its newline.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "compiler/diag.h"
#include "compiler/json_read.h"
#include "events/event.h"
#include "events/event_decode.h"
#include "events/event_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_line(const struct strbuf *line)
{
	require(line->size > 0 && line->bytes[line->size - 1] == '\n');
	require(utf8_is_plain_text(line->bytes, line->size - 1));
}

static void check_json(const struct event *event)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_(json_value_freep) struct json_value *json = NULL;

	require(event_text_json(event, &line) == 0);
	check_line(&line);
	require(json_read("line", line.bytes, line.size, &diag, &json) == 0);
	require(json->type == JSON_OBJECT && json_member(json, "fence"));
}

static void check_human(const struct event *event)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };

	require(event_text_human(event, false, &line) == 0);
	check_line(&line);
}

static void check_copy(const struct event *event)
{
	_cleanup_event_ struct event copy = { 0 };
	_cleanup_strbuf_ struct strbuf line = { 0 };
	_cleanup_strbuf_ struct strbuf copied = { 0 };

	require(event_copy(event, &copy) == 0);
	require(event_text_json(event, &line) == 0 && event_text_json(&copy, &copied) == 0);
	require(line.size == copied.size && memcmp(line.bytes, copied.bytes, line.size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	_cleanup_event_ struct event event = { 0 };

	if (event_decode(bytes, size, &event) < 0)
		return 0;
	check_json(&event);
	check_human(&event);
	check_copy(&event);
	return 0;
}
