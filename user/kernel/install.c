/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Compiled policies and fences into the kernel's tables. */
#include "kernel/install.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "compiler/compiled_policy.h"
#include "kernel/anchors.h"
#include "kernel/identify.h"
#include "kernel/loader.h"
#include "ringfence.skel.h"

/**
 * struct table - One table of a policy: where it goes and what is in it
 * @outer:      The map of all policies' tables of this kind.
 * @entries:    @n_entries of @stride bytes, each a key, then at @value_at a value. For arrays, values
 *              alone: the index is the key.
 */
struct table {
	const char *name;
	struct bpf_map *outer;
	enum bpf_map_type type;
	uint32_t key_size;
	uint32_t value_size;
	uint32_t flags;
	const void *entries;
	size_t n_entries;
	size_t stride;
	size_t value_at;
};

#define KEYED_TABLE(map, kind, array, count, map_flags)                             \
	{                                                                            \
		.name = #map, .outer = skeleton->maps.map, .type = (kind),          \
		.key_size = sizeof((array)->key), .value_size = sizeof((array)->value), \
		.flags = (map_flags), .entries = (array), .n_entries = (count),     \
		.stride = sizeof(*(array)),                                          \
		.value_at = offsetof(__typeof__(*(array)), value),                   \
	}

/* Every key is new, so that as many entries are in the table as were put there. */
static int fill_table(const struct table *table, int map_fd)
{
	for (uint32_t i = 0; i < table->n_entries; i++) {
		const char *entry = (const char *)table->entries + i * table->stride;
		bool is_array = table->type == BPF_MAP_TYPE_ARRAY;
		int r;

		r = bpf_map_update_elem(map_fd, is_array ? (const void *)&i : entry,
					entry + table->value_at, is_array ? BPF_ANY : BPF_NOEXIST);
		if (r < 0)
			return r;
	}
	return 0;
}

static int install_table(const struct table *table, uint32_t slot)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = table->flags);
	uint32_t capacity = table->n_entries ? (uint32_t)table->n_entries : 1;
	_cleanup_close_ int fd = bpf_map_create(table->type, table->name, table->key_size,
						table->value_size, capacity, &options);
	int r = fd < 0 ? fd : fill_table(table, fd);

	if (r == 0)
		r = bpf_map_update_elem(bpf_map__fd(table->outer), &slot, &fd, BPF_ANY);
	if (r < 0)
		log_error("cannot fill the table %s of the policy with %zu entries: %s", table->name,
			  table->n_entries, strerror(-r));
	return r;
}

static int install_tables(struct loader *loader, const struct compiled_policy *policy,
			  const struct anchor_table *anchors, uint32_t slot)
{
	struct ringfence_bpf *skeleton = loader_skeleton(loader);
	const struct table tables[] = {
		KEYED_TABLE(rf_edges, BPF_MAP_TYPE_HASH, policy->edges, policy->n_edges, 0),
		KEYED_TABLE(rf_classes, BPF_MAP_TYPE_HASH, policy->classes, policy->n_classes, 0),
		KEYED_TABLE(rf_short_names, BPF_MAP_TYPE_HASH, policy->short_names,
			    policy->n_short_names, 0),
		KEYED_TABLE(rf_long_names, BPF_MAP_TYPE_HASH, policy->long_names,
			    policy->n_long_names, 0),
		KEYED_TABLE(rf_identities, BPF_MAP_TYPE_HASH, anchors->entries, anchors->n_entries,
			    0),
		KEYED_TABLE(rf_addresses, BPF_MAP_TYPE_LPM_TRIE, policy->prefixes,
			    policy->n_prefixes, BPF_F_NO_PREALLOC),
		{ .name = "rf_rules",
		  .outer = skeleton->maps.rf_rules,
		  .type = BPF_MAP_TYPE_ARRAY,
		  .key_size = sizeof(uint32_t),
		  .value_size = sizeof(*anchors->rules),
		  .flags = BPF_F_INNER_MAP,
		  .entries = anchors->rules,
		  .n_entries = anchors->n_rules,
		  .stride = sizeof(*anchors->rules) },
	};
	int r = 0;

	for (size_t i = 0; i < ELEMENTSOF(tables) && r == 0; i++)
		r = install_table(&tables[i], slot);
	return r;
}

int install_policy(struct loader *loader, const struct compiled_policy *policy, uint32_t slot,
		   uint64_t generation, struct anchor_table **ret_anchors)
{
	_cleanup_(anchor_table_freep) struct anchor_table *anchors = NULL;
	struct rf_policy head = policy->head;
	int policies_fd = bpf_map__fd(loader_skeleton(loader)->maps.rf_policies);
	int r;

	/* While the head is missing, the slot is refused as a whole. */
	r = bpf_map_delete_elem(policies_fd, &slot);
	if (r < 0 && r != -ENOENT)
		return r;
	r = anchor_table_build(loader, policy, &anchors);
	if (r < 0) {
		log_error("cannot find the objects that the policy names: %s", strerror(-r));
		return r;
	}
	r = install_tables(loader, policy, anchors, slot);
	if (r < 0)
		return r;
	head.generation = generation;
	head.slot = slot;
	r = bpf_map_update_elem(policies_fd, &slot, &head, BPF_NOEXIST);
	if (r < 0) {
		log_error("cannot put the policy into force: %s", strerror(-r));
		return r;
	}
	*ret_anchors = TAKE_PTR(anchors);
	return 0;
}

static int identify_root(struct loader *loader, struct rf_object_id *ret_root)
{
	_cleanup_close_ int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct rf_identify answer;
	int r;

	if (fd < 0)
		return -errno;
	r = identify_fd(loader, fd, &answer);
	if (r == 0)
		*ret_root = answer.object;
	return r;
}

int install_fence(struct loader *loader, uint32_t slot, struct rf_fence *fence)
{
	struct ringfence_bpf *skeleton = loader_skeleton(loader);
	struct rf_label label = { .cookie = fence->cookie, .slot = slot };
	int r;

	r = identify_root(loader, &fence->root);
	if (r == 0)
		r = bpf_map_update_elem(bpf_map__fd(skeleton->maps.rf_fences), &slot, fence, BPF_ANY);
	if (r == 0)
		r = bpf_map_update_elem(bpf_map__fd(skeleton->maps.rf_cgroups), &fence->cgroup, &label,
					BPF_NOEXIST);
	if (r < 0)
		log_error("cannot put the fence into force: %s", strerror(-r));
	return r;
}
