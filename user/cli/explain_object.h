/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The object of `explain`: which one a path names here, and what the policy knows it as. */
#ifndef CLI_EXPLAIN_OBJECT_H
#define CLI_EXPLAIN_OBJECT_H

#include <stddef.h>

#include "base/cleanup.h"
#include "compiler/explain.h"

/*
 * Makes @path absolute and follows symbolic links as far as it exists; what does not exist stays as
 * written. Returns 0 and an owned path in the form that explain_path() takes, -EINVAL if there is
 * a ".." behind something that does not exist, -ENOMEM, or the error of realpath(3).
 */
int explain_object_resolve(const char *path, char **ret_path);

/*
 * Decides on the object at @path, as explain_path() does, on both roads that lead to it: through the
 * mounts, and past the lowest bind mount on the way.
 */
int explain_object(const struct compiled_policy *policy, const char *path, rf_access_mask access,
		   const struct explain_identities *identities,
		   struct explanation *ret_explanation);

struct known_object;

/* struct known_objects - Those of a policy's anchors that exist */
struct known_objects {
	struct known_object *items;
	size_t n_items;
};

void known_objects_done(struct known_objects *objects);
#define _cleanup_known_objects_ _cleanup_(known_objects_done)

/* 0 or -ENOMEM. */
int known_objects_init(const struct compiled_policy *policy, struct known_objects *ret_objects);
/* For struct explain_identities; @context is the struct known_objects. */
struct rf_target known_objects_find(void *context, const char *path);

#endif
