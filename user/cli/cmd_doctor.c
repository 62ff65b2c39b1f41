/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* ringfence doctor: what this kernel can enforce, and proof of it. */
#include "cli/command.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "cli/selftest.h"
#include "kernel/support.h"

#define KEY_JSON 256

static const struct argp_option argp_options[] = {
	{ "json", KEY_JSON, NULL, 0, "Print one JSON object", 0 },
	{ 0 },
};

static const char argp_doc[] =
	"Says what the running kernel can enforce.\v"
	"Then proves it: attempts that succeed outside are made again in a throw-away fence. That needs "
	"root. Exit status: 0 if all is enforced, 1 if that could not be tried, 2 for wrong usage, 3 if "
	"this kernel cannot enforce.";

/**
 * struct report - What was found
 * @has_results: The self-test was made.
 */
struct report {
	struct utsname system;
	struct support support;
	bool has_results;
	struct selftest_result results[SELFTEST_N_ATTEMPTS];
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	bool *is_json = state->input;

	(void)argument;
	if (key != KEY_JSON)
		return ARGP_ERR_UNKNOWN;
	*is_json = true;
	return 0;
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.doc = argp_doc,
};

static const char *state_name(enum hook_state state)
{
	static const char *const names[] = {
		[HOOK_PRESENT] = "present",
		[HOOK_MISSING] = "missing",
		[HOOK_CHANGED] = "changed",
	};

	return names[state];
}

static bool has_failure(const struct report *report)
{
	for (size_t i = 0; i < SELFTEST_N_ATTEMPTS; i++)
		if (!selftest_has_passed(&report->results[i]))
			return true;
	return false;
}

static const char *errno_name(int error)
{
	return error ? strerrorname_np(error) : "ok";
}

static void print_text(const struct report *report)
{
	printf("kernel %s\n", report->system.release);
	for (size_t i = 0; report->support.error == 0 && i < support_n_hooks; i++)
		printf("  %-8s %-22s %s\n", state_name(report->support.hooks[i]),
		       support_hooks[i].name, support_hooks[i].class);
	if (!report->has_results)
		return;
	puts("self-test: outside a fence, and inside");
	for (size_t i = 0; i < SELFTEST_N_ATTEMPTS; i++) {
		const struct selftest_result *result = &report->results[i];

		printf("  %-8s %-44s %s, %s\n", selftest_has_passed(result) ? "ok" : "FAILED",
		       result->sentence, errno_name(result->outside), errno_name(result->inside));
	}
}

static void write_results(struct json_writer *writer, const struct report *report)
{
	json_write_array_begin(writer, "self_test");
	for (size_t i = 0; report->has_results && i < SELFTEST_N_ATTEMPTS; i++) {
		const struct selftest_result *result = &report->results[i];

		json_write_object_begin(writer, NULL);
		json_write_string(writer, "attempt", result->sentence);
		json_write_bool(writer, "ok", selftest_has_passed(result));
		json_write_string(writer, "outside", errno_name(result->outside));
		json_write_string(writer, "inside", errno_name(result->inside));
		json_write_string(writer, "expected", errno_name(result->expected));
		json_write_object_end(writer);
	}
	json_write_array_end(writer);
}

static int print_json(const struct report *report)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct json_writer writer;
	int r;

	json_write_init(&writer, &out);
	json_write_object_begin(&writer, NULL);
	json_write_string(&writer, "kernel", report->system.release);
	json_write_bool(&writer, "bpf_lsm", report->support.has_lsm);
	json_write_array_begin(&writer, "hooks");
	for (size_t i = 0; report->support.error == 0 && i < support_n_hooks; i++) {
		json_write_object_begin(&writer, NULL);
		json_write_string(&writer, "name", support_hooks[i].name);
		json_write_string(&writer, "state", state_name(report->support.hooks[i]));
		json_write_string(&writer, "without", support_hooks[i].class);
		json_write_object_end(&writer);
	}
	json_write_array_end(&writer);
	write_results(&writer, report);
	json_write_object_end(&writer);
	r = json_write_finish(&writer);
	if (r == 0)
		puts(strbuf_string(&out));
	return r;
}

/* Finds out all there is; logs what is wrong. Returns an exit code. */
static int examine(struct report *report)
{
	int r;

	(void)uname(&report->system); /* Cannot fail. */
	support_probe(&report->support);
	if (!support_is_complete(&report->support))
		return EXIT_CANNOT_ENFORCE;
	if (geteuid() != 0) {
		log_warn("the self-test needs root, so nothing was tried; run it with sudo");
		return EXIT_NO;
	}
	r = selftest_run(report->results);
	if (r < 0)
		return r == -EOPNOTSUPP ? EXIT_CANNOT_ENFORCE : EXIT_NO;
	report->has_results = true;
	return has_failure(report) ? EXIT_CANNOT_ENFORCE : EXIT_YES;
}

int cmd_doctor(int argc, char **argv)
{
	struct report report = { 0 };
	bool is_json = false;
	int exit_code, r;

	r = argp_parse(&argp, argc, argv, 0, NULL, &is_json);
	if (r) {
		log_error("cannot read the command line: %s", strerror(r));
		return EXIT_USAGE;
	}
	exit_code = examine(&report);
	if (!is_json)
		print_text(&report);
	else if (print_json(&report) < 0)
		return EXIT_NO;
	return exit_code;
}
