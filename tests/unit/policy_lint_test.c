/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Warnings about policies that are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/strbuf.h"
#include "compiler/policy_lint.h"
#include "lib/policy_text.h"

static void assert_warnings(const char *text, const char *expected)
{
	_cleanup_(policy_freep) struct policy *policy = NULL;
	_cleanup_free_ char *messages = policy_text_parse(text, &policy);

	assert_non_null(policy);
	assert_string_equal(messages, expected);
}

static void ordinary_policies_get_no_warning(void **state)
{
	(void)state;
	assert_warnings(
		"{\"files\": {\"${project}\": \"rwx\", \"${home}/.ssh\": \"hide\", \"/etc/shadow\": "
		"\"deny\", \"**/.aws\": \"hide\", \"${home}/.sshd\": \"r\", \"/etc/shadow.d\": \"r\", "
		"\"${home}/.ssh/known_hosts\": \"r\", \"${home}/.ssh/config\": \"r\", \"/\": \"hide\", "
		"\"${home}/.ssh/deploy\": {\"programs\": [\"/usr/bin/ssh\"], \"for\": \"10m\"}},\n"
		" \"egress\": {\"*.a.test\": \"allow\", \"10.0.0.0/8\": \"allow\", \"fd12::/16\": "
		"\"allow\", \"0.0.0.0/0\": \"deny\", \"*\": \"ask\"},\n"
		" \"sockets\": {\"${runtime}/docker.sock\": \"deny\", \"/run/docker.socket\": \"allow\"}}",
		"");
}

static void opened_credentials_are_warned_about(void **state)
{
	(void)state;
	assert_warnings("{\"files\": {\"${home}/.ssh\": \"r\",\n\"${home}/.ssh/id_test\": \"w\",\n"
			"\"**/.aws/config\": {\"allow\": \"r\", \"else\": \"hide\"},\n\"/etc/shadow\": \"rw\",\n"
			"\"/\": \"r\"}}",
			"1:12: warning: \"${home}/.ssh\" opens credentials (/.ssh) to everything in the fence\n"
			"2:1: warning: \"${home}/.ssh/id_test\" opens credentials (/.ssh) to everything in "
			"the fence\n"
			"3:1: warning: \"**/.aws/config\" opens credentials (/.aws) to everything in the "
			"fence\n"
			"4:1: warning: \"/etc/shadow\" opens credentials (/etc/shadow) to everything in the "
			"fence\n"
			"5:1: warning: \"/\" opens every file that no deeper rule refuses\n");
}

static void wide_egress_is_warned_about(void **state)
{
	(void)state;
	assert_warnings("{\"egress\": {\"8.0.0.0/7\": \"allow\",\n\"2000::/3\": \"allow\",\n"
			"\"169.254.0.0/16\": \"allow\",\n\"[fd00:ec2::254]:80\": \"allow\"}}",
			"1:13: warning: \"8.0.0.0/7\" opens a large part of the network\n"
			"2:1: warning: \"2000::/3\" opens a large part of the network\n"
			"3:1: warning: \"169.254.0.0/16\" holds 169.254.169.254, where clouds hand out "
			"credentials\n"
			"4:1: warning: \"[fd00:ec2::254]:80\" holds fd00:ec2::254, where clouds hand out "
			"credentials\n");
}

static void an_open_network_is_warned_about(void **state)
{
	static const char text[] = "{\"egress\": {\"*\": \"allow\"}}";
	const struct parse_context open = { .allow_open = true };
	_cleanup_(diag_done) struct diag diag = { 0 };
	_cleanup_(policy_freep) struct policy *policy = NULL;
	_cleanup_strbuf_ struct strbuf out = { 0 };

	(void)state;
	assert_int_equal(policy_parse_text("t", text, strlen(text), &open, &diag, &policy), 0);
	policy_lint(policy, &diag);
	diag_format(&diag, &out);
	assert_string_equal(strbuf_string(&out), "t:1:13: warning: the whole network is open\n");
}

static void sockets_of_powerful_servers_are_warned_about(void **state)
{
	(void)state;
	assert_warnings("{\"sockets\": {\"/var/run/docker.sock\": \"allow\",\n\"${runtime}/bus\": "
			"\"allow\"}}",
			"1:14: warning: the server behind \"/var/run/docker.sock\" can act outside the "
			"fence for anyone\n"
			"2:1: warning: the server behind \"${runtime}/bus\" can act outside the fence for "
			"anyone\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_policies_get_no_warning),
		cmocka_unit_test(opened_credentials_are_warned_about),
		cmocka_unit_test(wide_egress_is_warned_about),
		cmocka_unit_test(an_open_network_is_warned_about),
		cmocka_unit_test(sockets_of_powerful_servers_are_warned_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
