/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * From the anchors of a policy to identities of the objects that are there.
 *
 * A path is followed through symbolic links only where no fence under this policy could have placed
 * them: a link planted in a project must not lend the project's rights to what it points to.
 */
#ifndef KERNEL_ANCHORS_H
#define KERNEL_ANCHORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "ringfence/abi.h"

struct compiled_policy;
struct loader;

struct identity_entry {
	struct rf_object_id key;
	struct rf_target value;
};

/**
 * struct anchor_table - Contents of the identity table, and the rules it needs
 * @entries: Sorted by key, without duplicates.
 * @rules:   Those of the policy, then the ones merged for objects that several anchors lead to.
 * @fds:     Descriptors of objects whose file system has no generations (overlayfs, 9p). While they are
 *           open, here or in a child, no new file gets the number of a removed one, and with it its
 *           rights. Keep the table as long as the policy is in force.
 */
struct anchor_table {
	struct identity_entry *entries;
	size_t n_entries;
	struct rf_rules *rules;
	size_t n_rules;
	int *fds;
	size_t n_fds;
};

/* Returns 0 or -errno. What does not exist is left out. */
int anchor_table_build(struct loader *loader, const struct compiled_policy *policy,
		       struct anchor_table **ret_table);

struct anchor_table *anchor_table_free(struct anchor_table *table);
DEFINE_CLEANUP(struct anchor_table, anchor_table_free)

#endif
