/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The fence's own mounts: its temporary directory in place of everybody's. */
#ifndef LAUNCH_PRIVATE_MOUNTS_H
#define LAUNCH_PRIVATE_MOUNTS_H

struct identity;

/*
 * Gives the calling process a mount namespace in which @tmp_dir is on /tmp and /var/tmp. @project
 * (absolute, without symbolic links; NULL: none) stays where it is, even below one of these.
 */
int private_mounts_install(const char *tmp_dir, const char *project,
			   const struct identity *identity);

#endif
