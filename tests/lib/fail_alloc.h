/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Makes one allocation fail, after SQLite's method: the first of a run, then the second, and so on
 * until a run gets by without meeting the failing one.
 *
 * Works by FAIL_ALLOC_LDFLAGS of the Makefile, which put the functions below between the objects of
 * the program and the C library (also a sanitizer's). Allocations inside the library do not count.
 */
#ifndef TESTS_LIB_FAIL_ALLOC_H
#define TESTS_LIB_FAIL_ALLOC_H

#include <stddef.h>

/*
 * Calls @run until no allocation of it fails. Returns the number of allocations that were made to
 * fail, or a negative number: what @run returned that is neither -ENOMEM, nor 0 although an
 * allocation failed, nor 0 in the end.
 */
int fail_alloc_each(int (*run)(void *context), void *context);

#endif
