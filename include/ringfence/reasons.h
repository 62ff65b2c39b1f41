/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Why a request was decided as it was: the one list of reasons.
 *
 * X(IDENTIFIER, name, sentence). The name is what events and `explain` print; the sentence is
 * what a person or an agent reads.
 */
#ifndef RINGFENCE_REASONS_H
#define RINGFENCE_REASONS_H

#define RF_REASONS(X)                                                                              \
	X(NONE, "none", "Nothing refused it.")                                                      \
	X(RULE, "rule", "A rule of the policy refuses it.")                                         \
	X(UNLISTED, "unlisted", "No rule of the policy names it.")                                  \
	X(PROGRAM, "program", "A program rule of the policy refuses to execute it.")                \
	X(UNRESOLVED, "unresolved",                                                                 \
	  "It cannot be traced to a known root: too deep, detached, or on an unknown mount.")       \
	X(ADDRESS, "address", "An egress rule of the policy refuses this address.")                 \
	X(UNLISTED_ADDRESS, "unlisted-address", "No egress rule of the policy allows this address.") \
	X(FAMILY, "family", "A fence may not use this family of sockets.")                          \
	X(MALFORMED, "malformed", "The address is too short or of an unknown form.")                \
	X(GUARDS, "guards", "Something below it is protected under its present name.")              \
	X(NO_POLICY, "no-policy", "The policy of the fence is missing or incomplete.")

enum rf_reason {
#define X(identifier, name, sentence) RF_REASON_##identifier,
	RF_REASONS(X)
#undef X
	RF_N_REASONS
};

#endif
