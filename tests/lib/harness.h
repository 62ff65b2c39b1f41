/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Results of the tests that run as root in the VM, as TAP. */
#ifndef TESTS_LIB_HARNESS_H
#define TESTS_LIB_HARNESS_H

#include <stdbool.h>

/* One result: "ok N - SENTENCE" or "not ok N - SENTENCE". Returns @passed. */
bool harness_ok(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line of explanation, "# TEXT". */
void harness_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Something without which no result means anything: says so and exits with 1. */
_Noreturn void harness_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "N passed, N failed". Returns what main() is to return. */
int harness_end(void);

#endif
