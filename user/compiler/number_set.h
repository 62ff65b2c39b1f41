/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A set of numbers, built by adding in any order and sorting once.
 *
 * Errors stick, as in a struct strbuf: number_set_sort() reports a failed allocation.
 */
#ifndef COMPILER_NUMBER_SET_H
#define COMPILER_NUMBER_SET_H

#include <stddef.h>
#include <stdint.h>

/* @items is NULL or owned, with room for @capacity. Zero-initialise to start. */
struct number_set {
	uint32_t *items;
	size_t n_items;
	size_t capacity;
	int error;
};

void number_set_done(struct number_set *set);
/* Empties it, keeping memory and clearing the error. */
void number_set_reset(struct number_set *set);

void number_set_add(struct number_set *set, uint32_t number);
void number_set_add_all(struct number_set *set, const uint32_t *numbers, size_t n_numbers);
/* Sorts and removes duplicates. 0 or -ENOMEM. */
int number_set_sort(struct number_set *set);

#define _cleanup_number_set_ __attribute__((cleanup(number_set_done)))

#endif
