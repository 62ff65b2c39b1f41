/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Summaries of refusals that the kernel only counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "events/event.h"
#include "events/event_decode.h"
#include "events/repeats.h"
#include "lib/event_record.h"
#include "lib/fail_alloc.h"

static const struct rf_repeat repeat = {
	.sent_ns = 5000000000,
	.first_ns = 5100000000,
	.last_ns = 5900000000,
	.count = 41,
};

/* A decoded event whose key differs from others by @ino, noticed at @time_ns. */
static struct event event_on_inode(uint64_t ino, uint64_t time_ns)
{
	struct rf_decision_event record = record_of_file();
	struct event event;

	record_add_usual_text(&record);
	record.key.object.file.ino = ino;
	record.header.time_ns = time_ns;
	assert_int_equal(event_decode(&record, record.header.size, &event), 0);
	return event;
}

static void remember(struct repeats *repeats, uint64_t ino, uint64_t time_ns, const char *comm)
{
	_cleanup_event_ struct event event = event_on_inode(ino, time_ns);

	strcpy(event.comm, comm);
	assert_int_equal(repeats_remember(repeats, &event), 0);
}

static struct event summary_of(const struct repeats *repeats, uint64_t ino)
{
	_cleanup_event_ struct event event = event_on_inode(ino, 0);
	struct event summary;

	assert_int_equal(repeats_summary(repeats, &event.key, &repeat, &summary), 0);
	assert_memory_equal(&summary.key, &event.key, sizeof(event.key));
	return summary;
}

static void a_summary_is_the_last_event_with_the_counts(void **state)
{
	_cleanup_(repeats_freep) struct repeats *repeats = repeats_new();
	_cleanup_event_ struct event summary = { 0 };

	(void)state;
	remember(repeats, 1, 1, "first");
	remember(repeats, 1, 2, "last");
	remember(repeats, 2, 3, "other");
	summary = summary_of(repeats, 1);
	assert_int_equal(summary.kind, EVENT_DECISION);
	assert_string_equal(summary.comm, "last");
	assert_string_equal(summary.path, "/home/u/.ssh/id_ed25519");
	assert_string_equal(summary.parents[1].exe, "/usr/bin/node");
	assert_int_equal(summary.process.pid, 812);
	assert_int_equal(summary.count, 41);
	assert_int_equal(summary.first_ns, 5100000000);
	assert_int_equal(summary.last_ns, 5900000000);
	assert_int_equal(summary.time_ns, 5900000000);
	assert_int_equal(summary.names.seq, 0);
}

static void a_key_alone_is_enough(void **state)
{
	_cleanup_(repeats_freep) struct repeats *repeats = repeats_new();
	_cleanup_event_ struct event summary = { 0 };

	(void)state;
	summary = summary_of(repeats, 9);
	assert_int_equal(summary.kind, EVENT_DECISION);
	assert_int_equal(summary.fence, 0xf3a1);
	assert_int_equal(summary.count, 41);
	assert_null(summary.path);
	assert_int_equal(summary.process.pid, 0);
}

/* More keys than fit: some are forgotten, the newest never, and all can be summed up. */
static void the_table_is_bounded_and_forgets_the_oldest(void **state)
{
	const uint64_t n_keys = 4 * RF_MAX_REPEATS;
	_cleanup_(repeats_freep) struct repeats *repeats = repeats_new();
	size_t n_known = 0;

	(void)state;
	for (uint64_t ino = 1; ino <= n_keys; ino++) {
		_cleanup_event_ struct event summary = { 0 };

		remember(repeats, ino, ino, "cat");
		summary = summary_of(repeats, ino);
		assert_non_null(summary.path);
	}
	for (uint64_t ino = 1; ino <= n_keys; ino++) {
		_cleanup_event_ struct event summary = summary_of(repeats, ino);

		n_known += summary.path != NULL;
		if (ino <= RF_MAX_REPEATS)
			assert_null(summary.path);
	}
	assert_in_range(n_known, RF_MAX_REPEATS * 9 / 10, RF_MAX_REPEATS);
}

static int remember_and_sum_up(void *event)
{
	_cleanup_(repeats_freep) struct repeats *repeats = repeats_new();
	_cleanup_event_ struct event summary = { 0 };
	int r;

	if (!repeats)
		return -ENOMEM;
	r = repeats_remember(repeats, event);
	if (r < 0)
		return r;
	return repeats_summary(repeats, &((struct event *)event)->key, &repeat, &summary);
}

static void lack_of_memory_is_an_error(void **state)
{
	_cleanup_event_ struct event event = event_on_inode(1, 1);

	(void)state;
	assert_true(fail_alloc_each(remember_and_sum_up, &event) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_summary_is_the_last_event_with_the_counts),
		cmocka_unit_test(a_key_alone_is_enough),
		cmocka_unit_test(the_table_is_bounded_and_forgets_the_oldest),
		cmocka_unit_test(lack_of_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
