/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Reading whole files that may not be what they seem. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

struct stat;
struct strbuf;

/*
 * Appends the bytes of the regular file @path to @out; never waits for a pipe or a terminal.
 * @ret_stat may be NULL. Returns 0, -EFBIG for more than @max_size bytes, -ENODATA for anything
 * but a regular file, or another -errno; @out may then hold a part.
 */
int file_read(const char *path, size_t max_size, struct strbuf *out, struct stat *ret_stat);

#endif
