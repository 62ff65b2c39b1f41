/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* ringfence explain: what a policy answers, and which rule says so. */
#include "cli/command.h"

#include <argp.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/explain_object.h"
#include "cli/policy_load.h"
#include "compiler/explain.h"
#include "compiler/policy_compile.h"
#include "events/event.h"
#include "launch/identity.h"

/**
 * struct options - Of the command line
 * @policy_paths: Has room for the NULL at its end.
 * @verb:         One of verbs, or letters of accesses.
 */
struct options {
	const char *policy;
	char **policy_paths;
	size_t n_policy_paths;
	const char *project;
	const char *user;
	const char *verb;
	const char *object;
	bool is_json;
};

union address {
	struct sockaddr_in inet;
	struct sockaddr_in6 inet6;
};

/**
 * struct request - What is asked, read from the options
 * @access: 0 for connect.
 * @path:   Resolved; owned. NULL for connect.
 */
struct request {
	rf_access_mask access;
	char *path;
	union address address;
};

/* ---- Command line ---- */

enum {
	KEY_JSON = 256,
	KEY_POLICY_PATH,
	KEY_PROJECT,
	KEY_USER,
};

static const struct argp_option argp_options[] = {
	{ "json", KEY_JSON, NULL, 0, "Print one JSON object", 0 },
	{ "policy", 'p', "POLICY", 0,
	  "The policy to ask, a file or a name; \"default\" if not given", 0 },
	{ "policy-path", KEY_POLICY_PATH, "DIR", 0,
	  "Look for policies in DIR first; may be given several times", 0 },
	{ "project", KEY_PROJECT, "DIR", 0,
	  "The project is the one around DIR instead of the current directory", 0 },
	{ "user", KEY_USER, "USER", 0, "The policy is for USER instead of the caller", 0 },
	{ 0 },
};

static const char argp_doc[] =
	"Says what a policy answers, and which rule says so.\v"
	"VERB is read, write, execute, or letters of these (r, w, x), and OBJECT a path; or VERB "
	"is connect and OBJECT is ADDRESS:PORT, with brackets around an IPv6 address. Exit status: "
	"0 if it is allowed, 1 if it is refused or a person would be asked, 2 for wrong usage or a "
	"wrong policy.";

static error_t parse_argument(const char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	if (state->arg_num == 0)
		options->verb = argument;
	else if (state->arg_num == 1)
		options->object = argument;
	else
		argp_error(state, "too many arguments");
	return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_JSON:
		options->is_json = true;
		return 0;
	case 'p':
		options->policy = argument;
		return 0;
	case KEY_POLICY_PATH:
		if (strings_add(&options->policy_paths, &options->n_policy_paths, argument) < 0)
			argp_failure(state, EXIT_USAGE, ENOMEM, "cannot read the command line");
		return 0;
	case KEY_PROJECT:
		options->project = argument;
		return 0;
	case KEY_USER:
		options->user = argument;
		return 0;
	case ARGP_KEY_ARG:
		return parse_argument(argument, state);
	case ARGP_KEY_END:
		if (!options->object)
			argp_error(state, "say what is to be done, and to what: VERB OBJECT");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- The request ---- */

/* 0 if @verb is neither a word for an access nor letters of accesses. */
static rf_access_mask access_of_verb(const char *verb)
{
	static const struct {
		const char *verb;
		rf_access_mask access;
	} words[] = {
		{ "read", RF_ACCESS_READ },
		{ "write", RF_ACCESS_WRITE },
		{ "execute", RF_ACCESS_EXECUTE },
	};
	static const char letters[RF_N_ACCESSES + 1] = {
#define X(identifier, bit, letter, sentence) [bit] = letter,
		RF_ACCESSES(X)
#undef X
	};
	rf_access_mask access = 0;

	for (size_t i = 0; i < ELEMENTSOF(words); i++)
		if (strcmp(verb, words[i].verb) == 0)
			return words[i].access;
	for (; *verb; verb++) {
		const char *letter = strchr(letters, *verb);

		if (!letter)
			return 0;
		access |= (rf_access_mask)(1U << (letter - letters));
	}
	return access;
}

static int parse_port(const char *text, in_port_t *ret_port)
{
	uint32_t port = 0;

	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		port = port * 10 + (uint32_t)(*text - '0');
		if (port > UINT16_MAX)
			return -EINVAL;
	}
	*ret_port = htons((uint16_t)port);
	return 0;
}

/* Reads ADDRESS:PORT or [ADDRESS]:PORT; "localhost" is 127.0.0.1. */
static int parse_address(const char *text, union address *ret_address)
{
	union address address = { 0 };
	const char *colon = strrchr(text, ':');
	bool has_brackets = colon && colon - text >= 2 && text[0] == '[' && colon[-1] == ']';
	_cleanup_free_ char *host = NULL;
	in_port_t port;
	int is_read;

	if (!colon || parse_port(colon + 1, &port) < 0)
		return -EINVAL;
	host = has_brackets ? strndup(text + 1, (size_t)(colon - text) - 2)
			    : strndup(text, (size_t)(colon - text));
	if (!host)
		return -ENOMEM;
	if (has_brackets) {
		address.inet6.sin6_family = AF_INET6;
		address.inet6.sin6_port = port;
		is_read = inet_pton(AF_INET6, host, &address.inet6.sin6_addr);
	} else {
		address.inet.sin_family = AF_INET;
		address.inet.sin_port = port;
		is_read = inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host,
				    &address.inet.sin_addr);
	}
	if (is_read != 1)
		return -EINVAL;
	*ret_address = address;
	return 0;
}

static int make_connect_request(const struct options *options, struct request *request)
{
	int r = parse_address(options->object, &request->address);

	if (r < 0)
		log_error("cannot read %s: %s", QUOTED(options->object),
			  r == -EINVAL ? "expected ADDRESS:PORT, such as 192.0.2.1:443 or "
					 "[2001:db8::1]:443"
				       : strerror(-r));
	return r;
}

/* Logs what is wrong. Returns 0 or -errno. */
static int make_request(const struct options *options, struct request *request)
{
	int r;

	if (strcmp(options->verb, "connect") == 0)
		return make_connect_request(options, request);
	request->access = access_of_verb(options->verb);
	if (!request->access) {
		log_error("unknown verb %s; use read, write, execute, letters of these such as rw, "
			  "or connect",
			  QUOTED(options->verb));
		return -EINVAL;
	}
	r = explain_object_resolve(options->object, &request->path);
	if (r < 0)
		log_error("cannot tell which file %s is: %s", QUOTED(options->object),
			  r == -EINVAL ? "it has a \"..\" behind something that does not exist"
				       : strerror(-r));
	return r;
}

/* ---- The answer ---- */

static int compile_policy(const struct options *options, struct diag *diag,
			  struct compiled_policy **ret_compiled)
{
	_cleanup_(identity_freep) struct identity *identity = NULL;
	_cleanup_(policy_freep) struct policy *policy = NULL;
	struct policy_load_request request = {
		.policy = options->policy,
		.policy_paths = (const char *const *)options->policy_paths,
		.allow_open = true, /* Whether it may be in force is for `check` to say. */
		.project = options->project,
	};
	int r;

	r = policy_load_identity(options->user, &identity);
	if (r < 0)
		return r;
	request.identity = identity;
	r = policy_load(&request, diag, &policy);
	if (r < 0)
		return r;
	return policy_compile(policy, diag, ret_compiled);
}

/* Shows what is wrong with the policy. Returns 0 or -errno. */
static int load_policy(const struct options *options, struct compiled_policy **ret_compiled)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct diag diag = { 0 };
	int r = compile_policy(options, &diag, ret_compiled);

	if (r == -ENOMEM || diag.is_out_of_memory) {
		r = -ENOMEM;
		log_error("cannot load %s: out of memory", QUOTED(options->policy));
	} else if (r < 0) {
		diag_format(&diag, &text);
		(void)fputs(strbuf_string(&text), stderr); /* Nowhere else to report it. */
	}
	diag_done(&diag);
	return r;
}

static int explain_request(const struct compiled_policy *policy, const struct request *request,
			   struct explanation *ret_explanation)
{
	_cleanup_known_objects_ struct known_objects objects = { 0 };
	const struct explain_identities identities = { known_objects_find, &objects };
	int r;

	if (!request->path)
		return explain_connect(policy, &request->address, sizeof(request->address),
				       ret_explanation);
	r = known_objects_init(policy, &objects);
	if (r < 0)
		return r;
	return explain_object(policy, request->path, request->access, &identities, ret_explanation);
}

/* struct answer_text - What is printed, in whichever form */
struct answer_text {
	const struct compiled_policy *policy;
	const struct explanation *explanation;
	const char *object;
	const char *verb;
};

static void append_rule(struct strbuf *out, const char *what, const struct rule_source *source)
{
	strbuf_printf(out, "  %-11s", what);
	utf8_append_escaped(out, source->key, strlen(source->key));
	strbuf_append_string(out, "  ");
	utf8_append_escaped(out, source->file, strlen(source->file));
	strbuf_printf(out, ":%u\n", source->line);
}

/* Reasons speak of refusals. */
static const char *answer_sentence(const struct explanation *explanation)
{
	if (explanation->verdict == RF_VERDICT_ASK)
		return "A person decides while the call waits.";
	return event_reason_sentence(event_reason_name(explanation->reason));
}

static void append_text(struct strbuf *out, const struct answer_text *answer)
{
	const struct explanation *explanation = answer->explanation;
	const struct rule_source *sources = answer->policy->sources;

	strbuf_printf(out, "%s: %s ", event_verdict_name(explanation->verdict), answer->verb);
	utf8_append_escaped(out, answer->object, strlen(answer->object));
	strbuf_printf(out, "\n%s\n", answer_sentence(explanation));
	if (explanation->source != RF_NO_SOURCE)
		append_rule(out, "decides", &sources[explanation->source]);
	for (size_t i = 0; i < explanation->n_rules; i++)
		if (explanation->rules[i].source != explanation->source)
			append_rule(out, "is beaten", &sources[explanation->rules[i].source]);
	if (answer->policy->head.is_audit)
		strbuf_append_string(out, "The policy is in audit mode: nothing is refused.\n");
}

static void write_rule(struct json_writer *writer, const char *key,
		       const struct rule_source *source)
{
	_cleanup_strbuf_ struct strbuf place = { 0 };

	strbuf_printf(&place, "%s:%u", source->file, source->line);
	json_write_object_begin(writer, key);
	json_write_string(writer, "key", source->key);
	json_write_string(writer, "source", strbuf_string(&place));
	json_write_object_end(writer);
}

/* Members have the names that they have in events. */
static int append_json(struct strbuf *out, const struct answer_text *answer)
{
	const struct explanation *explanation = answer->explanation;
	const struct rule_source *sources = answer->policy->sources;
	char access[EVENT_ACCESS_SIZE];
	struct json_writer writer;
	int r;

	json_write_init(&writer, out);
	json_write_object_begin(&writer, NULL);
	json_write_string(&writer, "verdict", event_verdict_name(explanation->verdict));
	json_write_string(&writer, "mode", answer->policy->head.is_audit ? "audit" : "enforce");
	json_write_string(&writer, "verb", answer->verb);
	if (explanation->access)
		json_write_string(&writer, "access",
				  event_access_text(explanation->access, access));
	json_write_bytes(&writer, "object", answer->object, strlen(answer->object));
	json_write_string(&writer, "reason", event_reason_name(explanation->reason));
	if (explanation->source != RF_NO_SOURCE)
		write_rule(&writer, "rule", &sources[explanation->source]);
	json_write_array_begin(&writer, "beaten");
	for (size_t i = 0; i < explanation->n_rules; i++)
		if (explanation->rules[i].source != explanation->source)
			write_rule(&writer, NULL, &sources[explanation->rules[i].source]);
	json_write_array_end(&writer);
	json_write_object_end(&writer);
	r = json_write_finish(&writer);
	strbuf_append_byte(out, '\n');
	return r;
}

/* 0 or -errno. */
static int print_answer(const struct answer_text *answer, bool is_json)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	int r = 0;

	if (is_json)
		r = append_json(&out, answer);
	else
		append_text(&out, answer);
	if (r == 0)
		r = strbuf_error(&out);
	if (r < 0)
		return r;
	errno = 0;
	if (fputs(strbuf_string(&out), stdout) < 0 || fflush(stdout) != 0)
		return errno ? -errno : -EIO;
	return 0;
}

static int explain(const struct options *options, const struct request *request)
{
	_cleanup_(compiled_policy_freep) struct compiled_policy *policy = NULL;
	_cleanup_explanation_ struct explanation explanation = { 0 };
	struct answer_text answer = {
		.explanation = &explanation,
		.object = request->path ? request->path : options->object,
		.verb = options->verb,
	};
	int r = load_policy(options, &policy);

	if (r < 0)
		return EXIT_USAGE;
	answer.policy = policy;
	r = explain_request(policy, request, &explanation);
	if (r == 0)
		r = print_answer(&answer, options->is_json);
	if (r < 0) {
		log_error("cannot explain %s: %s", QUOTED(answer.object), strerror(-r));
		return EXIT_USAGE;
	}
	return explanation.verdict == RF_VERDICT_ALLOW ? EXIT_YES : EXIT_NO;
}

/* Ends the list of directories with NULL. */
static int end_policy_paths(struct options *options)
{
	if (!ARRAY_GROW(options->policy_paths, options->n_policy_paths)) {
		log_error("cannot read the command line: out of memory");
		return -ENOMEM;
	}
	options->policy_paths[options->n_policy_paths] = NULL;
	return 0;
}

int cmd_explain(int argc, char **argv)
{
	const struct argp argp = { argp_options, parse_option, "VERB OBJECT", argp_doc, 0, 0, 0 };
	struct options options = { .policy = "default" };
	struct request request = { 0 };
	int code = EXIT_USAGE;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
		return EXIT_USAGE;
	if (end_policy_paths(&options) == 0 && make_request(&options, &request) == 0)
		code = explain(&options, &request);
	free(request.path);
	strings_free(options.policy_paths, options.n_policy_paths);
	return code;
}
