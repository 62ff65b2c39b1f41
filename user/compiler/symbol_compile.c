/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* From the components of a policy to symbols: name tables, shapes, sets of patterns. */
#include "compiler/compilation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NO_SET UINT32_MAX

/* struct named - A component and its number in the tree. */
struct named {
	const struct component *component;
	uint32_t number;
};

/**
 * struct pattern_set - Patterns that one name can match together
 * @parent:         The set without @pattern, or NO_SET.
 * @pattern:        The member that comes last in the order of shapes, so the one that says most
 *                  about how the name starts.
 * @longest_suffix: The member that says most about how it ends.
 *
 * Its symbol is first_set plus its index.
 */
struct pattern_set {
	uint32_t parent;
	const struct named *pattern;
	const struct component *longest_suffix;
};

/* struct move - A name with @symbol matches @component. */
struct move {
	uint32_t component;
	rf_symbol symbol;
};

struct symbol_compiler {
	struct compilation *compilation;
	struct named *exact;
	size_t n_exact;
	struct named *patterns; /* in the order of shapes */
	size_t n_patterns;
	struct pattern_set *sets;
	size_t n_sets;
	rf_symbol first_set;
	struct move *moves;
	size_t n_moves;
};

static void symbol_compiler_done(struct symbol_compiler *compiler)
{
	free(compiler->exact);
	free(compiler->patterns);
	free(compiler->sets);
	free(compiler->moves);
}

static int compare_bytes(const struct component *a, const struct component *b)
{
	int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);

	return order ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_exact(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	return compare_bytes(a->component, b->component);
}

static int compare_shapes(const struct component *a, const struct component *b)
{
	if (a->prefix_size != b->prefix_size)
		return a->prefix_size < b->prefix_size ? -1 : 1;
	return (a->suffix_size > b->suffix_size) - (a->suffix_size < b->suffix_size);
}

static int compare_patterns(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = compare_shapes(a->component, b->component);

	return order ? order : compare_bytes(a->component, b->component);
}

/* Sorts components by what they are, so that the order of rules changes no symbol. */
static int collect_components(struct symbol_compiler *compiler)
{
	const struct rule_tree *tree = &compiler->compilation->tree;

	compiler->exact = calloc(tree->n_components + 1, sizeof(*compiler->exact));
	compiler->patterns = calloc(tree->n_components + 1, sizeof(*compiler->patterns));
	if (!compiler->exact || !compiler->patterns)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->n_components; i++) {
		struct named named = { &tree->components[i], i };

		if (named.component->kind == COMPONENT_EXACT)
			compiler->exact[compiler->n_exact++] = named;
		else if (named.component->kind == COMPONENT_PATTERN)
			compiler->patterns[compiler->n_patterns++] = named;
	}
	qsort(compiler->exact, compiler->n_exact, sizeof(*compiler->exact), compare_exact);
	qsort(compiler->patterns, compiler->n_patterns, sizeof(*compiler->patterns),
	      compare_patterns);
	compiler->first_set = (rf_symbol)compiler->n_exact + 1;
	return 0;
}

static int add_move(struct symbol_compiler *compiler, uint32_t component, rf_symbol symbol)
{
	if (!ARRAY_GROW(compiler->moves, compiler->n_moves))
		return -ENOMEM;
	compiler->moves[compiler->n_moves++] = (struct move){ component, symbol };
	return 0;
}

static int add_short_name(struct compiled_policy *compiled, const struct component *component,
			  rf_symbol symbol)
{
	struct short_name_entry entry = { .value = symbol };
	char *star;

	memcpy(entry.key.bytes, component->bytes, component->size);
	star = memchr(entry.key.bytes, '*', component->size);
	if (star)
		*star = '/';
	if (!ARRAY_GROW(compiled->short_names, compiled->n_short_names))
		return -ENOMEM;
	compiled->short_names[compiled->n_short_names++] = entry;
	return 0;
}

static int add_long_name(struct compiled_policy *compiled, const struct component *component,
			 rf_symbol symbol)
{
	struct long_name_entry entry = { .value = symbol };

	memcpy(entry.key.bytes, component->bytes, component->size);
	if (!ARRAY_GROW(compiled->long_names, compiled->n_long_names))
		return -ENOMEM;
	compiled->long_names[compiled->n_long_names++] = entry;
	return 0;
}

static void add_to_filter(struct rf_policy *head, const struct component *component)
{
	uint8_t first = (uint8_t)component->bytes[0];
	uint8_t second = component->size > 1 ? (uint8_t)component->bytes[1] : 0;
	uint32_t bit = rf_name_filter_bit((uint32_t)component->size, first, second);

	head->name_filter[bit / 64] |= 1ULL << (bit % 64);
}

static int add_exact_name(struct symbol_compiler *compiler, const struct named *named,
			  rf_symbol symbol)
{
	struct compilation *compilation = compiler->compilation;
	struct compiled_policy *compiled = compilation->compiled;
	int r;

	compilation->symbols.of_component[named->number] = symbol;
	add_to_filter(&compiled->head, named->component);
	r = named->component->size <= RF_MAX_SHORT_NAME
		    ? add_short_name(compiled, named->component, symbol)
		    : add_long_name(compiled, named->component, symbol);
	if (r < 0)
		return r;
	return add_move(compiler, named->number, symbol);
}

/* A name that the policy has exactly goes by its own symbol, so patterns it matches must know. */
static int add_moves_of_name(struct symbol_compiler *compiler, const struct component *name,
			     rf_symbol symbol)
{
	const struct compilation *compilation = compiler->compilation;
	const struct rf_policy *head = &compilation->compiled->head;
	int r = 0;

	for (size_t i = 0; r == 0 && i < head->n_shapes; i++) {
		size_t prefix_size = head->shapes[i].prefix_size;
		size_t suffix_size = head->shapes[i].suffix_size;
		char bytes[RF_MAX_PATTERN];
		uint32_t pattern;

		if (name->size < prefix_size + suffix_size)
			continue;
		memcpy(bytes, name->bytes, prefix_size);
		bytes[prefix_size] = '*';
		memcpy(bytes + prefix_size + 1, name->bytes + name->size - suffix_size,
		       suffix_size);
		if (intern_find(&compilation->tree.component_bytes, bytes,
				prefix_size + 1 + suffix_size, &pattern))
			r = add_move(compiler, pattern, symbol);
	}
	return r;
}

static int add_exact_names(struct symbol_compiler *compiler)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < compiler->n_exact; i++) {
		const struct named *named = &compiler->exact[i];
		rf_symbol symbol = (rf_symbol)i + 1;

		r = add_exact_name(compiler, named, symbol);
		if (r == 0)
			r = add_moves_of_name(compiler, named->component, symbol);
	}
	return r;
}

/* Position of the first rule that has this component. */
static const struct position *position_of(const struct compilation *compilation,
					  const struct named *named)
{
	uint32_t rule = compilation->tree.component_rules[named->number];

	return &compilation_rule(compilation, rule)->position;
}

static int add_shapes(struct symbol_compiler *compiler)
{
	struct compilation *compilation = compiler->compilation;
	struct rf_policy *head = &compilation->compiled->head;

	for (size_t i = 0; i < compiler->n_patterns; i++) {
		const struct component *pattern = compiler->patterns[i].component;

		if (i && compare_shapes(compiler->patterns[i - 1].component, pattern) == 0)
			continue;
		if (head->n_shapes == RF_MAX_SHAPES) {
			diag_error(compilation->diag,
				   position_of(compilation, &compiler->patterns[i]),
				   "\"%.*s\" is a pattern with %zu bytes before and %zu after its "
				   "star, and the policy has %d other such pairs already; use "
				   "fewer different lengths, or exact names",
				   (int)pattern->size, pattern->bytes, pattern->prefix_size,
				   pattern->suffix_size, RF_MAX_SHAPES);
			return -EINVAL;
		}
		head->shapes[head->n_shapes++] = (struct rf_shape){
			.prefix_size = (uint8_t)pattern->prefix_size,
			.suffix_size = (uint8_t)pattern->suffix_size,
		};
	}
	return 0;
}

/* @longer is not the one with the shorter prefix. */
static bool prefixes_agree(const struct component *longer, const struct component *shorter)
{
	return memcmp(longer->bytes, shorter->bytes, shorter->prefix_size) == 0;
}

static bool suffixes_agree(const struct component *a, const struct component *b)
{
	size_t size = a->suffix_size < b->suffix_size ? a->suffix_size : b->suffix_size;

	return memcmp(a->bytes + a->size - size, b->bytes + b->size - size, size) == 0;
}

static int add_set(struct symbol_compiler *compiler, uint32_t parent, const struct named *pattern)
{
	struct pattern_set set = { parent, pattern, pattern->component };

	if (parent != NO_SET) {
		const struct component *longest = compiler->sets[parent].longest_suffix;

		if (longest->suffix_size > pattern->component->suffix_size)
			set.longest_suffix = longest;
	}
	if (!ARRAY_GROW(compiler->sets, compiler->n_sets))
		return -ENOMEM;
	compiler->sets[compiler->n_sets++] = set;
	return 0;
}

static rf_symbol symbol_of_set(const struct symbol_compiler *compiler, uint32_t set)
{
	return compiler->first_set + set;
}

static int add_single_set(struct symbol_compiler *compiler, const struct named *pattern)
{
	struct compilation *compilation = compiler->compilation;
	rf_symbol symbol = symbol_of_set(compiler, (uint32_t)compiler->n_sets);

	compilation->symbols.of_component[pattern->number] = symbol;
	if (add_short_name(compilation->compiled, pattern->component, symbol) < 0)
		return -ENOMEM;
	return add_set(compiler, NO_SET, pattern);
}

static int add_larger_set(struct symbol_compiler *compiler, uint32_t set,
			  const struct named *pattern)
{
	struct compilation *compilation = compiler->compilation;
	struct compiled_policy *compiled = compilation->compiled;

	if (compiled->n_classes == RF_MAX_PATTERN_CLASSES) {
		diag_error(compilation->diag, position_of(compilation, pattern),
			   "\"%.*s\" and other patterns can match one name together in more than "
			   "%d combinations; use fewer patterns that overlap, or exact names",
			   (int)pattern->component->size, pattern->component->bytes,
			   RF_MAX_PATTERN_CLASSES);
		return -EINVAL;
	}
	if (!ARRAY_GROW(compiled->classes, compiled->n_classes))
		return -ENOMEM;
	compiled->classes[compiled->n_classes++] = (struct class_entry){
		.key.set = symbol_of_set(compiler, set),
		.key.pattern = compilation->symbols.of_component[pattern->number],
		.value = symbol_of_set(compiler, (uint32_t)compiler->n_sets),
	};
	return add_set(compiler, set, pattern);
}

/*
 * Adds the sets that end with a pattern of one shape. A name matches one pattern of a shape at
 * most, and the walk tries shapes in order: so each set is one of earlier shapes and one pattern
 * more. Where both their longer beginnings and their longer ends agree, a name that matches both
 * exists.
 */
static int add_sets_of_shape(struct symbol_compiler *compiler, const struct named *patterns,
			     size_t n_patterns)
{
	uint32_t n_earlier = (uint32_t)compiler->n_sets;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_patterns; i++)
		r = add_single_set(compiler, &patterns[i]);
	for (uint32_t set = 0; r == 0 && set < n_earlier; set++)
		for (size_t i = 0; r == 0 && i < n_patterns; i++) {
			const struct component *pattern = patterns[i].component;

			if (prefixes_agree(pattern, compiler->sets[set].pattern->component) &&
			    suffixes_agree(compiler->sets[set].longest_suffix, pattern))
				r = add_larger_set(compiler, set, &patterns[i]);
		}
	return r;
}

static int add_sets(struct symbol_compiler *compiler)
{
	size_t start = 0;
	int r = 0;

	while (r == 0 && start < compiler->n_patterns) {
		const struct named *first = &compiler->patterns[start];
		size_t n = 1;

		while (start + n < compiler->n_patterns &&
		       compare_shapes(first->component, first[n].component) == 0)
			n++;
		r = add_sets_of_shape(compiler, first, n);
		start += n;
	}
	return r;
}

static int add_moves_of_sets(struct symbol_compiler *compiler)
{
	for (uint32_t i = 0; i < compiler->n_sets; i++)
		for (uint32_t set = i; set != NO_SET; set = compiler->sets[set].parent)
			if (add_move(compiler, compiler->sets[set].pattern->number,
				     symbol_of_set(compiler, i)) < 0)
				return -ENOMEM;
	return 0;
}

static int compare_moves(const void *left, const void *right)
{
	const struct move *a = left, *b = right;

	if (a->component != b->component)
		return a->component < b->component ? -1 : 1;
	return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static int finish_moves(struct symbol_compiler *compiler)
{
	struct symbol_table *symbols = &compiler->compilation->symbols;
	size_t n_components = compiler->compilation->tree.n_components;
	size_t next = 0;

	symbols->moves = calloc(compiler->n_moves + 1, sizeof(*symbols->moves));
	symbols->moves_ends = calloc(n_components + 1, sizeof(*symbols->moves_ends));
	if (!symbols->moves || !symbols->moves_ends)
		return -ENOMEM;
	if (compiler->n_moves)
		qsort(compiler->moves, compiler->n_moves, sizeof(*compiler->moves), compare_moves);
	for (uint32_t i = 0; i < n_components; i++) {
		for (; next < compiler->n_moves && compiler->moves[next].component == i; next++)
			symbols->moves[next] = compiler->moves[next].symbol;
		symbols->moves_ends[i] = next;
	}
	return 0;
}

static int compare_short_names(const void *left, const void *right)
{
	const struct short_name_entry *a = left, *b = right;

	return memcmp(&a->key, &b->key, sizeof(a->key));
}

static int compare_classes(const void *left, const void *right)
{
	const struct class_entry *a = left, *b = right;

	if (a->key.set != b->key.set)
		return a->key.set < b->key.set ? -1 : 1;
	return (a->key.pattern > b->key.pattern) - (a->key.pattern < b->key.pattern);
}

/* Long names came sorted: nothing is put between them. */
static void sort_tables(struct compiled_policy *compiled)
{
	if (compiled->n_short_names)
		qsort(compiled->short_names, compiled->n_short_names,
		      sizeof(*compiled->short_names), compare_short_names);
	if (compiled->n_classes)
		qsort(compiled->classes, compiled->n_classes, sizeof(*compiled->classes),
		      compare_classes);
}

int compile_symbols(struct compilation *compilation)
{
	_cleanup_(symbol_compiler_done) struct symbol_compiler compiler = {
		.compilation = compilation,
	};
	int (*const steps[])(struct symbol_compiler *) = {
		collect_components, add_shapes, add_exact_names,
		add_sets,	    add_moves_of_sets, finish_moves,
	};
	int r = 0;

	compilation->symbols.of_component =
		calloc(compilation->tree.n_components + 1, sizeof(rf_symbol));
	if (!compilation->symbols.of_component)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < ELEMENTSOF(steps); i++)
		r = steps[i](&compiler);
	if (r == 0)
		sort_tables(compilation->compiled);
	return r;
}
