/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Policies from text, with the same variables in every test. */
#include "lib/policy_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "compiler/policy_lint.h"

static const char *const variables[] = {
	"home=/home/u",
	"project=/home/u/work",
	"user=u",
	"runtime=/run/user/1000",
	"starred=/a*b",
	"registry:npm=npm.example:4873",
	NULL,
};

const struct parse_context policy_text_context = { .variables = variables };

static char *format_messages(const struct diag *diag)
{
	_cleanup_strbuf_ struct strbuf all = { 0 }, out = { 0 };
	const char *line, *end;

	diag_format(diag, &all);
	for (line = strbuf_string(&all); *line; line = end + 1) {
		end = strchr(line, '\n');
		if (strncmp(line, "t:", 2) == 0)
			line += 2;
		strbuf_append(&out, line, (size_t)(end - line) + 1);
	}
	return strbuf_take(&out);
}

char *policy_text_parse(const char *text, struct policy **ret_policy)
{
	_cleanup_(diag_done) struct diag diag = { 0 };
	int r;

	*ret_policy = NULL;
	r = policy_parse_text("t", text, strlen(text), &policy_text_context, &diag, ret_policy);
	if (r == -ENOMEM)
		return NULL;
	if (r == 0)
		policy_lint(*ret_policy, &diag);
	return format_messages(&diag);
}

struct policy *parse_good(const char *text)
{
	struct policy *policy;
	_cleanup_free_ char *messages = policy_text_parse(text, &policy);

	assert_non_null(messages);
	assert_string_equal(messages, "");
	assert_non_null(policy);
	return policy;
}

void assert_messages(const char *text, const char *expected)
{
	_cleanup_(policy_freep) struct policy *policy = NULL;
	_cleanup_free_ char *messages = policy_text_parse(text, &policy);

	assert_non_null(messages);
	assert_string_equal(messages, expected);
}
