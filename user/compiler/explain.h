/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What a compiled policy answers to a request, and why.
 *
 * Runs the decision code of the kernel (verdict.h, symbol.h) over the compiled policy, and keeps
 * the rules it meets on the way. Asks the machine nothing; what it knows of it comes by callback.
 */
#ifndef COMPILER_EXPLAIN_H
#define COMPILER_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/compiled_policy.h"
#include "ringfence/abi.h"

/**
 * struct explain_rule - A rule that matched
 * @source: Index into compiled_policy.sources.
 * @depth:  For a path, the number of components down to the one it matched at, the deepest if it
 *          matched at several. For an address, 0.
 */
struct explain_rule {
	uint32_t source;
	uint32_t depth;
};

/**
 * struct explanation - Zero-initialise to start; explanation_done() to end
 * @verdict, @reason: enum rf_verdict, enum rf_reason.
 * @access:           The one access that decided; 0 for addresses and where no rule was reached.
 * @source:           The rule that decided, or RF_NO_SOURCE.
 * @rules:            All that matched. Of a path: deepest first, then exact before patterns, then
 *                    as in the policy. Of an address: as they take precedence.
 */
struct explanation {
	uint8_t verdict;
	uint8_t reason;
	rf_access_mask access;
	uint32_t source;
	struct explain_rule *rules;
	size_t n_rules;
};

void explanation_done(struct explanation *explanation);
#define _cleanup_explanation_ __attribute__((cleanup(explanation_done)))

/**
 * struct explain_identities - Objects that the policy knows by identity
 * @find: Returns the target of the object at @path if the policy knows it, else zero. Called for
 *        every component from the first one down.
 */
struct explain_identities {
	struct rf_target (*find)(void *context, const char *path);
	void *context;
};

/*
 * @path is absolute, without empty, "." or ".." components and without a trailing slash; else
 * -EINVAL. @identities may be NULL. 0, -EINVAL, -ENAMETOOLONG or -ENOMEM.
 */
int explain_path(const struct compiled_policy *policy, const char *path, rf_access_mask access,
		 const struct explain_identities *identities, struct explanation *ret_explanation);

/* @sockaddr has @size bytes, as given to connect(2). 0 or -ENOMEM. */
int explain_connect(const struct compiled_policy *policy, const void *sockaddr, size_t size,
		    struct explanation *ret_explanation);

#endif
