/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Proof on the running kernel: attempts that succeed outside a fence, made again in a throw-away one.
 */
#ifndef CLI_SELFTEST_H
#define CLI_SELFTEST_H

#include <stdbool.h>

/* X(IDENTIFIER, sentence, errno that it must get in the fence; 0: it must succeed there too) */
#define SELFTEST_ATTEMPTS(X)                                                   \
	X(OPEN_ALLOWED, "open a file that a rule allows", 0)                    \
	X(OPEN_DENIED, "open a file that a rule denies", EACCES)                \
	X(OPEN_HIDDEN, "open a file that a rule hides", ENOENT)                 \
	X(OPEN_UNLISTED, "open a file that no rule names", ENOENT)              \
	X(OPEN_BY_LINK, "open a denied file by another hard link", EACCES)      \
	X(OPEN_IN_CHILD, "open a denied file in a child process", EACCES)       \
	X(EXECUTE_ALLOWED, "execute a program that a rule allows", 0)           \
	X(EXECUTE_DENIED, "execute a program that a rule denies", EACCES)       \
	X(CONNECT_ALLOWED, "connect to an address that a rule allows", 0)       \
	X(CONNECT_UNLISTED, "connect to an address that no rule names", EACCES)

enum selftest_attempt {
#define X(identifier, sentence, expected) SELFTEST_##identifier,
	SELFTEST_ATTEMPTS(X)
#undef X
	SELFTEST_N_ATTEMPTS
};

/**
 * struct selftest_result - One attempt; results are 0 or an errno
 * @outside: Without a fence; must be 0, or the attempt proves nothing.
 * @inside:  In the fence; must be @expected.
 */
struct selftest_result {
	const char *sentence;
	int outside;
	int inside;
	int expected;
};

bool selftest_has_passed(const struct selftest_result *result);

/* Makes all attempts. Needs root. Returns 0, or -errno, logged, if they could not be made. */
int selftest_run(struct selftest_result ret_results[SELFTEST_N_ATTEMPTS]);

#endif
