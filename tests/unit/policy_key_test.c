/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Keys of policy files: paths, variables, hosts, addresses, ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "lib/policy_text.h"

/* ---- Paths ---- */

static void paths_are_normalised(void **state)
{
	static const char *const cases[][2] = {
		{ "/", "/" },
		{ "/a", "/a" },
		{ "/a/b/", "/a/b" },
		{ "${project}", "/home/u/work" },
		{ "${home}/.cache/${user}", "/home/u/.cache/u" },
		{ "**/.env", "/**/.env" },
		{ "/a/**/b", "/a/**/b" },
		{ "/a/*/b*c", "/a/*/b*c" },
		{ "/a/...", "/a/..." },
		{ "/a/$b", "/a/$b" },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_(policy_freep) struct policy *policy = NULL;
		_cleanup_free_ char *text = NULL;

		assert_true(asprintf(&text, "{\"programs\": {\"%s\": \"deny\"}}", cases[i][0]) > 0);
		policy = parse_good(text);
		assert_string_equal(policy->program_rules[0].pattern, cases[i][1]);
		assert_string_equal(policy->program_rules[0].key, cases[i][0]);
	}
}

static void bad_paths_are_refused_with_the_right_one(void **state)
{
	static const char *const cases[][2] = {
		{ "", "\"\" is not absolute; did you mean \"${project}/\", or \"**/\" for the name "
		      "anywhere?" },
		{ "src", "\"src\" is not absolute; did you mean \"${project}/src\", or \"**/src\" for "
			 "the name anywhere?" },
		{ "~", "\"~\": write \"${home}\"" },
		{ "~/.ssh", "\"~/.ssh\": write \"${home}/.ssh\"" },
		{ "$HOME/x", "\"$HOME/x\": write \"${home}/x\"" },
		{ "/a//b", "\"/a//b\": write \"/a/b\"" },
		{ "/a/./b", "\"/a/./b\": write \"/a/b\"" },
		{ "/./", "\"/./\": write \"/\"" },
		{ "/a/../b", "\"/a/../b\": \"..\" is not followed here; write the path it leads to" },
		{ "${home}/..", "\"/home/u/..\": \"..\" is not followed here; write the path it leads "
				"to" },
		{ "/a/**", "\"/a/**\": write \"/a\"" },
		{ "/**/**/b", "\"/**/**/b\": write \"/**/b\"" },
		{ "**", "\"**\" is not absolute; did you mean \"${project}/**\", or \"**/**\" for the "
			"name anywhere?" },
		{ "/a*b*", "\"/a*b*\": a component may have one `*`, or be `**`" },
		{ "/a/***", "\"/a/***\": a component may have one `*`, or be `**`" },
		{ "/0123456789012345*678901234567890", "\"/0123456789012345*678901234567890\": a "
						       "component with a `*` may have 31 bytes" },
		{ "${nope}/x", "unknown variable ${nope}" },
		{ "${hme}/x", "unknown variable ${hme}; did you mean ${home}?" },
		{ "${}/x", "unknown variable ${}" },
		{ "${home/x", "\"${home/x\" has no '}'" },
		{ "${tmp}/x", "${tmp} has no value here: there is no temporary directory" },
		{ "${starred}", "the value of ${starred}, \"/a*b\", holds a '*'; rename it" },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_free_ char *text = NULL, *expected = NULL;

		assert_true(asprintf(&text, "{\"files\": {\n\"%s\": \"r\"}}", cases[i][0]) > 0);
		assert_true(asprintf(&expected, "2:1: error: %s\n", cases[i][1]) > 0);
		assert_messages(text, expected);
	}
	assert_messages("{\"files\": {\"/a[b]?\": \"r\"}}",
			"1:12: warning: \"/a[b]?\": '?', '[' and '{' are ordinary bytes here; only '*' "
			"is a pattern\n");
}

static void long_and_deep_paths_are_refused(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_(policy_freep) struct policy *policy = NULL;
	_cleanup_free_ char *messages = NULL;

	(void)state;
	strbuf_append_string(&text, "{\"programs\": {\"");
	for (int i = 0; i < 257; i++)
		strbuf_append_string(&text, "/d");
	strbuf_append_string(&text, "\": \"deny\",\n\"/");
	for (int i = 0; i < 256; i++)
		strbuf_append_byte(&text, 'n');
	strbuf_append_string(&text, "\": \"deny\",\n\"");
	for (int i = 0; i < 205; i++)
		strbuf_append_string(&text, "/0123456789012345678");
	strbuf_append_string(&text, "\": \"deny\"}}");
	messages = policy_text_parse(strbuf_string(&text), &policy);
	assert_non_null(messages);
	assert_non_null(strstr(messages, "/d\": nothing is found deeper than 256 directories\n"));
	assert_non_null(strstr(messages, "n\": a component may have 255 bytes\n"));
	assert_non_null(strstr(messages, "5678\": a path may have 4095 bytes\n"));
}

/* ---- Egress ---- */

static void egress_keys_are_taken_apart(void **state)
{
	static const struct {
		const char *key;
		enum egress_kind kind;
		const char *name; /* host or, of an address, its text */
		unsigned int prefix_size, first_port, last_port;
	} cases[] = {
		{ "a.test", EGRESS_HOST, "a.test", 0, 443, 443 },
		{ "A_b-1.TEST.", EGRESS_HOST, "a_b-1.test", 0, 443, 443 },
		{ "intranet", EGRESS_HOST, "intranet", 0, 443, 443 },
		{ "*.a.test", EGRESS_HOST, "*.a.test", 0, 443, 443 },
		{ "**.A.test:22", EGRESS_HOST, "**.a.test", 0, 22, 22 },
		{ "=*.a.test:*", EGRESS_HOST, "=*.a.test", 0, 0, 65535 },
		{ "a.test:1-65535", EGRESS_HOST, "a.test", 0, 1, 65535 },
		{ "${registry:npm}", EGRESS_HOST, "npm.example", 0, 4873, 4873 },
		{ "localhost", EGRESS_LOCALHOST, NULL, 0, 0, 65535 },
		{ "LocalHost:3000-3999", EGRESS_LOCALHOST, NULL, 0, 3000, 3999 },
		{ "10.1.2.3", EGRESS_ADDRESS, "::ffff:10.1.2.3", 128, 0, 65535 },
		{ "10.1.0.0/16:5432", EGRESS_ADDRESS, "::ffff:10.1.0.0", 112, 5432, 5432 },
		{ "::1", EGRESS_ADDRESS, "::1", 128, 0, 65535 },
		{ "fd00::/8", EGRESS_ADDRESS, "fd00::", 8, 0, 65535 },
		{ "[fd00::1]:80", EGRESS_ADDRESS, "fd00::1", 128, 80, 80 },
		{ "[fd00::/64]:80-90", EGRESS_ADDRESS, "fd00::", 64, 80, 90 },
		{ "[fd00::1]", EGRESS_ADDRESS, "fd00::1", 128, 0, 65535 },
		{ "::ffff:10.0.0.1", EGRESS_ADDRESS, "::ffff:10.0.0.1", 128, 0, 65535 },
		{ "*", EGRESS_ANY, NULL, 0, 0, 65535 },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_(policy_freep) struct policy *policy = NULL;
		_cleanup_free_ char *text = NULL;
		const struct egress_rule *rule;
		uint8_t address[16] = { 0 };

		assert_true(asprintf(&text, "{\"egress\": {\"%s\": \"ask\"}}", cases[i].key) > 0);
		policy = parse_good(text);
		assert_int_equal(policy->n_egress_rules, 1);
		rule = &policy->egress_rules[0];
		assert_int_equal(rule->kind, cases[i].kind);
		assert_int_equal(rule->verdict, RF_VERDICT_ASK);
		assert_int_equal(rule->first_port, cases[i].first_port);
		assert_int_equal(rule->last_port, cases[i].last_port);
		assert_int_equal(rule->prefix_size, cases[i].prefix_size);
		assert_string_equal(rule->key, cases[i].key);
		if (rule->kind == EGRESS_HOST)
			assert_string_equal(rule->host, cases[i].name);
		if (rule->kind == EGRESS_ADDRESS)
			assert_int_equal(inet_pton(AF_INET6, cases[i].name, address), 1);
		assert_memory_equal(rule->address, address, sizeof(address));
	}
}

static void several_ports_are_several_rules(void **state)
{
	_cleanup_(policy_freep) struct policy *policy =
		parse_good("{\"egress\": {\"a.test:443,22,8000-8100\": \"allow\"}}");

	(void)state;
	assert_int_equal(policy->n_egress_rules, 3);
	assert_int_equal(policy->egress_rules[1].first_port, 22);
	assert_int_equal(policy->egress_rules[2].last_port, 8100);
	assert_string_equal(policy->egress_rules[2].host, "a.test");
	assert_ptr_not_equal(policy->egress_rules[1].host, policy->egress_rules[2].host);
}

static void bad_egress_keys_are_refused(void **state)
{
#define PORTS ": after ':' stand ports from 1 to 65535 as in \"443\", \"443,22\", \"3000-3999\" or \"*\""
#define NUMERIC ": some programs read it as an address; write that as four decimal numbers"
#define WILDCARD ": a wildcard stands alone in front, as in \"*.host\", \"**.host\", \"=*.host\""
	static const char *const cases[][2] = {
		{ "https://a.test/x?y", "\"https://a.test/x?y\" is a URL; write the host alone: "
					"\"a.test\"" },
		{ "a.test/x", "\"a.test/x\" is neither an address nor a host; no path follows a host" },
		{ "0x7f.1", "host \"0x7f.1\"" NUMERIC },
		{ "2130706433", "host \"2130706433\"" NUMERIC },
		{ "127.1", "host \"127.1\"" NUMERIC },
		{ "127.0.0.1.", "host \"127.0.0.1.\"" NUMERIC },
		{ "0177.0.0.1", "host \"0177.0.0.1\"" NUMERIC },
		{ "a.0X7F", "host \"a.0X7F\"" NUMERIC },
		{ "1.2.3.256", "host \"1.2.3.256\"" NUMERIC },
		{ "", "host \"\": a label is empty" },
		{ ".", "host \".\": a label is empty" },
		{ "a..test", "host \"a..test\": a label is empty" },
		{ "a.test..", "host \"a.test..\": a label is empty" },
		{ "-a.test", "host \"-a.test\": a label does not start or end with '-'" },
		{ "a+b.test", "host \"a+b.test\": a label holds letters, digits, '-' and '_'" },
		{ "b\xc3\xbc.test", "host \"b\xc3\xbc.test\": it is not ASCII; write its A-label "
				    "(\"xn--...\")" },
		{ "a b.test", "\"a b.test\": spaces, '%' and '@' have no place in a host" },
		{ "u@a.test", "\"u@a.test\": spaces, '%' and '@' have no place in a host" },
		{ "fe80::1%eth0", "\"fe80::1%eth0\": spaces, '%' and '@' have no place in a host" },
		{ "*.test", "host \"*.test\": it covers a whole top-level domain; name more of it" },
		{ "**.test.", "host \"**.test.\": it covers a whole top-level domain; name more of it" },
		{ "*.*", "host \"*.*\"" WILDCARD },
		{ "a.*.test", "host \"a.*.test\"" WILDCARD },
		{ "*a.test", "host \"*a.test\"" WILDCARD },
		{ "x.localhost", "host \"x.localhost\": it is the machine itself; write \"localhost\" "
				 "alone" },
		{ "*:443", "\"*\" takes no ports" },
		{ "a.test:", "\"a.test:\"" PORTS },
		{ "a.test:0", "\"a.test:0\"" PORTS },
		{ "a.test:65536", "\"a.test:65536\"" PORTS },
		{ "a.test:9-8", "\"a.test:9-8\"" PORTS },
		{ "a.test:080", "\"a.test:080\"" PORTS },
		{ "a.test:1,", "\"a.test:1,\"" PORTS },
		{ "a.test:1,*", "\"a.test:1,*\"" PORTS },
		{ "10.1.2.3/16", "\"10.1.2.3/16\" has bits set beyond its prefix; write "
				 "\"10.1.0.0/16\"" },
		{ "fe80::1/64", "\"fe80::1/64\" has bits set beyond its prefix; write \"fe80::/64\"" },
		{ "10.0.0.0/33", "\"10.0.0.0/33\": after '/' stands a length of up to 32 bits" },
		{ "10.0.0.0/", "\"10.0.0.0/\": after '/' stands a length of up to 32 bits" },
		{ "[fd00::1", "\"[fd00::1\": write \"[ADDRESS]:PORT\"" },
		{ "[fd00::1]80", "\"[fd00::1]80\": write \"[ADDRESS]:PORT\"" },
		{ "[1.2.3.4]:80", "\"1.2.3.4\" is not an IPv6 address" },
		{ "1:2:3", "\"1:2:3\" is not an IPv6 address" },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_free_ char *text = NULL, *expected = NULL;

		assert_true(asprintf(&text, "{\"egress\": {\n \"%s\": \"deny\"}}", cases[i][0]) > 0);
		assert_true(asprintf(&expected, "2:2: error: %s\n", cases[i][1]) > 0);
		assert_messages(text, expected);
	}
}

static void long_host_names_are_refused(void **state)
{
#define LABEL_63 "a23456789012345678901234567890123456789012345678901234567890123"
#define HOST_253 LABEL_63 "." LABEL_63 "." LABEL_63 ".a2345678901234567890123456789012345678901234567890123456789.b"
	(void)state;
	policy_free(parse_good("{\"egress\": {\"" HOST_253 "\": \"deny\"}}"));
	assert_messages("{\"egress\": {\"a" HOST_253 "\": \"deny\"}}",
			"1:13: error: host \"a" HOST_253 "\": it is longer than 253 bytes\n");
	assert_messages("{\"egress\": {\"a" LABEL_63 ".test\": \"deny\"}}",
			"1:13: error: host \"a" LABEL_63 ".test\": a label is longer than 63 bytes\n");
}

static void the_whole_network_is_opened_on_purpose_only(void **state)
{
	static const char *const keys[] = { "*", "0.0.0.0/0", "::/0", "::ffff:0:0/96" };
	struct parse_context open = policy_text_context;

	(void)state;
	open.allow_open = true;
	for (size_t i = 0; i < ELEMENTSOF(keys); i++) {
		_cleanup_(diag_done) struct diag diag = { 0 };
		_cleanup_(policy_freep) struct policy *policy = NULL;
		_cleanup_free_ char *text = NULL, *expected = NULL;

		assert_true(asprintf(&text, "{\"egress\": {\"%s\": \"allow\"}}", keys[i]) > 0);
		assert_true(asprintf(&expected,
				     "1:13: error: \"%s\": \"allow\" opens the whole network; name what is "
				     "needed, or accept it with --allow-open\n", keys[i]) > 0);
		assert_messages(text, expected);
		assert_int_equal(policy_parse_text("t", text, strlen(text), &open, &diag, &policy), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_normalised),
		cmocka_unit_test(bad_paths_are_refused_with_the_right_one),
		cmocka_unit_test(long_and_deep_paths_are_refused),
		cmocka_unit_test(egress_keys_are_taken_apart),
		cmocka_unit_test(several_ports_are_several_rules),
		cmocka_unit_test(bad_egress_keys_are_refused),
		cmocka_unit_test(long_host_names_are_refused),
		cmocka_unit_test(the_whole_network_is_opened_on_purpose_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
