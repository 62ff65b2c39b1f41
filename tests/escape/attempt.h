/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What attacks are built from, beside lib/probe.h. Everything returns 0 or -errno; what is said to
 * return a descriptor returns that or -errno.
 */
#ifndef ESCAPE_ATTEMPT_H
#define ESCAPE_ATTEMPT_H

#include <errno.h>
#include <stdbool.h>

#include "lib/probe.h"

/* For system calls: -1 with errno as -errno, everything else as success. */
#define ATTEMPT(call) ((call) < 0 ? -errno : 0)

/* The absolute path of what is at @path below the case's directory; the last of them is valid. */
const char *absolute(const char *path);

/* Reads a byte, of a directory an entry. Closes @fd, which may be an error: it is passed on. */
int read_and_close(int fd);

/* By a descriptor of O_PATH, which no hook sees being made. */
int open_as_name(const char *path);
/* The link in /proc of @fd; the last of them is valid. */
const char *link_of(int fd);

int write_file(const char *path, const char *text);
int make_script(const char *path, const char *first_line);
int copy_file(const char *from, const char *to);

/* Runs a program until its end: 0 if that was a success, -EACCES if it was not. */
int run_program(char *const argv[], char *const envp[]);

/* The loader of this machine's programs. */
extern const char loader_path[];
/* Makes a small library at @path. */
int make_library(const char *path);
/* Whether a library of this name was loaded into this program; for --has-loaded. */
bool has_loaded(const char *name);

#endif
