/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Byte strings, each kept once and known by a number from 0, in the order in which they came.
 */
#ifndef COMPILER_INTERN_H
#define COMPILER_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/**
 * struct intern - Zero-initialise to start
 * @bytes:   All strings, one after the other. If every string of a table is a whole number of
 *           uint32_t long, every string is aligned for them.
 * @ends:    Where each string ends in @bytes.
 * @slots:   Hash table, open addressing: index plus 1, 0 is free.
 * @n_slots: 0 or a power of two, more than @n_items.
 */
struct intern {
	struct strbuf bytes;
	size_t *ends;
	uint32_t n_items;
	uint32_t *slots;
	size_t n_slots;
};

void intern_done(struct intern *table);
/* Finds the string or adds it. 0 or -ENOMEM. */
int intern_add(struct intern *table, const void *bytes, size_t size, uint32_t *ret_index);
bool intern_find(const struct intern *table, const void *bytes, size_t size, uint32_t *ret_index);
/* The string with this index, valid until the next intern_add(). */
const void *intern_get(const struct intern *table, uint32_t index, size_t *ret_size);

#endif
