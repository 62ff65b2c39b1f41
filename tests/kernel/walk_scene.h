/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What walk_test walks on: the same tree on each file system, one policy for all of them, and a process
 * outside that sees them in a mount namespace of its own.
 */
#ifndef TESTS_KERNEL_WALK_SCENE_H
#define TESTS_KERNEL_WALK_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Names around the limits of the name tables, and at that of the kernel; rules for names deny the first
 * three. */
#define NAME31 "sssssssssssssssssssssssssssssss"
#define NAME32 NAME31 "t"
#define NAME255 NAME31 NAME32 NAME32 NAME32 NAME32 NAME32 NAME32 NAME32
#define OTHER255 NAME31 NAME32 NAME32 NAME32 NAME32 NAME32 NAME32 NAME31 "o"
/* What a terminal and a parser would stumble over. */
#define HOSTILE_NAME "line\nfeed \033[2J \"quote\" \\ \xc3\xa4"

/**
 * struct scene - A tree, on one file system
 * @has_handles:     Its files can be opened by handle.
 * @has_generations: It tells a new file from a removed one with the same number.
 */
struct scene {
	const char *path;
	bool has_handles;
	bool has_generations;
};

#define N_SCENES 5
extern const struct scene scenes[N_SCENES];

/* All of these give up if something cannot be made. */
void scenes_make(void);
/* What somebody outside does while the fence is there. */
void scenes_change(void);
/* The policy, into a file. @program is the file of the probe. */
void scenes_write_policy(const char *path, const char *program);

/* The path of a file with @depth components in all, made with its directories; owned. */
char *scene_make_deep(const struct scene *scene, unsigned int depth);

/**
 * struct holder - The process in another mount namespace
 * @mount_fds: Its descriptors of detached mounts of /project/open, one of each scene.
 */
struct holder {
	pid_t pid;
	int mount_fds[N_SCENES];
};

void holder_start(struct holder *ret_holder);

#endif
