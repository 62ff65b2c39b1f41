/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Path patterns, component by component: what they are made of and which names match.
 *
 * The form is that of struct path_rule.pattern: "/", or components each after a slash.
 */
#ifndef COMPILER_PATTERN_H
#define COMPILER_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum component_kind {
	COMPONENT_EXACT,
	COMPONENT_PATTERN, /* one `*` and other bytes */
	COMPONENT_ANY,     /* `*`: any one component */
	COMPONENT_TREE,    /* `**`: any number of components, none included */
};

/**
 * struct component - One component of a pattern
 * @bytes:       As written, not terminated; borrowed.
 * @prefix_size: COMPONENT_PATTERN: bytes before the `*`.
 * @suffix_size: COMPONENT_PATTERN: bytes after it.
 */
struct component {
	enum component_kind kind;
	const char *bytes;
	size_t size;
	size_t prefix_size;
	size_t suffix_size;
};

struct component component_parse(const char *bytes, size_t size);
bool component_matches(const struct component *component, const char *name, size_t size);

/* Takes the next component off @path, which moves on; false when there is none left. */
bool pattern_next(const char **path, struct component *ret_component);

/* Why no policy may hold this pattern, as the end of a sentence, or NULL. */
const char *pattern_fault(const char *pattern);

#endif
