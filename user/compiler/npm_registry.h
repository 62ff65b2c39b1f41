/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which package registry a user's npm is configured with. */
#ifndef COMPILER_NPM_REGISTRY_H
#define COMPILER_NPM_REGISTRY_H

#include <stddef.h>

/*
 * Finds the last `registry = URL` in the text of an npmrc file. Returns 0 and an owned "HOST" or
 * "HOST:PORT", or NULL if the text sets none that names a host; -ENOMEM.
 */
int npm_registry_parse(const char *text, char **ret_host);

#endif
