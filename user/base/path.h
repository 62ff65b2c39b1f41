/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Paths as text; nothing here looks at the file system. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/* Whether @path is @directory or below it; both absolute and normalised. */
bool path_is_within(const char *path, const char *directory);

/* @directory/@name; an absolute @name stands for itself. Owned; NULL when out of memory. */
char *path_join(const char *directory, const char *name);

/*
 * Joins @name to the directory that holds the file @file; an absolute @name stands for itself.
 * Owned; NULL when out of memory.
 */
char *path_beside(const char *file, const char *name);

#endif
