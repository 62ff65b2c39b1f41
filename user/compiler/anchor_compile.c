/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Paths whose objects the policy knows by identity: all exact beginnings of its patterns. */
#include "compiler/compilation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/host_tables.h"

/* Adds the anchor below @parent for the exact @component; both are known already. */
static int add_anchor(const struct compilation *compilation, const struct anchor *parent,
		      uint32_t component)
{
	struct compiled_policy *compiled = compilation->compiled;
	const struct component *name = &compilation->tree.components[component];
	const struct rf_tables tables = { compiled };
	struct anchor anchor = { 0 };

	if (!rf_follow(&tables, parent->target.next, compilation->symbols.of_component[component],
		       &anchor.target))
		return -EINVAL;
	if (asprintf(&anchor.path, "%s/%.*s", strcmp(parent->path, "/") == 0 ? "" : parent->path,
		     (int)name->size, name->bytes) < 0)
		return -ENOMEM;
	compiled->anchors[compiled->n_anchors++] = anchor;
	return 0;
}

static int compare_anchors(const void *left, const void *right)
{
	const struct anchor *a = left, *b = right;

	return strcmp(a->path, b->path);
}

/* A position comes after its parent, so the parent's anchor is there. */
static int add_anchors(const struct compilation *compilation, uint32_t *anchor_of_position)
{
	const struct rule_tree *tree = &compilation->tree;
	struct compiled_policy *compiled = compilation->compiled;
	int r = 0;

	for (uint32_t i = 1; r == 0 && i < tree->n_positions; i++) {
		const struct tree_position *position = &tree->positions[i];

		if (!position->is_exact)
			continue;
		anchor_of_position[i] = (uint32_t)compiled->n_anchors;
		r = add_anchor(compilation,
			       &compiled->anchors[anchor_of_position[position->parent]],
			       position->component);
	}
	return r;
}

int compile_anchors(struct compilation *compilation)
{
	struct compiled_policy *compiled = compilation->compiled;
	size_t n_positions = compilation->tree.n_positions;
	_cleanup_free_ uint32_t *anchor_of_position = calloc(n_positions,
							     sizeof(*anchor_of_position));
	int r;

	compiled->anchors = calloc(n_positions, sizeof(*compiled->anchors));
	if (!anchor_of_position || !compiled->anchors)
		return -ENOMEM;
	compiled->anchors[0].path = strdup("/");
	if (!compiled->anchors[0].path)
		return -ENOMEM;
	compiled->anchors[0].target = compiled->head.start;
	compiled->n_anchors = 1;
	r = add_anchors(compilation, anchor_of_position);
	if (r == 0)
		qsort(compiled->anchors, compiled->n_anchors, sizeof(*compiled->anchors),
		      compare_anchors);
	return r;
}
