/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Builds records as the kernel side writes them. */
#include "lib/event_record.h"

#include <assert.h>
#include <string.h>

struct rf_decision_event record_of_file(void)
{
	return (struct rf_decision_event){
		.header = {
			.abi = RF_ABI_VERSION,
			.type = RF_EVENT_DECISION,
			.size = offsetof(struct rf_decision_event, text),
			.time_ns = 5000000000,
			.fence = 0xf3a1,
			.pid = 812,
			.tid = 813,
		},
		.key = {
			.fence = 0xf3a1,
			.object.file = { .ino = 131075, .dev = 8 << 20 | 1, .generation = 7 },
			.source = 1,
			.action = RF_ACTION_FILE_OPEN,
			.access = RF_ACCESS_READ,
			.verdict = RF_VERDICT_HIDE,
			.reason = RF_REASON_RULE,
		},
		.generation = 3,
		.first_ns = 5000000000,
		.last_ns = 5000000000,
		.count = 1,
		.start_ns = 4120000000,
		.uid = 1000,
		.errno_value = 2,
		.comm = "cat",
	};
}

struct rf_decision_event record_of_socket(void)
{
	struct rf_decision_event record = record_of_file();

	record.key.object = (struct rf_object){
		.endpoint = {
			.address = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
			.port = 443,
			.family = 2,
			.type = 1,
			.protocol = 6,
		},
	};
	record.key.source = RF_NO_SOURCE;
	record.key.action = RF_ACTION_SOCKET_CONNECT;
	record.key.access = 0;
	record.key.verdict = RF_VERDICT_DENY;
	record.key.reason = RF_REASON_UNLISTED_ADDRESS;
	record.errno_value = 13;
	return record;
}

void record_add_text(struct rf_decision_event *record, const char *text, size_t size)
{
	assert(record->text_size + size <= sizeof(record->text));
	memcpy(record->text + record->text_size, text, size);
	record->text_size += (__u32)size;
	record->header.size += (__u32)size;
}

void record_add_usual_text(struct rf_decision_event *record)
{
	record->n_parents = 2;
	record->parents[0] = (struct rf_event_parent){ .pid = 800, .start_ns = 3000000000 };
	record->parents[1] = (struct rf_event_parent){ .pid = 640, .start_ns = 2000000000 };
	if (record->key.action == RF_ACTION_SOCKET_CONNECT)
		record_add_text(record, "", 1);
	else
		RECORD_ADD_PATH(record, "id_ed25519\0.ssh\0u\0home");
	RECORD_ADD_PATH(record, "cat\0bin\0usr");
	RECORD_ADD_PATH(record, "bash\0bin\0usr");
	RECORD_ADD_PATH(record, "node\0bin\0usr");
}
