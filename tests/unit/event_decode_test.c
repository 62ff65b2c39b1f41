/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Records to events: every field, hostile names, and records that are not whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/event.h"
#include "events/event_decode.h"
#include "lib/event_record.h"
#include "lib/fail_alloc.h"

static int decode(const struct rf_decision_event *record, struct event *ret_event)
{
	return event_decode(record, record->header.size, ret_event);
}

static void every_field_arrives(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_usual_text(&record);
	record.is_audit = 1;
	record.count = 9;
	record.first_ns = 4900000000;
	assert_int_equal(decode(&record, &event), 0);
	assert_int_equal(event.kind, EVENT_DECISION);
	assert_int_equal(event.type, RF_EVENT_DECISION);
	assert_int_equal(event.time_ns, 5000000000);
	assert_int_equal(event.fence, 0xf3a1);
	assert_memory_equal(&event.key, &record.key, sizeof(record.key));
	assert_int_equal(event.generation, 3);
	assert_int_equal(event.first_ns, 4900000000);
	assert_int_equal(event.last_ns, 5000000000);
	assert_int_equal(event.count, 9);
	assert_int_equal(event.uid, 1000);
	assert_int_equal(event.errno_value, ENOENT);
	assert_true(event.is_audit);
	assert_string_equal(event.comm, "cat");
	assert_string_equal(event.path, "/home/u/.ssh/id_ed25519");
	assert_int_equal(event.process.pid, 812);
	assert_int_equal(event.process.start_ns, 4120000000);
	assert_string_equal(event.process.exe, "/usr/bin/cat");
	assert_int_equal(event.n_parents, 2);
	assert_int_equal(event.parents[0].pid, 800);
	assert_int_equal(event.parents[0].start_ns, 3000000000);
	assert_string_equal(event.parents[0].exe, "/usr/bin/bash");
	assert_int_equal(event.parents[1].pid, 640);
	assert_string_equal(event.parents[1].exe, "/usr/bin/node");
}

static void components_keep_their_bytes(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	RECORD_ADD_PATH(&record, "a (deleted)\0\xff\x1b[2J\n\0\"\\");
	RECORD_ADD_PATH(&record, "");
	assert_int_equal(decode(&record, &event), 0);
	assert_string_equal(event.path, "/\"\\/\xff\x1b[2J\n/a (deleted)");
}

static void a_slash_in_a_name_is_no_directory(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	RECORD_ADD_PATH(&record, "memfd:/usr/bin/git");
	RECORD_ADD_PATH(&record, "");
	assert_int_equal(decode(&record, &event), 0);
	assert_string_equal(event.path, "/memfd:\xffusr\xff" "bin\xffgit");
}

static void the_root_and_an_empty_path_differ(void **state)
{
	struct rf_decision_event record = record_of_file();
	struct rf_decision_event socket = record_of_socket();
	_cleanup_event_ struct event event = { 0 };
	_cleanup_event_ struct event on_socket = { 0 };

	(void)state;
	record_add_text(&record, "\0\0", 2);
	assert_int_equal(decode(&record, &event), 0);
	assert_string_equal(event.path, "/");
	assert_null(event.process.exe);
	record_add_text(&socket, "\0\0", 2);
	assert_int_equal(decode(&socket, &on_socket), 0);
	assert_true(event_is_on_socket(&on_socket));
	assert_null(on_socket.path);
}

static void each_cut_bit_marks_its_path(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 4; bit++) {
		struct rf_decision_event record = record_of_file();
		_cleanup_event_ struct event event = { 0 };
		const char *paths[4];

		record_add_usual_text(&record);
		record.cut = 1U << bit;
		assert_int_equal(decode(&record, &event), 0);
		paths[0] = event.path;
		paths[1] = event.process.exe;
		paths[2] = event.parents[0].exe;
		paths[3] = event.parents[1].exe;
		for (unsigned int i = 0; i < 4; i++)
			assert_int_equal(event_path_is_cut(paths[i]), i == bit);
		assert_memory_equal(paths[bit], "\xe2\x80\xa6/", 4);
	}
}

static void a_path_cut_to_nothing_is_not_the_root(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_text(&record, "\0\0", 2);
	record.cut = 1;
	assert_int_equal(decode(&record, &event), 0);
	assert_string_equal(event.path, EVENT_CUT_PATH);
}

/* Each length has memory of exactly that size, so that a read beyond it is seen. */
static void a_record_cut_anywhere_is_malformed(void **state)
{
	struct rf_decision_event record = record_of_file();

	(void)state;
	record_add_usual_text(&record);
	for (size_t size = 0; size < record.header.size; size++) {
		unsigned char *bytes = malloc(size ? size : 1);
		_cleanup_event_ struct event event = { 0 };

		memcpy(bytes, &record, size);
		assert_int_equal(event_decode(bytes, size, &event), -EBADMSG);
		if (size >= sizeof(record.header)) {
			/* The same with a header that agrees with the size. */
			((struct rf_event_header *)bytes)->size = (__u32)size;
			assert_int_equal(event_decode(bytes, size, &event), -EBADMSG);
		}
		free(bytes);
	}
}

static void text_without_end_is_malformed(void **state)
{
	struct rf_decision_event record = record_of_file();
	struct event event;

	(void)state;
	record_add_usual_text(&record);
	for (__u32 size = record.text_size; size-- > 0;) {
		record.text_size = size;
		assert_int_equal(decode(&record, &event), -EBADMSG);
	}
}

static void counts_beyond_the_arrays_are_malformed(void **state)
{
	struct rf_decision_event record = record_of_file();
	struct event event;

	(void)state;
	record_add_usual_text(&record);
	record.n_parents = RF_MAX_EVENT_PARENTS + 1;
	assert_int_equal(decode(&record, &event), -EBADMSG);
	record.n_parents = 2;
	record.text_size = RF_EVENT_TEXT_SIZE + 1;
	record.header.size = sizeof(record);
	assert_int_equal(decode(&record, &event), -EBADMSG);
	record.text_size = UINT32_MAX;
	assert_int_equal(decode(&record, &event), -EBADMSG);
}

static void a_longer_record_is_read_as_far_as_known(void **state)
{
	struct {
		struct rf_decision_event record;
		char tail[64];
	} longer = { .record = record_of_file() };
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_usual_text(&longer.record);
	longer.record.header.size = sizeof(longer);
	assert_int_equal(event_decode(&longer, sizeof(longer), &event), 0);
	assert_string_equal(event.path, "/home/u/.ssh/id_ed25519");
}

static void other_versions_and_types_are_told_apart(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_usual_text(&record);
	record.header.type = 4711;
	assert_int_equal(decode(&record, &event), 0);
	assert_int_equal(event.kind, EVENT_UNKNOWN);
	assert_int_equal(event.type, 4711);
	assert_int_equal(event.fence, 0xf3a1);
	record.header.abi = RF_ABI_VERSION + 1;
	assert_int_equal(decode(&record, &event), -EPROTO);
}

static void numbers_in_no_list_are_unknown(void **state)
{
	char buf[EVENT_ACCESS_SIZE];

	(void)state;
	for (unsigned int number = 0; number <= UINT8_MAX; number++) {
		assert_int_equal(strcmp(event_verdict_name((uint8_t)number), "unknown") == 0,
				 number >= RF_N_VERDICTS);
		assert_int_equal(strcmp(event_action_name((uint8_t)number), "unknown") == 0,
				 number >= RF_N_ACTIONS);
		assert_int_equal(strcmp(event_reason_name((uint8_t)number), "unknown") == 0,
				 number >= RF_N_REASONS);
		assert_int_equal(strcmp(event_access_text((uint8_t)number, buf), "unknown") == 0,
				 number > RF_ACCESS_ALL);
	}
	assert_string_equal(event_access_text(RF_ACCESS_ALL, buf), "rwx");
	assert_string_equal(event_access_text(RF_ACCESS_WRITE, buf), "w");
}

static void the_largest_record_fits(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };
	size_t n_left = RF_EVENT_TEXT_SIZE - 2 - RF_MAX_EVENT_PARENTS;

	(void)state;
	record.n_parents = RF_MAX_EVENT_PARENTS;
	record.cut = UINT32_MAX;
	while (n_left >= 2) {
		record_add_text(&record, "a", 2);
		n_left -= 2;
	}
	while (record.text_size < RF_EVENT_TEXT_SIZE)
		record_add_text(&record, "", 1);
	assert_int_equal(decode(&record, &event), 0);
	assert_memory_equal(event.path, EVENT_CUT_PATH "/a/a/a", 9);
	assert_string_equal(event.parents[RF_MAX_EVENT_PARENTS - 1].exe, EVENT_CUT_PATH);
}

static int decode_and_drop(void *record)
{
	_cleanup_event_ struct event event = { 0 };

	return decode(record, &event);
}

static void lack_of_memory_is_an_error(void **state)
{
	struct rf_decision_event record = record_of_file();

	(void)state;
	record_add_usual_text(&record);
	assert_true(fail_alloc_each(decode_and_drop, &record) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_arrives),
		cmocka_unit_test(components_keep_their_bytes),
		cmocka_unit_test(a_slash_in_a_name_is_no_directory),
		cmocka_unit_test(the_root_and_an_empty_path_differ),
		cmocka_unit_test(each_cut_bit_marks_its_path),
		cmocka_unit_test(a_path_cut_to_nothing_is_not_the_root),
		cmocka_unit_test(a_record_cut_anywhere_is_malformed),
		cmocka_unit_test(text_without_end_is_malformed),
		cmocka_unit_test(counts_beyond_the_arrays_are_malformed),
		cmocka_unit_test(a_longer_record_is_read_as_far_as_known),
		cmocka_unit_test(other_versions_and_types_are_told_apart),
		cmocka_unit_test(numbers_in_no_list_are_unknown),
		cmocka_unit_test(the_largest_record_fits),
		cmocka_unit_test(lack_of_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
