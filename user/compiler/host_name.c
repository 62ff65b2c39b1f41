/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Host names of `egress` keys, in their canonical form. */
#include "compiler/host_name.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MAX_LABEL 63
#define MAX_HOST_NAME 253
#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define HEX_DIGITS DIGITS "abcdef"

static size_t wildcard_size(const char *name)
{
	static const char *const prefixes[] = { "*.", "**.", "=*." };

	for (size_t i = 0; i < ELEMENTSOF(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return strlen(prefixes[i]);
	return 0;
}

/* Why the label may not be, or NULL. */
static const char *label_problem(const char *label, size_t size)
{
	if (size == 0)
		return "a label is empty";
	if (size > MAX_LABEL)
		return "a label is longer than 63 bytes";
	if (memchr(label, '*', size))
		return "a wildcard stands alone in front, as in \"*.host\", \"**.host\", "
		       "\"=*.host\"";
	if (strspn(label, LETTERS DIGITS "-_") < size)
		return "a label holds letters, digits, '-' and '_'";
	if (label[0] == '-' || label[size - 1] == '-')
		return "a label does not start or end with '-'";
	return NULL;
}

/* Whether inet_aton(3) or a browser would take a name that ends in @label for an address. */
static bool is_number(const char *label)
{
	if (label[0] == '0' && label[1] == 'x')
		return label[2 + strspn(label + 2, HEX_DIGITS)] == '\0';
	return label[strspn(label, DIGITS)] == '\0';
}

/* Why the name without its wildcard may not be, or NULL. */
static const char *name_problem(const char *name)
{
	const char *label = name, *problem;
	size_t size;

	for (const char *byte = name; *byte; byte++)
		if ((unsigned char)*byte >= 0x80)
			return "it is not ASCII; write its A-label (\"xn--...\")";
	if (strlen(name) > MAX_HOST_NAME)
		return "it is longer than 253 bytes";
	while (true) {
		size = strcspn(label, ".");
		problem = label_problem(label, size);
		if (problem)
			return problem;
		if (label[size] == '\0')
			break;
		label += size + 1;
	}
	if (is_number(label))
		return "some programs read it as an address; write that as four decimal numbers";
	if (strcmp(label, "localhost") == 0)
		return "it is the machine itself; write \"localhost\" alone";
	return NULL;
}

static void to_lower(char *name)
{
	for (; *name; name++)
		if (*name >= 'A' && *name <= 'Z')
			*name = (char)(*name - 'A' + 'a');
}

int host_name_parse(const char *text, const struct position *position, struct diag *diag,
		    char **ret_name)
{
	_cleanup_free_ char *name = strdup(text);
	size_t wildcard = wildcard_size(text), size = strlen(text);
	const char *problem;

	if (!name)
		return -ENOMEM;
	to_lower(name);
	if (size > wildcard + 1 && name[size - 1] == '.')
		name[size - 1] = '\0';
	problem = name_problem(name + wildcard);
	if (!problem && wildcard && !strchr(name + wildcard, '.'))
		problem = "it covers a whole top-level domain; name more of it";
	if (problem) {
		diag_error(diag, position, "host \"%s\": %s", text, problem);
		return -EINVAL;
	}
	*ret_name = TAKE_PTR(name);
	return 0;
}
