/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The other road to an object below a bind mount: its path in the file system that is mounted there.
 *
 * The kernel decides on both roads; it follows dentries, which has no limits. Here it can only be told
 * where the whole file system, or enough of it, is mounted as well.
 */
#ifndef CLI_MOUNT_ROAD_H
#define CLI_MOUNT_ROAD_H

/*
 * @path is absolute and canonical. Returns 0 and an owned path, or NULL if there is no bind mount on the
 * way or no other mount that shows the object; -ENOMEM, or the error of reading the table of mounts.
 */
int mount_road_find(const char *path, char **ret_path);

#endif
