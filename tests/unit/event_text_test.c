/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Events to JSON lines and human lines, with the names that user space adds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/strbuf.h"
#include "events/event.h"
#include "events/event_decode.h"
#include "events/event_enrich.h"
#include "events/event_text.h"
#include "events/event_time.h"
#include "lib/event_record.h"
#include "lib/fail_alloc.h"

/* 2026-11-29T23:59:59.123456789Z */
#define TIME_NS 1795996799123456789

static const struct event_rule rules[] = {
	{ "${project}", "policy/default.json", 3 },
	{ "${home}/.ssh", "/usr/share/policy/credentials.json", 12 },
};

static struct fence_name fence_web(void)
{
	return (struct fence_name){
		.cookie = 0xf3a1,
		.generation = 3,
		.id = "f3a1",
		.name = "web",
		.policy = "default",
		.rules = rules,
		.n_rules = 2,
	};
}

static struct enricher enricher_at(const struct fence_names *names)
{
	struct enricher enricher;

	assert_int_equal(enricher_init(&enricher, names), 0);
	strcpy(enricher.host, "build-7");
	enricher.seq = 40;
	return enricher;
}

/* Decodes @record and names it as an event of the fence "web" at TIME_NS. */
static struct event event_of(const struct rf_decision_event *record)
{
	struct fence_names names = { 0 };
	struct fence_name fence = fence_web();
	struct enricher enricher = enricher_at(&names);
	struct event event;

	assert_int_equal(fence_names_add(&names, &fence), 0);
	assert_int_equal(event_decode(record, record->header.size, &event), 0);
	enrich_event(&enricher, &event);
	event.names.host = "build-7";
	event.names.time_ns = TIME_NS;
	event.names.first_ns = event.names.time_ns - (event.time_ns - event.first_ns);
	event.names.last_ns = event.names.time_ns - (event.time_ns - event.last_ns);
	fence_names_done(&names);
	return event;
}

static void assert_json(const struct event *event, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	assert_int_equal(event_text_json(event, &out), 0);
	assert_string_equal(strbuf_string(&out), expected);
}

static void assert_json_has(const struct event *event, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	assert_int_equal(event_text_json(event, &out), 0);
	if (!strstr(strbuf_string(&out), expected))
		fail_msg("%s is not in %s", expected, strbuf_string(&out));
}

static void assert_human(const struct event *event, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	assert_int_equal(event_text_human(event, false, &out), 0);
	assert_string_equal(strbuf_string(&out), expected);
}

#define JSON_HEAD                                                                                \
	"{\"v\":1,\"seq\":41,\"time\":\"2026-11-29T23:59:59.123456789Z\",\"host\":\"build-7\"," \
	"\"fence\":{\"id\":\"f3a1\",\"name\":\"web\",\"policy\":\"default\",\"generation\":3},"
#define JSON_PROCESS                                                                      \
	"\"process\":{\"pid\":812,\"start\":412,\"uid\":1000,\"comm\":\"cat\","           \
	"\"exe\":\"/usr/bin/cat\",\"parents\":[{\"pid\":800,\"exe\":\"/usr/bin/bash\"},"  \
	"{\"pid\":640,\"exe\":\"/usr/bin/node\"}]},"

static void a_file_has_the_documented_shape(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_usual_text(&record);
	event = event_of(&record);
	assert_json(&event, JSON_HEAD
		    "\"verdict\":\"hide\",\"mode\":\"enforce\",\"action\":\"file.open\","
		    "\"access\":\"r\",\"object\":{\"path\":\"/home/u/.ssh/id_ed25519\","
		    "\"dev\":\"8:1\",\"ino\":131075},"
		    "\"rule\":{\"key\":\"${home}/.ssh\",\"source\":\"credentials.json:12\"},"
		    "\"reason\":\"rule\",\"errno\":\"ENOENT\"," JSON_PROCESS "\"count\":1}\n");
	assert_human(&event, "23:59:59 hide file.open r /home/u/.ssh/id_ed25519 by cat[812] < bash "
			     "< node: rule ${home}/.ssh (credentials.json:12)\n");
}

static void a_socket_has_the_documented_shape(void **state)
{
	struct rf_decision_event record = record_of_socket();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_usual_text(&record);
	event = event_of(&record);
	assert_json(&event, JSON_HEAD
		    "\"verdict\":\"deny\",\"mode\":\"enforce\",\"action\":\"socket.connect\","
		    "\"object\":{\"address\":\"192.0.2.1\",\"port\":443,\"family\":\"inet\","
		    "\"type\":\"stream\",\"protocol\":\"tcp\"},"
		    "\"reason\":\"unlisted-address\",\"errno\":\"EACCES\"," JSON_PROCESS
		    "\"count\":1}\n");
	assert_human(&event, "23:59:59 deny socket.connect 192.0.2.1:443/tcp by cat[812] < bash < "
			     "node: No egress rule of the policy allows this address.\n");
}

static void addresses_are_of_their_family(void **state)
{
	struct rf_decision_event record = record_of_socket();
	struct rf_endpoint *endpoint = &record.key.object.endpoint;
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_text(&record, "\0\0", 2);
	event = event_of(&record);
	endpoint = &event.key.object.endpoint;
	endpoint->family = 10;
	endpoint->protocol = 4711;
	assert_json_has(&event, "\"address\":\"::ffff:192.0.2.1\",\"port\":443,"
				"\"family\":\"inet6\",\"type\":\"stream\",\"protocol\":\"4711\"}");
	assert_human(&event, "23:59:59 deny socket.connect [::ffff:192.0.2.1]:443/4711 by cat[812]"
			     ": No egress rule of the policy allows this address.\n");
	*endpoint = (struct rf_endpoint){ .family = 16 };
	event.key.reason = RF_REASON_FAMILY;
	assert_json_has(&event, "\"object\":{\"family\":\"netlink\"}");
	*endpoint = (struct rf_endpoint){ .family = 2 };
	event.key.reason = RF_REASON_MALFORMED;
	assert_json_has(&event, "\"object\":{\"family\":\"inet\"}");
}

static void hostile_names_are_escaped(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	RECORD_ADD_PATH(&record, "id (deleted)\0a\n{\"v\":1}\x1b[2J\0\xff\"\\");
	RECORD_ADD_PATH(&record, "\xe2\x80\xae" "cat");
	memcpy(record.comm, "\x1b]0;x\x07\n\xc2\x9b 2345678", sizeof(record.comm));
	event = event_of(&record);
	assert_json_has(&event, "\"path\":\"/\\ufffd\\\"\\\\/a\\u000a{\\\"v\\\":1}\\u001b[2J/"
				"id (deleted)\",\"path_hex\":\"2fff225c2f610a7b2276223a317d1b5b324a"
				"2f6964202864656c6574656429\",\"dev\":\"8:1\"");
	assert_json_has(&event, "\"comm\":\"\\u001b]0;x\\u0007\\u000a\\u009b 234567\",");
	assert_json_has(&event, "\"exe\":\"/\\u202ecat\"");
	assert_human(&event, "23:59:59 hide file.open r /\\xff\"\\\\/a\\x0a{\"v\":1}\\x1b[2J/"
			     "id (deleted) by \\xe2\\x80\\xaecat[812]: "
			     "rule ${home}/.ssh (credentials.json:12)\n");
}

static void a_cut_path_says_so(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_usual_text(&record);
	record.cut = 1 | 2 | 8;
	event = event_of(&record);
	assert_json_has(&event, "\"path\":\"" EVENT_CUT_PATH "/home/u/.ssh/id_ed25519\","
				"\"path_cut\":true");
	assert_json_has(&event, "\"exe\":\"" EVENT_CUT_PATH "/usr/bin/cat\",\"exe_cut\":true,"
				"\"parents\"");
	assert_json_has(&event, "{\"pid\":640,\"exe\":\"" EVENT_CUT_PATH "/usr/bin/node\","
				"\"exe_cut\":true}");
}

static void repeats_and_audit_are_shown(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_text(&record, "\0\0", 2);
	record.count = 7;
	record.first_ns -= 2000000000;
	record.is_audit = 1;
	record.errno_value = 0;
	record.key.source = RF_NO_SOURCE;
	record.key.reason = RF_REASON_UNLISTED;
	event = event_of(&record);
	assert_json_has(&event, "\"mode\":\"audit\"");
	assert_json_has(&event, "\"reason\":\"unlisted\",\"process\"");
	assert_json_has(&event, "\"count\":7,\"first\":\"2026-11-29T23:59:57.123456789Z\","
				"\"last\":\"2026-11-29T23:59:59.123456789Z\"}");
	assert_human(&event, "23:59:59 would hide file.open r / by cat[812]: "
			     "No rule of the policy names it. [7 times since 23:59:57]\n");
}

static void unknown_values_are_words(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_text(&record, "\0\0", 2);
	record.key.verdict = record.key.action = record.key.access = record.key.reason = 0xff;
	record.errno_value = 4711;
	event = event_of(&record);
	assert_json_has(&event, "\"verdict\":\"unknown\",\"mode\":\"enforce\","
				"\"action\":\"unknown\",\"access\":\"unknown\","
				"\"object\":{\"dev\":\"8:1\",\"ino\":131075}");
	assert_json_has(&event, "\"reason\":\"unknown\",\"process\"");
	assert_human(&event, "23:59:59 unknown unknown unknown device 8:1 inode 131075 by cat[812]"
			     ": rule ${home}/.ssh (credentials.json:12)\n");
}

static void an_unknown_record_is_passed_on(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record.header.type = 99;
	event = event_of(&record);
	event.generation = 3;
	assert_json(&event, JSON_HEAD "\"type\":99}\n");
	assert_human(&event,
		     "23:59:59 an event that only a newer ringfence knows; --json shows it\n");
}

static void a_loss_is_an_event(void **state)
{
	struct event event = event_of_loss(0xf3a1, 12, 5000000000);

	(void)state;
	event.names.time_ns = TIME_NS;
	assert_json(&event, "{\"v\":1,\"seq\":0,\"time\":\"2026-11-29T23:59:59.123456789Z\","
			    "\"fence\":{\"id\":\"000000000000f3a1\"},\"lost\":12}\n");
	assert_human(&event, "23:59:59 12 events lost of fence 000000000000f3a1: they came faster "
			     "than they were written. What they report was refused all the same; a "
			     "faster place for events loses fewer.\n");
}

static void colour_is_the_only_escape(void **state)
{
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	static const char start[] = "23:59:59 \033[35mhide\033[0m file.open";

	(void)state;
	record_add_usual_text(&record);
	event = event_of(&record);
	assert_int_equal(event_text_human(&event, true, &out), 0);
	assert_memory_equal(out.bytes, start, strlen(start));
	assert_null(strchr(out.bytes + strlen(start), '\033'));
}

static void a_rule_is_named_by_its_own_generation(void **state)
{
	struct fence_names names = { 0 };
	struct fence_name fence = fence_web();
	struct enricher enricher = enricher_at(&names);
	struct rf_decision_event record = record_of_file();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_text(&record, "\0\0", 2);
	assert_int_equal(event_decode(&record, record.header.size, &event), 0);
	enrich_event(&enricher, &event);
	assert_null(event.names.fence_id);
	fence.generation = 4;
	assert_int_equal(fence_names_add(&names, &fence), 0);
	enrich_event(&enricher, &event);
	assert_string_equal(event.names.fence_id, "f3a1");
	assert_null(event.names.rule.key);
	fence.generation = 3;
	assert_int_equal(fence_names_add(&names, &fence), 0);
	enrich_event(&enricher, &event);
	assert_string_equal(event.names.rule.key, "${home}/.ssh");
	assert_string_equal(event.names.rule.file, "credentials.json");
	assert_int_equal(event.names.rule.line, 12);
	event.key.source = 2;
	enrich_event(&enricher, &event);
	assert_null(event.names.rule.key);
	assert_int_equal(event.names.seq, 44);
	fence_names_remove(&names, 0xf3a1);
	assert_int_equal(names.n_fences, 0);
	fence_names_done(&names);
}

static void time_follows_a_clock_that_is_set(void **state)
{
	const uint64_t second = 1000000000;
	struct fence_names names = { 0 };
	struct enricher enricher = enricher_at(&names);

	(void)state;
	enricher_set_clocks(&enricher, 100 * second, 40 * second);
	assert_int_equal(enricher.offset_ns, 60 * second);
	/* A slew of a millisecond is not followed, a step is, also backwards. */
	enricher_set_clocks(&enricher, 101 * second + 1000000, 41 * second);
	assert_int_equal(enricher.offset_ns, 60 * second);
	enricher_set_clocks(&enricher, 202 * second, 42 * second);
	assert_int_equal(enricher.offset_ns, 160 * second);
	enricher_set_clocks(&enricher, 53 * second, 43 * second);
	assert_int_equal(enricher.offset_ns, 10 * second);
}

static void event_time_is_wall_clock(void **state)
{
	struct fence_names names = { 0 };
	struct enricher enricher = enricher_at(&names);
	struct timespec boottime;
	struct event event;
	uint64_t now_ns;

	(void)state;
	assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &boottime), 0);
	event = event_of_loss(1, 1, (uint64_t)boottime.tv_sec * 1000000000);
	enrich_event(&enricher, &event);
	now_ns = (uint64_t)time(NULL) * 1000000000;
	assert_in_range(event.names.time_ns, now_ns - 5000000000, now_ns + 5000000000);
}

static void times_survive_the_round_trip(void **state)
{
	static const uint64_t times[] = { 0, 1, 999999999, 951782400000000000, TIME_NS,
					  UINT64_MAX - 2000000000 };
	char buf[EVENT_TIME_SIZE];
	uint64_t time_ns;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(times); i++) {
		assert_int_equal(event_time_parse(event_time_format(times[i], buf), &time_ns), 0);
		assert_int_equal(time_ns, times[i]);
	}
	assert_int_equal(event_time_parse("2026-11-30T01:59:59.5+02:00", &time_ns), 0);
	assert_int_equal(time_ns, 1795996799500000000);
	assert_string_equal(event_time_format(UINT64_MAX, buf), "2554-07-21T23:34:33.709551615Z");
}

static void other_times_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"2026-11-29",
		"2026-11-29T23:59:59",
		"2026-11-29 23:59:59Z",
		"2026-02-30T00:00:00Z",
		"2026-13-01T00:00:00Z",
		"2026-11-29T24:00:01Z",
		"2026-11-29T23:59:59.Z",
		"2026-11-29T23:59:59ZZ",
		"2026-11-29T23:59:59+0100",
		"2026-11-29T23:59:59+24:00",
		"1969-12-31T23:59:59Z",
		"1970-01-01T00:00:00+01:00",
		"9999-12-31T23:59:59Z",
		"+026-11-29T23:59:59Z",
	};
	uint64_t time_ns;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(wrong); i++)
		assert_int_equal(event_time_parse(wrong[i], &time_ns), -EINVAL);
}

static int write_json(void *event)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	return event_text_json(event, &out);
}

static int write_human(void *event)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	return event_text_human(event, true, &out);
}

static int add_names(void *fence)
{
	struct fence_names names = { 0 };
	int r;

	r = fence_names_add(&names, fence);
	fence_names_done(&names);
	return r;
}

static void lack_of_memory_is_an_error(void **state)
{
	struct rf_decision_event record = record_of_file();
	struct fence_name fence = fence_web();
	_cleanup_event_ struct event event = { 0 };

	(void)state;
	record_add_usual_text(&record);
	event = event_of(&record);
	assert_true(fail_alloc_each(write_json, &event) > 0);
	assert_true(fail_alloc_each(write_human, &event) > 0);
	assert_true(fail_alloc_each(add_names, &fence) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_the_documented_shape),
		cmocka_unit_test(a_socket_has_the_documented_shape),
		cmocka_unit_test(addresses_are_of_their_family),
		cmocka_unit_test(hostile_names_are_escaped),
		cmocka_unit_test(a_cut_path_says_so),
		cmocka_unit_test(repeats_and_audit_are_shown),
		cmocka_unit_test(unknown_values_are_words),
		cmocka_unit_test(an_unknown_record_is_passed_on),
		cmocka_unit_test(a_loss_is_an_event),
		cmocka_unit_test(colour_is_the_only_escape),
		cmocka_unit_test(a_rule_is_named_by_its_own_generation),
		cmocka_unit_test(time_follows_a_clock_that_is_set),
		cmocka_unit_test(event_time_is_wall_clock),
		cmocka_unit_test(times_survive_the_round_trip),
		cmocka_unit_test(other_times_are_refused),
		cmocka_unit_test(lack_of_memory_is_an_error),
	};

	if (setenv("TZ", "UTC", 1) < 0)
		return 1;
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
