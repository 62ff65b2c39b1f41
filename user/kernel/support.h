/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What the running kernel offers: which hooks exist with the prototype that the programs are written
 * for, and what is lost without one.
 *
 * Asks BTF and never the version: prototypes have changed within a stable series. That a program can
 * really be attached only the loader shows, since a kernel may refuse LSM programs for other reasons.
 */
#ifndef KERNEL_SUPPORT_H
#define KERNEL_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct hook - One hook that ringfence attaches to
 * @name:     Of the LSM hook.
 * @program:  Of the program, as in the object.
 * @n_params: That the kernel's prototype must have.
 * @class:    What a fence cannot stop without it, for messages.
 */
struct hook {
	const char *name;
	const char *program;
	unsigned int n_params;
	const char *class;
};

extern const struct hook support_hooks[];
extern const size_t support_n_hooks;

enum hook_state {
	HOOK_PRESENT,
	HOOK_MISSING,
	HOOK_CHANGED, /* the prototype is another one; the arguments would be misread */
};

/**
 * struct support - Result of the probe
 * @error:   0, or -errno of reading the kernel's types.
 * @has_lsm: "bpf" is in the kernel's list of security modules, or the list cannot be read.
 * @hooks:   By index of support_hooks.
 */
struct support {
	int error;
	bool has_lsm;
	enum hook_state hooks[32];
};

void support_probe(struct support *ret_support);
/* Whether everything is there. If not, each thing that is missing is logged as an error. */
bool support_is_complete(const struct support *support);

#endif
