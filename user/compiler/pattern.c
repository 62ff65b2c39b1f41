/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Path patterns, component by component. */
#include "compiler/pattern.h"

#include <string.h>

#include "ringfence/limits.h"

struct component component_parse(const char *bytes, size_t size)
{
	struct component component = { .kind = COMPONENT_EXACT, .bytes = bytes, .size = size };
	const char *star = memchr(bytes, '*', size);

	if (!star)
		return component;
	if (size == 1) {
		component.kind = COMPONENT_ANY;
	} else if (size == 2 && bytes[0] == '*' && bytes[1] == '*') {
		component.kind = COMPONENT_TREE;
	} else {
		component.kind = COMPONENT_PATTERN;
		component.prefix_size = (size_t)(star - bytes);
		component.suffix_size = size - 1 - component.prefix_size;
	}
	return component;
}

bool component_matches(const struct component *component, const char *name, size_t size)
{
	const char *suffix = component->bytes + component->prefix_size + 1;

	switch (component->kind) {
	case COMPONENT_EXACT:
		return size == component->size && memcmp(name, component->bytes, size) == 0;
	case COMPONENT_PATTERN:
		return size >= component->prefix_size + component->suffix_size &&
		       memcmp(name, component->bytes, component->prefix_size) == 0 &&
		       memcmp(name + size - component->suffix_size, suffix,
			      component->suffix_size) == 0;
	case COMPONENT_ANY:
	case COMPONENT_TREE:
		return true;
	}
	return false;
}

bool pattern_next(const char **path, struct component *ret_component)
{
	const char *start = *path + strspn(*path, "/");
	size_t size = strcspn(start, "/");

	*path = start + size;
	if (!size)
		return false;
	*ret_component = component_parse(start, size);
	return true;
}

static const char *component_fault(const struct component *component)
{
	const char *star = memchr(component->bytes, '*', component->size);
	size_t rest_size = star ? component->size - 1 - (size_t)(star - component->bytes) : 0;

	if (component->kind == COMPONENT_TREE)
		return NULL;
	if (star && memchr(star + 1, '*', rest_size))
		return "a component may have one `*`, or be `**`";
	if (component->kind == COMPONENT_PATTERN && component->size > RF_MAX_PATTERN)
		return "a component with a `*` may have 31 bytes";
	if (component->size > RF_MAX_NAME)
		return "a component may have 255 bytes";
	return NULL;
}
_Static_assert(RF_MAX_PATTERN == 31 && RF_MAX_NAME == 255, "the messages above name the limits");

const char *pattern_fault(const char *pattern)
{
	struct component component;
	const char *fault = NULL;

	if (pattern[0] != '/')
		return "a path starts with `/`";
	if (strlen(pattern) > RF_MAX_PATH)
		return "a path may have 4095 bytes";
	while (!fault && pattern_next(&pattern, &component))
		fault = component_fault(&component);
	return fault;
}
_Static_assert(RF_MAX_PATH == 4095, "the message above names the limit");
