/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Policies from text, with the same variables in every test. */
#ifndef TESTS_LIB_POLICY_TEXT_H
#define TESTS_LIB_POLICY_TEXT_H

#include "compiler/policy.h"
#include "compiler/policy_parse.h"

/*
 * home=/home/u, project=/home/u/work, user=u, runtime=/run/user/1000, starred=/a*b and
 * registry:npm=npm.example:4873; no policy path.
 */
extern const struct parse_context policy_text_context;

/*
 * Parses @text under the name "t" and lints it if it is right. Returns the messages, owned: one a
 * line, without "t:" in front. *@ret_policy is NULL if the text is wrong, else owned. Both are NULL
 * when out of memory.
 */
char *policy_text_parse(const char *text, struct policy **ret_policy);

/* ---- For unit tests; each fails the test if it is not so ---- */

/* @text is right and says nothing; the policy is owned. */
struct policy *parse_good(const char *text);
/* What @text gives is just @expected. */
void assert_messages(const char *text, const char *expected);

#endif
