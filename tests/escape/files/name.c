/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Names and paths that are made to confuse. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"
#include "ringfence/limits.h"

#define TEN(text) text text text text text text text text text text
#define DEEP "d/"
/* Deeper than is walked, wherever the case lies. */
#define TOO_DEEP TEN(TEN(DEEP)) TEN(TEN(DEEP)) TEN(TEN(DEEP))
#define NAME_50 "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"
#define NAME_250 NAME_50 NAME_50 NAME_50 NAME_50 NAME_50
#define LONGEST_NAME NAME_250 "x.pem"

_Static_assert(sizeof(TOO_DEEP) / sizeof("d") > RF_MAX_DEPTH, "deeper than the limit");
_Static_assert(sizeof(LONGEST_NAME) == RF_MAX_NAME + 1, "as long as a name can be");

/* ---- Names ---- */

#define HOSTILE(name, file_name, sentence)             \
	OUTSIDER(make_##name)                          \
	{                                              \
		return write_file(file_name, "content\n"); \
	}                                              \
	ESCAPE(name, sentence)                         \
	{                                              \
		return probe(PROBE_READ, file_name);   \
	}

HOSTILE(read_newline, "a\nb.pem", "Read a denied file with a line feed in its name")
DENIED_WITH(read_newline, EACCES, RULE, FILE_OPEN, "project/a\nb.pem", .rule = "**/*.pem",
	    .before = make_read_newline);

HOSTILE(read_escape, "\033[2J\033]0;x\a.pem",
	"Read a denied file with commands for a terminal in its name")
DENIED_WITH(read_escape, EACCES, RULE, FILE_OPEN, "project/\033[2J\033]0;x\a.pem",
	    .rule = "**/*.pem", .before = make_read_escape);

HOSTILE(read_not_utf8, "\xff\xc3.pem", "Read a denied file whose name is not UTF-8")
/* U+FFFD for each byte. */
DENIED_WITH(read_not_utf8, EACCES, RULE, FILE_OPEN, "project/\xef\xbf\xbd\xef\xbf\xbd.pem",
	    .rule = "**/*.pem", .before = make_read_not_utf8);

HOSTILE(read_quotes, "\"},{\"verdict\":\"allow\\.pem",
	"Read a denied file with the syntax of events in its name")
DENIED_WITH(read_quotes, EACCES, RULE, FILE_OPEN, "project/\"},{\"verdict\":\"allow\\.pem",
	    .rule = "**/*.pem", .before = make_read_quotes);

HOSTILE(read_longest_name, LONGEST_NAME, "Read a denied file with the longest name there is")
DENIED_WITH(read_longest_name, EACCES, RULE, FILE_OPEN, "project/" LONGEST_NAME,
	    .rule = "**/*.pem", .before = make_read_longest_name);

HOSTILE(read_as_deleted, "vault/gone (deleted)",
	"Read a hidden file with a name as those of removed files are printed")
DENIED_WITH(read_as_deleted, ENOENT, RULE, FILE_OPEN, "project/vault/gone (deleted)",
	    .rule = "project/vault", .before = make_read_as_deleted);

HOSTILE(read_dots, "vault/...", "Read a hidden file whose name is dots")
DENIED_WITH(read_dots, ENOENT, RULE, FILE_OPEN, "project/vault/...", .rule = "project/vault",
	    .before = make_read_dots);

HOSTILE(read_pattern_alone, ".pem", "Read a file whose name is all that a denied pattern asks for")
DENIED_WITH(read_pattern_alone, EACCES, RULE, FILE_OPEN, "project/.pem", .rule = "**/*.pem",
	    .before = make_read_pattern_alone);

HOSTILE(read_space_after, ".env ", "Read a file whose name is a denied one and a space")
ALLOWED(read_space_after, .before = make_read_space_after);

HOSTILE(read_longer_than_pattern, "a.pem\n", "Read a file whose name goes on after a pattern")
ALLOWED(read_longer_than_pattern, .before = make_read_longer_than_pattern);

/* ---- Paths ---- */

/* Makes the directories of @path, one in the other, and goes there. */
static int go_down(const char *path, int make)
{
	_cleanup_free_ char *copy = strdup(path);
	char *rest = copy, *name;
	int r = copy ? 0 : -ENOMEM;

	while (r == 0 && (name = strsep(&rest, "/")) && *name) {
		if (make)
			r = ATTEMPT(mkdir(name, 0755));
		if (r == 0)
			r = ATTEMPT(chdir(name));
	}
	return r;
}

static int make_below(const char *path, const char *name)
{
	int r = go_down(path, 1);

	return r < 0 ? r : write_file(name, "content\n");
}

static int read_below(const char *path, const char *name)
{
	int r = go_down(path, 0);

	return r < 0 ? r : probe(PROBE_READ, name);
}

ESCAPE(read_too_deep, "Read a file of the project that is deeper than the kernel side walks")
{
	return read_below(TOO_DEEP, "file");
}
OUTSIDER(make_too_deep)
{
	return make_below(TOO_DEEP, "file");
}
DENIED_WITH(read_too_deep, EACCES, UNRESOLVED, FILE_OPEN, "project/" TOO_DEEP "file",
	    .before = make_too_deep);

ESCAPE(remove_too_deep, "Remove a file of the project that is deeper than the kernel side walks")
{
	int r = go_down(TOO_DEEP, 0);

	return r < 0 ? r : ATTEMPT(unlink("file"));
}
/* Outsiders make it root's. */
DENIED_WITH(remove_too_deep, EACCES, UNRESOLVED, FILE_REMOVE, "project/" TOO_DEEP "file",
	    .before = make_too_deep, .not_on = AS_USER);

/* Longer than PATH_MAX. */
#define TOO_LONG TEN(NAME_250 "/") TEN(NAME_250 "/")

ESCAPE(write_too_long_path,
       "Write to a file of the project whose path is longer than any string of it")
{
	int r = go_down(TOO_LONG, 0);

	return r < 0 ? r : probe(PROBE_WRITE, "file");
}
OUTSIDER(make_too_long)
{
	return make_below(TOO_LONG, "file");
}
ALLOWED(write_too_long_path, .before = make_too_long, .not_on = AS_USER);
