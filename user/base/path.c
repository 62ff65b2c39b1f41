/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Paths as text. */
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

bool path_is_within(const char *path, const char *directory)
{
	size_t size = strlen(directory);

	if (strcmp(directory, "/") == 0)
		return path[0] == '/';
	return strncmp(path, directory, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

char *path_join(const char *directory, const char *name)
{
	_cleanup_strbuf_ struct strbuf joined = { 0 };

	if (name[0] != '/') {
		strbuf_append_string(&joined, directory);
		strbuf_append_byte(&joined, '/');
	}
	strbuf_append_string(&joined, name);
	return strbuf_take(&joined);
}

char *path_beside(const char *file, const char *name)
{
	_cleanup_strbuf_ struct strbuf joined = { 0 };
	const char *slash = strrchr(file, '/');

	if (slash && name[0] != '/')
		strbuf_append(&joined, file, (size_t)(slash - file) + 1);
	strbuf_append_string(&joined, name);
	return strbuf_take(&joined);
}
