/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A fence's cgroup, and who is in it.
 *
 * Fences live side by side in CGROUP_MOUNT/ringfence, outside every subtree that is delegated to a
 * user. Logs what fails.
 */
#ifndef KERNEL_MEMBERSHIP_H
#define KERNEL_MEMBERSHIP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "ringfence/abi.h"

struct loader;
struct membership;

/**
 * struct membership_request - What the cgroup is to be
 * @id:         Name of the fence.
 * @max_tasks, @max_memory: 0: no limit.
 */
struct membership_request {
	const char *id;
	uint64_t max_tasks;
	uint64_t max_memory;
};

/* Makes the cgroup. Returns 0 or -errno, logged. */
int membership_create(struct loader *loader, const struct membership_request *request,
		      struct membership **ret_membership);

/* Id of the cgroup as programs see it. */
uint64_t membership_cgroup(const struct membership *membership);
/* The fence's cgroup.kill, open for writing; borrowed. */
int membership_kill_fd(const struct membership *membership);

/*
 * Labels the process and puts it into the cgroup, in this order: from the first of the two on it is
 * a subject. The process must have one thread and no children. Returns 0 or -errno, logged.
 */
int membership_add(struct membership *membership, struct loader *loader,
		   const struct rf_label *label, pid_t pid, int pid_fd);

/* Whether a task is in it. */
bool membership_is_populated(const struct membership *membership);
/* Kills every task in it and waits up to @timeout_ms for their end. Returns 0 or -ETIMEDOUT. */
int membership_kill(struct membership *membership, int timeout_ms);

/* Removes the cgroup, if it is empty. Accepts NULL, returns NULL. */
struct membership *membership_free(struct membership *membership);
DEFINE_CLEANUP(struct membership, membership_free)

/* Removes pins and cgroups that runs left behind which were killed. */
void membership_remove_stale(void);

/* Whether the fence @id has a task, or somebody who looks after it. */
bool membership_is_in_use(const char *id);

#endif
