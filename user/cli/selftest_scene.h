/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the self-test tries to reach: files in a directory of its own, and two local ports. */
#ifndef CLI_SELFTEST_SCENE_H
#define CLI_SELFTEST_SCENE_H

#include <stdint.h>

struct strbuf;

#define SELFTEST_PATH_SIZE 64

/**
 * struct selftest_scene - Paths below @directory, which has one directory for each kind
 * @link:      Another name of @denied, beside @allowed.
 * @listeners: Sockets that accept on @allowed_port and @unlisted_port.
 */
struct selftest_scene {
	char directory[SELFTEST_PATH_SIZE];
	char allowed[SELFTEST_PATH_SIZE];
	char denied[SELFTEST_PATH_SIZE];
	char hidden[SELFTEST_PATH_SIZE];
	char unlisted[SELFTEST_PATH_SIZE];
	char link[SELFTEST_PATH_SIZE];
	char program[SELFTEST_PATH_SIZE];
	char denied_program[SELFTEST_PATH_SIZE];
	uint16_t allowed_port;
	uint16_t unlisted_port;
	int listeners[2];
};

/* Returns 0 or -errno; to be removed in either case. */
int selftest_scene_make(struct selftest_scene *ret_scene);
void selftest_scene_remove(struct selftest_scene *scene);

/* Appends the text of the policy. */
void selftest_scene_policy(const struct selftest_scene *scene, struct strbuf *out);

#endif
