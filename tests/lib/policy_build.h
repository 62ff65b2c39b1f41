/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Policies built rule by rule, for tests that have no policy file. */
#ifndef TESTS_LIB_POLICY_BUILD_H
#define TESTS_LIB_POLICY_BUILD_H

#include "compiler/policy.h"

/*
 * All return 0 or -ENOMEM. A rule's key is its pattern; its line is its number among all rules of
 * its kind, from 1, in "test.json".
 */

/* @allow and @ask are letters of accesses; the others are refused with @refusal. */
int policy_add_files(struct policy *policy, const char *pattern, const char *allow,
		     const char *ask, enum rf_verdict refusal);
/* @verdict is RF_VERDICT_ALLOW, _ASK, _HIDE or _DENY. */
int policy_add_program(struct policy *policy, const char *pattern, enum rf_verdict verdict);

/* @rule without key and position. */
int policy_add_egress(struct policy *policy, const char *key, struct egress_rule rule);
/* @prefix is "ADDRESS/SIZE" as for IPv4 or IPv6. */
int policy_add_address(struct policy *policy, const char *prefix, uint16_t first_port,
		       uint16_t last_port, enum rf_verdict verdict);

#endif
