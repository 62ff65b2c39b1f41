/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* "Did you mean …?" */
#include "base/suggest.h"

#include <string.h>

/* Longer words get no suggestion. */
#define MAX_WORD 63
#define MAX_MISTAKES 2

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Optimal string alignment distance of two words of at most MAX_WORD bytes. */
static size_t count_mistakes(const char *a, const char *b)
{
	size_t rows[3][MAX_WORD + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	size_t a_size = strlen(a), b_size = strlen(b);

	for (size_t j = 0; j <= b_size; j++)
		above[j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t *unused = before;

		row[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			row[j] = smallest(above[j] + 1, row[j - 1] + 1,
					  above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smallest(row[j], row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = unused;
	}
	return above[b_size];
}

const char *suggest_nearest(const char *word, const char *const *candidates,
			    size_t n_candidates)
{
	size_t size = strlen(word);
	/* Half of a short word wrong is another word. */
	size_t least = size > 4 ? MAX_MISTAKES + 1 : MAX_MISTAKES;
	const char *nearest = NULL;

	if (size > MAX_WORD)
		return NULL;
	for (size_t i = 0; i < n_candidates; i++) {
		size_t mistakes;

		if (strlen(candidates[i]) > MAX_WORD)
			continue;
		mistakes = count_mistakes(word, candidates[i]);
		if (mistakes < least && mistakes < size) {
			least = mistakes;
			nearest = candidates[i];
		}
	}
	return nearest;
}
