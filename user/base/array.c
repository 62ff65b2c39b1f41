/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Arrays that grow by one item at a time, and lists of strings. */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *array_grow(void *items, size_t n, size_t item_size)
{
	/* The size is 1, 3, 7, ... items: full when n + 1 is a power of two. */
	if (n & (n + 1))
		return items;
	return reallocarray(items, 2 * n + 1, item_size);
}

int strings_add(char ***strings, size_t *n_strings, const char *string)
{
	char *copy = strdup(string);

	if (!copy || !ARRAY_GROW(*strings, *n_strings)) {
		free(copy);
		return -ENOMEM;
	}
	(*strings)[(*n_strings)++] = copy;
	return 0;
}

bool strings_contain(char *const *strings, size_t n_strings, const char *string)
{
	for (size_t i = 0; i < n_strings; i++)
		if (strcmp(strings[i], string) == 0)
			return true;
	return false;
}

char **strings_free(char **strings, size_t n_strings)
{
	for (size_t i = 0; i < n_strings; i++)
		free(strings[i]);
	free(strings);
	return NULL;
}
