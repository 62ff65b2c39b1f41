/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A set of numbers. */
#include "compiler/number_set.h"

#include <errno.h>
#include <stdlib.h>

void number_set_done(struct number_set *set)
{
	free(set->items);
	*set = (struct number_set){ 0 };
}

void number_set_reset(struct number_set *set)
{
	set->n_items = 0;
	set->error = 0;
}

void number_set_add(struct number_set *set, uint32_t number)
{
	if (set->error)
		return;
	if (set->n_items == set->capacity) {
		size_t capacity = set->capacity ? 2 * set->capacity : 16;
		uint32_t *items = reallocarray(set->items, capacity, sizeof(*items));

		if (!items) {
			set->error = -ENOMEM;
			return;
		}
		set->items = items;
		set->capacity = capacity;
	}
	set->items[set->n_items++] = number;
}

void number_set_add_all(struct number_set *set, const uint32_t *numbers, size_t n_numbers)
{
	for (size_t i = 0; i < n_numbers; i++)
		number_set_add(set, numbers[i]);
}

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

int number_set_sort(struct number_set *set)
{
	size_t n_unique = 0;

	if (set->error)
		return set->error;
	if (set->n_items > 1)
		qsort(set->items, set->n_items, sizeof(*set->items), compare_numbers);
	for (size_t i = 0; i < set->n_items; i++)
		if (!n_unique || set->items[i] != set->items[n_unique - 1])
			set->items[n_unique++] = set->items[i];
	set->n_items = n_unique;
	return 0;
}
