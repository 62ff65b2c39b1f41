/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Rules of several files to one list: of equal keys the last one stays. */
#include "compiler/policy_merge.h"

#include <errno.h>
#include <string.h>

/* struct rule_type - What merging needs to know of a kind of rule */
struct rule_type {
	size_t size;
	size_t key_offset;
	size_t position_offset;
	int (*compare)(const void *left, const void *right);
	void (*done)(void *rule);
};

static const char *key_of(const struct rule_type *type, const void *rule)
{
	return *(char *const *)((const char *)rule + type->key_offset);
}

static const struct position *position_of(const struct rule_type *type, const void *rule)
{
	return (const struct position *)((const char *)rule + type->position_offset);
}

/* ---- Kinds of rules ---- */

static int compare_numbers(unsigned int a, unsigned int b)
{
	return (a > b) - (a < b);
}

static int compare_paths(const void *left, const void *right)
{
	const struct path_rule *a = left, *b = right;

	return strcmp(a->pattern, b->pattern);
}

static int compare_sockets(const void *left, const void *right)
{
	const struct socket_rule *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static int compare_destinations(const void *left, const void *right)
{
	const struct egress_rule *a = left, *b = right;
	int order = compare_numbers(a->kind, b->kind);

	if (order == 0 && a->host && b->host)
		order = strcmp(a->host, b->host);
	if (order == 0)
		order = memcmp(a->address, b->address, sizeof(a->address));
	if (order == 0)
		order = compare_numbers(a->prefix_size, b->prefix_size);
	if (order == 0)
		order = compare_numbers(a->first_port, b->first_port);
	if (order == 0)
		order = compare_numbers(a->last_port, b->last_port);
	return order;
}

static void path_done(void *rule)
{
	path_rule_done(rule);
}

static void socket_done(void *rule)
{
	socket_rule_done(rule);
}

static void egress_done(void *rule)
{
	egress_rule_done(rule);
}

#define RULE_TYPE(type, compare_function, done_function)            \
	{                                                           \
		.size = sizeof(struct type),                        \
		.key_offset = offsetof(struct type, key),           \
		.position_offset = offsetof(struct type, position), \
		.compare = compare_function,                        \
		.done = done_function,                              \
	}

static const struct rule_type path_type = RULE_TYPE(path_rule, compare_paths, path_done);
static const struct rule_type socket_type = RULE_TYPE(socket_rule, compare_sockets, socket_done);
static const struct rule_type egress_type =
	RULE_TYPE(egress_rule, compare_destinations, egress_done);

/* ---- Merging ---- */

/* By key; rules of the same key in their order, which is that of their addresses. */
static int compare_in_order(const void *left, const void *right, void *type)
{
	const void *a = *(void *const *)left, *b = *(void *const *)right;
	int order = ((const struct rule_type *)type)->compare(a, b);

	return order ? order : (a > b) - (a < b);
}

static int sort(const struct rule_type *type, char *rules, size_t n_rules, char ***ret_sorted)
{
	char **sorted = reallocarray(NULL, n_rules, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n_rules; i++)
		sorted[i] = rules + i * type->size;
	qsort_r(sorted, n_rules, sizeof(*sorted), compare_in_order, (void *)type);
	*ret_sorted = sorted;
	return 0;
}

/* Moves the rules that still have a key together. */
static size_t close_gaps(const struct rule_type *type, char *rules, size_t n_rules)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < n_rules; i++) {
		char *rule = rules + i * type->size;

		if (!key_of(type, rule))
			continue;
		memmove(rules + n_kept * type->size, rule, type->size);
		n_kept++;
	}
	return n_kept;
}

static int merge(const struct rule_type *type, void *rules, size_t *n_rules, struct diag *diag)
{
	_cleanup_free_ char **sorted = NULL;
	int r;

	if (*n_rules < 2)
		return 0;
	r = sort(type, rules, *n_rules, &sorted);
	if (r < 0)
		return r;
	for (size_t i = 1; i < *n_rules; i++) {
		char *rule = sorted[i - 1], *later = sorted[i];
		const struct position *position = position_of(type, later);

		if (type->compare(rule, later) != 0)
			continue;
		if (position_of(type, rule)->file == position->file)
			diag_error(diag, position, "\"%s\" is the same as \"%s\" on line %u",
				   key_of(type, later), key_of(type, rule),
				   position_of(type, rule)->line);
		/* The rule was compared with its successor last, so it can go now. */
		type->done(rule);
		memset(rule, 0, type->size);
	}
	*n_rules = close_gaps(type, rules, *n_rules);
	return 0;
}

int policy_merge(struct policy *policy, struct diag *diag)
{
	int r;

	r = merge(&path_type, policy->files_rules, &policy->n_files_rules, diag);
	if (r == 0)
		r = merge(&path_type, policy->program_rules, &policy->n_program_rules, diag);
	if (r == 0)
		r = merge(&egress_type, policy->egress_rules, &policy->n_egress_rules, diag);
	if (r == 0)
		r = merge(&socket_type, policy->socket_rules, &policy->n_socket_rules, diag);
	return r;
}
