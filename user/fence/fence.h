/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A fence: an id, a cgroup, a policy in force, and the names that its events need.
 */
#ifndef FENCE_FENCE_H
#define FENCE_FENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct compiled_policy;
struct fence;
struct fence_names;
struct loader;
struct membership;
struct policy;
struct rf_counters;
struct ring_reader;

/* Room for the text of a fence's id. */
#define FENCE_ID_SIZE 17

/* struct fence_identity - The number the kernel knows a fence by, and its text. */
struct fence_identity {
	uint64_t cookie;
	char id[FENCE_ID_SIZE];
};

/* Draws a new one. Returns 0 or -errno. */
int fence_identity_draw(struct fence_identity *ret_identity);

/**
 * struct fence_request - What to make; all borrowed for the fence's life
 * @slot: Fence slot, which nothing else uses.
 * @name: What the person calls it.
 * @is_recording: Its allowed activity is sent too.
 */
struct fence_request {
	struct fence_identity identity;
	uint32_t slot;
	const char *name;
	bool is_recording;
	const struct policy *policy;
	const struct compiled_policy *compiled;
};

/*
 * Makes the fence, with nobody in it. Its name and rules are in @names from here on. Returns 0 or
 * -errno, logged.
 */
int fence_new(struct loader *loader, const struct fence_request *request,
	      struct fence_names *names, struct fence **ret_fence);

struct membership *fence_membership(struct fence *fence);
uint32_t fence_slot(const struct fence *fence);
uint64_t fence_cookie(const struct fence *fence);

/* Puts a process into it that has one thread and no children. Returns 0 or -errno, logged. */
int fence_add(struct fence *fence, pid_t pid, int pid_fd);

/* Ends it: to be called when no task is left. Accepts NULL, returns NULL. */
struct fence *fence_free(struct fence *fence);
DEFINE_CLEANUP(struct fence, fence_free)

#endif
