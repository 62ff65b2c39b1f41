/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* "Did you mean …?" */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/*
 * The one of @candidates that is at most two mistakes away from @word (a byte too many, too few,
 * wrong, or two exchanged; at most one if @word is short), or NULL. The first of equally near ones.
 */
const char *suggest_nearest(const char *word, const char *const *candidates,
			    size_t n_candidates);

#endif
