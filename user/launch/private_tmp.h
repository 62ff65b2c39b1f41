/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The fence's private temporary directory, STATE_DIR/tmp/FENCE_ID.
 *
 * Its parents belong to root and cannot be listed or changed by users, so its path is safe to use.
 * What is in it was made inside the fence: hostile names, modes and depths.
 */
#ifndef LAUNCH_PRIVATE_TMP_H
#define LAUNCH_PRIVATE_TMP_H

#include <stdbool.h>

struct identity;

/*
 * Makes the directory, mode 0700, for the user, and the parents that are missing; the parent of
 * @state_dir ("/var/lib/ringfence") has to be there. Returns 0 and the owned path, -EEXIST if the
 * fence has one already, -EPERM if others may write to a parent, or another error.
 */
int private_tmp_create(const char *state_dir, const char *fence_id,
		       const struct identity *identity, char **ret_path);

/*
 * Removes it with everything in it; follows no symbolic link and enters no other mount. To be
 * called when the fence has no task left. Goes on after an error and returns the first one, or 0.
 */
int private_tmp_remove(const char *state_dir, const char *fence_id);

/* Marks the directory as looked after for as long as the descriptor is open. Returns it, or -errno. */
int private_tmp_lock(const char *path);

/*
 * Removes those that nobody looks after and whose fence is not in use: left behind by a ringfence that
 * was killed.
 */
void private_tmp_remove_stale(const char *state_dir, bool (*is_in_use)(const char *fence_id));

#endif
