/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What verdict_same_test asks its program in the kernel. */
#ifndef TESTS_KERNEL_VERDICT_SAME_H
#define TESTS_KERNEL_VERDICT_SAME_H

#include "ringfence/rules.h"

#define VERDICT_SAME_MAX_DEPTH 16

/* struct verdict_same_component - A name, and the target of the object if the policy knows that. */
struct verdict_same_component {
	__u32 len;
	char name[RF_MAX_NAME + 1];
	struct rf_target identity;
};

/**
 * struct verdict_same_request - A path, from the root down, or an address
 * @n_components: In use.
 * @access:       For a path.
 * @sockaddr:     For an address; @sockaddr_size bytes as given to connect(2), zero beyond.
 */
struct verdict_same_request {
	__u32 policy_slot;
	__u32 n_components;
	__u32 access;
	__u32 sockaddr_size;
	__u8 sockaddr[24];
	struct verdict_same_component components[VERDICT_SAME_MAX_DEPTH];
};

#endif
