/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What a policy answers, computed slowly and straight from the words of the precedence rule.
 *
 * Shares no code with the compiler and the decision: each rule is matched against each beginning of
 * the path, and precedence is applied rule against rule.
 */
#ifndef TESTS_LIB_REFERENCE_MODEL_H
#define TESTS_LIB_REFERENCE_MODEL_H

#include "compiler/policy.h"

/**
 * struct reference_answer - Verdict for a request
 * @access: The first access with that verdict; 0 for addresses.
 * @source: Among `files`, `programs`, `egress` in this order; UINT32_MAX if no rule decided.
 */
struct reference_answer {
	enum rf_verdict verdict;
	rf_access_mask access;
	uint32_t source;
};

/**
 * struct reference_alias - An object known by identity, found elsewhere
 * @depth: Component of the asked path, from 1, that is the object.
 * @path:  Where the policy knows it.
 */
struct reference_alias {
	uint32_t depth;
	const char *path;
};

/* @path is absolute and normalised. @alias may be NULL. */
struct reference_answer reference_path(const struct policy *policy, const char *path,
				       rf_access_mask access,
				       const struct reference_alias *alias);

/* @address is IPv6, or IPv4 mapped. Rules for hosts are left out. */
struct reference_answer reference_address(const struct policy *policy, const uint8_t address[16],
					  uint16_t port);

#endif
