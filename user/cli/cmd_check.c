/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* ringfence check: compiles and lints policies. */
#include "cli/command.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/policy_load.h"
#include "compiler/policy_compile.h"
#include "compiler/policy_enforceable.h"
#include "compiler/policy_lint.h"
#include "launch/identity.h"

/* struct options - Of the command line; @policy_paths has room for the NULL at its end. */
struct options {
	char **policies;
	size_t n_policies;
	char **policy_paths;
	size_t n_policy_paths;
	const char *project;
	const char *user;
	bool is_open_allowed;
	bool is_printed;
	bool is_json;
};

/* ---- Command line ---- */

enum {
	KEY_ALLOW_OPEN = 256,
	KEY_JSON,
	KEY_POLICY_PATH,
	KEY_PRINT,
	KEY_PROJECT,
	KEY_USER,
};

static const struct argp_option argp_options[] = {
	{ "allow-open", KEY_ALLOW_OPEN, NULL, 0,
	  "Accept a policy that allows every network destination", 0 },
	{ "json", KEY_JSON, NULL, 0, "Print one JSON object a policy", 0 },
	{ "policy-path", KEY_POLICY_PATH, "DIR", 0,
	  "Look for policies in DIR first; may be given several times", 0 },
	{ "print", KEY_PRINT, NULL, 0, "Print the compiled form of what is right", 0 },
	{ "project", KEY_PROJECT, "DIR", 0,
	  "The project is the one around DIR instead of the current directory", 0 },
	{ "user", KEY_USER, "USER", 0, "The policy is for USER instead of the caller", 0 },
	{ 0 },
};

static const char argp_doc[] =
	"Compiles and lints policies.\v"
	"POLICY is a file, or a name that is looked up in the directories of --policy-path, in "
	"/etc/ringfence/policy and among the policies that came with the program. Exit status: 0 "
	"if all are right, 1 if one is wrong, 2 for wrong usage.";

static error_t add_argument(struct argp_state *state, char ***strings, size_t *n_strings,
			    const char *argument)
{
	if (strings_add(strings, n_strings, argument) < 0)
		argp_failure(state, EXIT_NO, ENOMEM, "cannot read the command line");
	return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_ALLOW_OPEN:
		options->is_open_allowed = true;
		return 0;
	case KEY_JSON:
		options->is_json = true;
		return 0;
	case KEY_POLICY_PATH:
		return add_argument(state, &options->policy_paths, &options->n_policy_paths,
				    argument);
	case KEY_PRINT:
		options->is_printed = true;
		return 0;
	case KEY_PROJECT:
		options->project = argument;
		return 0;
	case KEY_USER:
		options->user = argument;
		return 0;
	case ARGP_KEY_ARG:
		return add_argument(state, &options->policies, &options->n_policies, argument);
	case ARGP_KEY_END:
		if (options->n_policies == 0)
			argp_error(state, "name a policy to check");
		if (options->is_json && options->is_printed)
			argp_error(state, "--json and --print exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "POLICY...",
	.doc = argp_doc,
};

static void options_done(struct options *options)
{
	strings_free(options->policies, options->n_policies);
	strings_free(options->policy_paths, options->n_policy_paths);
}

/* ---- Output ---- */

static size_t count_rules(const struct policy *policy)
{
	return policy->n_files_rules + policy->n_program_rules + policy->n_egress_rules +
	       policy->n_socket_rules;
}

static void write_message(struct json_writer *writer, const struct diag_message *message)
{
	json_write_object_begin(writer, NULL);
	json_write_string(writer, "level", diag_level_name(message->level));
	json_write_string(writer, "file", message->file);
	if (message->line) {
		json_write_uint(writer, "line", message->line);
		json_write_uint(writer, "column", message->column);
	}
	json_write_string(writer, "text", message->text);
	json_write_object_end(writer);
}

/* Appends the result as one line of JSON. @compiled is NULL unless the policy is right. */
static int format_json(const char *name, const struct policy *policy,
		       const struct compiled_policy *compiled, const struct diag *diag,
		       struct strbuf *out)
{
	struct json_writer writer;
	int r;

	json_write_init(&writer, out);
	json_write_object_begin(&writer, NULL);
	json_write_string(&writer, "policy", name);
	json_write_bool(&writer, "ok", compiled != NULL);
	if (compiled) {
		json_write_string(&writer, "name", policy->name);
		json_write_uint(&writer, "rules", count_rules(policy));
	}
	json_write_uint(&writer, "errors", diag->n_errors);
	json_write_uint(&writer, "warnings", diag->n_warnings);
	json_write_array_begin(&writer, "messages");
	for (size_t i = 0; i < diag->n_messages; i++)
		write_message(&writer, &diag->messages[i]);
	json_write_array_end(&writer);
	json_write_object_end(&writer);
	r = json_write_finish(&writer);
	if (r < 0)
		return r;
	strbuf_append_byte(out, '\n');
	return 0;
}

/* The same for a person. */
static int format_text(const char *name, const struct policy *policy,
		       const struct compiled_policy *compiled, bool is_printed, struct strbuf *out)
{
	if (!compiled)
		return 0;
	utf8_append_escaped(out, name, strlen(name));
	strbuf_printf(out, ": ok, %zu rules\n", count_rules(policy));
	if (is_printed)
		compiled_policy_print(compiled, out);
	return 0;
}

/* Writes @buf out at once, so that what goes to two streams comes in order. */
static int put(const struct strbuf *buf, FILE *out)
{
	if (strbuf_error(buf) < 0)
		return strbuf_error(buf);
	if (fwrite(strbuf_string(buf), 1, buf->size, out) != buf->size || fflush(out) < 0)
		return -errno;
	return 0;
}

/* ---- The command ---- */

/* Warns of what `run` would refuse for now: the policy is not wrong. */
static void warn_unenforceable(const struct policy *policy, struct diag *diag)
{
	struct policy audited = *policy;

	audited.is_audit = true;
	policy_check_enforceable(&audited, diag);
}

static int compile(const struct policy_load_request *request, struct diag *diag,
		   struct policy **ret_policy, struct compiled_policy **ret_compiled)
{
	int r;

	r = policy_load(request, diag, ret_policy);
	if (r < 0)
		return r;
	policy_lint(*ret_policy, diag);
	warn_unenforceable(*ret_policy, diag);
	return policy_compile(*ret_policy, diag, ret_compiled);
}

/* Returns 1 if the policy is right, 0 if it is wrong, or -errno. */
static int check_policy(const struct options *options, const struct policy_load_request *request)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = NULL;
	_cleanup_(policy_freep) struct policy *policy = NULL;
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 }, messages = { 0 };
	const char *name = request->policy;
	int r;

	r = compile(request, &diag, &policy, &compiled);
	if (r == -ENOMEM)
		return r;
	if (options->is_json) {
		r = format_json(name, policy, compiled, &diag, &out);
	} else {
		diag_format(&diag, &messages);
		r = format_text(name, policy, compiled, options->is_printed, &out);
	}
	if (r == 0)
		r = put(&messages, stderr);
	if (r == 0)
		r = put(&out, stdout);
	return r < 0 ? r : compiled != NULL;
}

static int check_policies(const struct options *options, const struct identity *identity)
{
	struct policy_load_request request = {
		.policy_paths = (const char *const *)options->policy_paths,
		.allow_open = options->is_open_allowed,
		.identity = identity,
		.project = options->project,
	};
	int exit_code = EXIT_YES;
	int r;

	for (size_t i = 0; i < options->n_policies; i++) {
		request.policy = options->policies[i];
		r = check_policy(options, &request);
		if (r < 0)
			log_error("cannot check %s: %s", QUOTED(request.policy), strerror(-r));
		if (r <= 0)
			exit_code = EXIT_NO;
	}
	return exit_code;
}

int cmd_check(int argc, char **argv)
{
	_cleanup_(options_done) struct options options = { 0 };
	_cleanup_(identity_freep) struct identity *identity = NULL;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
		return EXIT_USAGE;
	if (!ARRAY_GROW(options.policy_paths, options.n_policy_paths)) {
		log_error("out of memory");
		return EXIT_NO;
	}
	options.policy_paths[options.n_policy_paths] = NULL;
	if (policy_load_identity(options.user, &identity) < 0)
		return EXIT_NO;
	return check_policies(&options, identity);
}
