/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* All path rules of a policy as one tree of components. */
#include "compiler/rule_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* What rule_tree.links holds. */
struct link {
	uint32_t parent;
	uint32_t component;
};

void rule_tree_done(struct rule_tree *tree)
{
	intern_done(&tree->component_bytes);
	free(tree->component_rules);
	intern_done(&tree->links);
	free(tree->rules);
	free(tree->components);
	free(tree->positions);
	free(tree->children);
	*tree = (struct rule_tree){ 0 };
}

static int add_component(struct rule_tree *tree, const struct component *component, uint32_t rule,
			 uint32_t *ret_index)
{
	uint32_t n_before = tree->component_bytes.n_items;
	int r = intern_add(&tree->component_bytes, component->bytes, component->size, ret_index);

	if (r < 0 || *ret_index < n_before)
		return r;
	if (!ARRAY_GROW(tree->component_rules, n_before))
		return -ENOMEM;
	tree->component_rules[n_before] = rule;
	return 0;
}

int rule_tree_add(struct rule_tree *tree, const char *pattern, uint32_t rule)
{
	struct component component;
	bool is_tree = false;
	uint32_t position = 0;

	while (pattern_next(&pattern, &component)) {
		struct link link = { .parent = position };
		int r;

		/* A second `**` adds nothing to a first. */
		if (is_tree && component.kind == COMPONENT_TREE)
			continue;
		is_tree = component.kind == COMPONENT_TREE;
		r = add_component(tree, &component, rule, &link.component);
		if (r < 0)
			return r;
		r = intern_add(&tree->links, &link, sizeof(link), &position);
		if (r < 0)
			return r;
		position++;
	}
	if (!ARRAY_GROW(tree->rules, tree->n_rules))
		return -ENOMEM;
	tree->rules[tree->n_rules++] = (struct tree_rule){ position, rule };
	return 0;
}

static int finish_components(struct rule_tree *tree)
{
	tree->n_components = tree->component_bytes.n_items;
	tree->components = calloc(tree->n_components + 1, sizeof(*tree->components));
	if (!tree->components)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->n_components; i++) {
		size_t size;
		const char *bytes = intern_get(&tree->component_bytes, i, &size);

		tree->components[i] = component_parse(bytes, size);
	}
	return 0;
}

/* Fills in one position; its parent is known already. Counts it among the parent's children. */
static void finish_position(struct rule_tree *tree, uint32_t number)
{
	struct tree_position *position = &tree->positions[number];
	struct tree_position *parent;
	enum component_kind kind;
	struct link link;
	size_t size;

	position->any_child = position->tree_child = RULE_TREE_NONE;
	if (number == 0) {
		position->component = RULE_TREE_NONE;
		position->is_exact = true;
		return;
	}
	memcpy(&link, intern_get(&tree->links, number - 1, &size), sizeof(link));
	position->parent = link.parent;
	position->component = link.component;
	parent = &tree->positions[link.parent];
	kind = tree->components[link.component].kind;
	position->is_tree = kind == COMPONENT_TREE;
	position->is_exact = kind == COMPONENT_EXACT && parent->is_exact;
	if (kind == COMPONENT_TREE)
		parent->tree_child = number;
	else if (kind == COMPONENT_ANY)
		parent->any_child = number;
	else
		parent->children++;
}

/* Turns the counts into places: a list ends where the next one starts. */
static void place_lists(struct rule_tree *tree)
{
	uint32_t children = 0, rules = 0;

	for (size_t i = 0; i <= tree->n_positions; i++) {
		struct tree_position *position = &tree->positions[i];

		children += position->children;
		position->children = children;
		rules += position->rules;
		position->rules = rules;
	}
}

/* Puts everything into its list, from the last to the first, so that places become starts. */
static int fill_lists(struct rule_tree *tree)
{
	struct tree_rule *rules = calloc(tree->n_rules + 1, sizeof(*rules));

	if (!rules)
		return -ENOMEM;
	for (size_t i = tree->n_rules; i-- > 0;)
		rules[--tree->positions[tree->rules[i].position].rules] = tree->rules[i];
	free(tree->rules);
	tree->rules = rules;
	for (size_t i = tree->n_positions; i-- > 1;) {
		const struct tree_position *position = &tree->positions[i];
		enum component_kind kind = tree->components[position->component].kind;

		if (kind == COMPONENT_EXACT || kind == COMPONENT_PATTERN)
			tree->children[--tree->positions[position->parent].children] = (uint32_t)i;
	}
	return 0;
}

int rule_tree_finish(struct rule_tree *tree)
{
	int r = finish_components(tree);

	if (r < 0)
		return r;
	tree->n_positions = (size_t)tree->links.n_items + 1;
	tree->positions = calloc(tree->n_positions + 1, sizeof(*tree->positions));
	tree->children = calloc(tree->n_positions, sizeof(*tree->children));
	if (!tree->positions || !tree->children)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->n_positions; i++)
		finish_position(tree, i);
	for (size_t i = 0; i < tree->n_rules; i++)
		tree->positions[tree->rules[i].position].rules++;
	place_lists(tree);
	return fill_lists(tree);
}
