/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Arrays that grow by one item at a time, and lists of strings. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes room for one more item after the first @n of @items, an array that has only ever grown by
 * this function. Returns the array, which may have moved, or NULL when out of memory; @items is
 * unchanged then.
 */
void *array_grow(void *items, size_t n, size_t item_size);

/* The same on an array variable in place; whether there is room now. */
#define ARRAY_GROW(items, n)                                                  \
	({                                                                    \
		__typeof__(items) _grown = array_grow((items), (n), sizeof(*(items))); \
		if (_grown)                                                   \
			(items) = _grown;                                     \
		_grown != NULL;                                               \
	})

/* Appends a copy of @string to a list grown by this function. 0 or -ENOMEM. */
int strings_add(char ***strings, size_t *n_strings, const char *string);
bool strings_contain(char *const *strings, size_t n_strings, const char *string);
/* Frees the list and its strings. Returns NULL. */
char **strings_free(char **strings, size_t n_strings);

#endif
