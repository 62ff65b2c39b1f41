/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Byte strings, each kept once. */
#include "compiler/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void intern_done(struct intern *table)
{
	strbuf_done(&table->bytes);
	free(table->ends);
	free(table->slots);
	*table = (struct intern){ 0 };
}

/* FNV-1a. What is hashed comes from the policy, which no fence may write. */
static uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;
	uint64_t hash = 0xcbf29ce484222325U;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3U;
	return hash ^ hash >> 32;
}

const void *intern_get(const struct intern *table, uint32_t index, size_t *ret_size)
{
	size_t start = index ? table->ends[index - 1] : 0;

	*ret_size = table->ends[index] - start;
	return strbuf_string(&table->bytes) + start;
}

/* The slot that holds the string, or the free one where it belongs. */
static uint32_t *find_slot(const struct intern *table, const void *bytes, size_t size)
{
	size_t i = hash_bytes(bytes, size) & (table->n_slots - 1);

	while (table->slots[i]) {
		size_t other_size;
		const void *other = intern_get(table, table->slots[i] - 1, &other_size);

		if (other_size == size && memcmp(other, bytes, size) == 0)
			break;
		i = (i + 1) & (table->n_slots - 1);
	}
	return &table->slots[i];
}

/* Keeps a quarter of the slots free, so that probing stays short. */
static int reserve_slots(struct intern *table)
{
	struct intern larger = *table;

	if ((size_t)table->n_items + 1 < table->n_slots - table->n_slots / 4)
		return 0;
	larger.n_slots = table->n_slots ? table->n_slots * 2 : 64;
	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->n_items; i++) {
		size_t size;
		const void *bytes = intern_get(table, i, &size);

		*find_slot(&larger, bytes, size) = i + 1;
	}
	free(table->slots);
	*table = larger;
	return 0;
}

int intern_add(struct intern *table, const void *bytes, size_t size, uint32_t *ret_index)
{
	uint32_t *slot;

	if (reserve_slots(table) < 0)
		return -ENOMEM;
	slot = find_slot(table, bytes, size);
	if (!*slot) {
		if (table->n_items == UINT32_MAX - 1 || !ARRAY_GROW(table->ends, table->n_items))
			return -ENOMEM;
		strbuf_append(&table->bytes, bytes, size);
		if (strbuf_error(&table->bytes) < 0)
			return -ENOMEM;
		table->ends[table->n_items] = table->bytes.size;
		*slot = ++table->n_items;
	}
	*ret_index = *slot - 1;
	return 0;
}

bool intern_find(const struct intern *table, const void *bytes, size_t size, uint32_t *ret_index)
{
	uint32_t *slot;

	if (!table->n_slots)
		return false;
	slot = find_slot(table, bytes, size);
	if (!*slot)
		return false;
	*ret_index = *slot - 1;
	return true;
}
