/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The tree of rules to the deterministic automaton: subset construction over symbols.
 *
 * A state is the set of positions from which a rule can still go on. Positions where a rule ends
 * and none goes on are in no state, only in the rules of the edges that lead to them. A state with
 * `**` and more positions holds what those add; the rest it inherits from the state of its `**`
 * alone, which is where any other component leads.
 */
#include "compiler/compilation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compiler/number_set.h"
#include "ringfence/rule_merge.h"

/* Numbers of targets are those of rf_target, without the flags that are known only at the end. */
struct builder_state {
	size_t edges; /* index of its first one */
	size_t n_edges;
	rf_state flags;
	bool is_built;
};

/* struct step - A name with @symbol leads to the child @position. */
struct step {
	rf_symbol symbol;
	uint32_t position;
};

/**
 * struct builder - The construction
 * @position_sets: Positions of each state; state n has index n - 1.
 * @rule_sets:     Rules of each rules number, likewise.
 * @states:        As many as @position_sets has items.
 * @guards:        Of each position, whether a rule below it refuses writing.
 * @from:          Positions of the state that is being built.
 * @steps:         Where its positions lead, by symbol.
 * @positions, @rules: The target that is being put together.
 */
struct builder {
	struct compilation *compilation;
	struct intern position_sets;
	struct intern rule_sets;
	struct builder_state *states;
	bool *guards;
	struct number_set from;
	struct step *steps;
	size_t n_steps;
	struct number_set positions;
	struct number_set rules;
};

static void builder_done(struct builder *builder)
{
	intern_done(&builder->position_sets);
	intern_done(&builder->rule_sets);
	free(builder->states);
	free(builder->guards);
	number_set_done(&builder->from);
	free(builder->steps);
	number_set_done(&builder->positions);
	number_set_done(&builder->rules);
}

static const struct tree_position *position_at(const struct builder *builder, uint32_t number)
{
	return &builder->compilation->tree.positions[number];
}

/* Adds one position to the target: the rules that end there and how it goes on. */
static void enter_position(struct builder *builder, uint32_t number)
{
	const struct tree_position *position = position_at(builder, number);

	for (uint32_t i = position[0].rules; i < position[1].rules; i++)
		number_set_add(&builder->rules, builder->compilation->tree.rules[i].rule);
	if (position->is_tree || position->any_child != RULE_TREE_NONE ||
	    position[0].children < position[1].children)
		number_set_add(&builder->positions, number);
}

/* The same, and a `**` below it, which may match no component at all. */
static void enter(struct builder *builder, uint32_t number)
{
	uint32_t tree_child = position_at(builder, number)->tree_child;

	enter_position(builder, number);
	if (tree_child != RULE_TREE_NONE)
		enter_position(builder, tree_child);
}

static void enter_target(struct builder *builder, const struct rf_target *target)
{
	size_t size;
	const uint32_t *numbers;

	if (target->next) {
		numbers = intern_get(&builder->position_sets, target->next - 1, &size);
		number_set_add_all(&builder->positions, numbers, size / sizeof(*numbers));
	}
	if (target->rules) {
		numbers = intern_get(&builder->rule_sets, target->rules - 1, &size);
		number_set_add_all(&builder->rules, numbers, size / sizeof(*numbers));
	}
}

/* The number of a set, from 1; that of the empty set is 0. */
static int number_of_set(struct intern *table, struct number_set *set, uint32_t *ret_number)
{
	uint32_t index = 0;
	int r = number_set_sort(set);

	if (r == 0 && set->n_items) {
		r = intern_add(table, set->items, set->n_items * sizeof(*set->items), &index);
		index++;
	}
	if (r == 0)
		*ret_number = index;
	return r;
}

/* Says which limit was reached, and names the rule with most wildcards above its end. */
static int too_large(const struct compilation *compilation, const char *what, int limit)
{
	const struct path_rule *worst = NULL;
	size_t most = 0;

	for (uint32_t i = 0; i < compilation->tree.n_rules; i++) {
		const struct path_rule *rule = compilation_rule(compilation, i);
		const char *rest = rule->pattern;
		struct component component;
		size_t n = 0;

		while (pattern_next(&rest, &component))
			n += component.kind != COMPONENT_EXACT && *rest;
		if (!worst || n > most) {
			worst = rule;
			most = n;
		}
	}
	diag_error(compilation->diag, &worst->position,
		   "the path rules of this policy together need more than %d %s; rules with stars "
		   "above their last component multiply, \"%s\" most: write directories out, or "
		   "use fewer rules",
		   limit, what, worst->key);
	return -EINVAL;
}

/* Turns what was entered into a target, and its positions into a state if they are none yet. */
static int take_target(struct builder *builder, struct rf_target *ret_target)
{
	uint32_t n_before = builder->position_sets.n_items;
	struct rf_target target;
	int r = number_of_set(&builder->position_sets, &builder->positions, &target.next);

	if (r == 0)
		r = number_of_set(&builder->rule_sets, &builder->rules, &target.rules);
	number_set_reset(&builder->positions);
	number_set_reset(&builder->rules);
	if (r < 0)
		return r;
	if (target.next > n_before) {
		if (target.next > RF_MAX_STATES)
			return too_large(builder->compilation, "states", RF_MAX_STATES);
		if (!ARRAY_GROW(builder->states, n_before))
			return -ENOMEM;
		builder->states[n_before] = (struct builder_state){ 0 };
	}
	*ret_target = target;
	return 0;
}

static int add_edge(struct builder *builder, uint32_t state, rf_symbol symbol,
		    const struct rf_target *target)
{
	struct compiled_policy *compiled = builder->compilation->compiled;
	struct builder_state *from = &builder->states[state - 1];

	if (compiled->n_edges == RF_MAX_EDGES)
		return too_large(builder->compilation, "edges", RF_MAX_EDGES);
	if (!ARRAY_GROW(compiled->edges, compiled->n_edges))
		return -ENOMEM;
	compiled->edges[compiled->n_edges++] = (struct edge_entry){
		.key.from = state,
		.key.symbol = symbol,
		.value = *target,
	};
	from->n_edges++;
	from->flags |= symbol == RF_SYMBOL_ANY ? RF_STATE_HAS_ANY : RF_STATE_HAS_EDGES;
	return 0;
}

/* The edge for @symbol of a state that was built, else the one for any other, which must exist. */
static const struct rf_target *find_edge(const struct builder *builder, uint32_t state,
					 rf_symbol symbol)
{
	const struct builder_state *from = &builder->states[state - 1];
	const struct edge_entry *edges = builder->compilation->compiled->edges + from->edges;
	size_t low = 0, high = from->n_edges - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (edges[middle].key.symbol < symbol)
			low = middle + 1;
		else
			high = middle;
	}
	return edges[low].key.symbol == symbol ? &edges[low].value
					       : &edges[from->n_edges - 1].value;
}

static int add_step(struct builder *builder, rf_symbol symbol, uint32_t position)
{
	if (!ARRAY_GROW(builder->steps, builder->n_steps))
		return -ENOMEM;
	builder->steps[builder->n_steps++] = (struct step){ symbol, position };
	return 0;
}

static int add_steps_to(struct builder *builder, uint32_t child)
{
	const struct symbol_table *symbols = &builder->compilation->symbols;
	uint32_t component = position_at(builder, child)->component;
	size_t i = component ? symbols->moves_ends[component - 1] : 0;
	int r = 0;

	if (builder->compilation->tree.components[component].kind == COMPONENT_EXACT)
		return add_step(builder, symbols->of_component[component], child);
	for (; r == 0 && i < symbols->moves_ends[component]; i++)
		r = add_step(builder, symbols->moves[i], child);
	return r;
}

static int compare_steps(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	return (a->position > b->position) - (a->position < b->position);
}

/* Collects where the positions of @from lead, without those that @base leads to as well. */
static int collect_steps(struct builder *builder, uint32_t base)
{
	const struct rule_tree *tree = &builder->compilation->tree;
	int r = 0;

	builder->n_steps = 0;
	for (size_t i = 0; i < builder->from.n_items; i++) {
		const struct tree_position *position =
			position_at(builder, builder->from.items[i]);

		if (base && position->is_tree)
			continue;
		for (uint32_t child = position[0].children; child < position[1].children; child++) {
			r = add_steps_to(builder, tree->children[child]);
			if (r < 0)
				return r;
		}
	}
	if (builder->n_steps)
		qsort(builder->steps, builder->n_steps, sizeof(*builder->steps), compare_steps);
	return 0;
}

/* The target of a component that no other edge is for. */
static int take_any_target(struct builder *builder, struct rf_target *ret_target)
{
	for (size_t i = 0; i < builder->from.n_items; i++) {
		uint32_t number = builder->from.items[i];
		const struct tree_position *position = position_at(builder, number);

		if (position->any_child != RULE_TREE_NONE)
			enter(builder, position->any_child);
		if (position->is_tree)
			enter(builder, number);
	}
	return take_target(builder, ret_target);
}

/* Adds the edges of @state for the symbols of @steps, where they are not what holds anyway. */
static int add_step_edges(struct builder *builder, uint32_t state, uint32_t base,
			  const struct rf_target *any)
{
	size_t i = 0;
	int r = 0;

	while (r == 0 && i < builder->n_steps) {
		rf_symbol symbol = builder->steps[i].symbol;
		struct rf_target target, otherwise;

		otherwise = base ? *find_edge(builder, base, symbol) : *any;
		enter_target(builder, &otherwise);
		for (; i < builder->n_steps && builder->steps[i].symbol == symbol; i++)
			enter(builder, builder->steps[i].position);
		r = take_target(builder, &target);
		if (r == 0 && (target.next != otherwise.next || target.rules != otherwise.rules))
			r = add_edge(builder, state, symbol, &target);
	}
	return r;
}

static int set_from(struct builder *builder, uint32_t state)
{
	size_t size;
	const uint32_t *numbers = intern_get(&builder->position_sets, state - 1, &size);

	number_set_reset(&builder->from);
	number_set_add_all(&builder->from, numbers, size / sizeof(*numbers));
	return builder->from.error;
}

/* What is below `**` is found wherever a directory is moved to; so only the other positions count. */
static bool guards_names(const struct builder *builder)
{
	for (size_t i = 0; i < builder->from.n_items; i++) {
		uint32_t number = builder->from.items[i];

		if (!position_at(builder, number)->is_tree && builder->guards[number])
			return true;
	}
	return false;
}

static int build_state(struct builder *builder, uint32_t state, uint32_t base)
{
	struct rf_target any;
	int r = set_from(builder, state);

	if (r < 0)
		return r;
	builder->states[state - 1].is_built = true;
	builder->states[state - 1].edges = builder->compilation->compiled->n_edges;
	r = take_any_target(builder, &any);
	if (r == 0)
		r = collect_steps(builder, base);
	if (r == 0)
		r = add_step_edges(builder, state, base, &any);
	if (r < 0)
		return r;
	if (base)
		builder->states[state - 1].flags |= RF_STATE_INHERITS;
	if (guards_names(builder))
		builder->states[state - 1].flags |= RF_STATE_GUARDS;
	if (!any.next && !any.rules)
		return 0;
	return add_edge(builder, state, RF_SYMBOL_ANY, &any);
}

/*
 * The state that @state may inherit from, or 0: that of its `**` positions alone, if there are
 * others. Where a `*` is below any of them, unknown components lead elsewhere.
 */
static int find_base(struct builder *builder, uint32_t state, uint32_t *ret_base)
{
	struct rf_target base = { 0 };
	int r = set_from(builder, state);

	if (r < 0)
		return r;
	for (size_t i = 0; i < builder->from.n_items; i++) {
		uint32_t number = builder->from.items[i];

		if (position_at(builder, number)->any_child != RULE_TREE_NONE) {
			number_set_reset(&builder->positions);
			break;
		}
		if (position_at(builder, number)->is_tree)
			number_set_add(&builder->positions, number);
	}
	r = take_target(builder, &base);
	if (r == 0)
		*ret_base = base.next == state ? 0 : base.next;
	return r;
}

static int build_states(struct builder *builder)
{
	int r = 0;

	for (uint32_t state = 1; r == 0 && state <= builder->position_sets.n_items; state++) {
		uint32_t base = 0;

		if (builder->states[state - 1].is_built)
			continue;
		r = find_base(builder, state, &base);
		if (r == 0 && base && !builder->states[base - 1].is_built)
			r = build_state(builder, base, 0);
		if (r == 0)
			r = build_state(builder, state, base);
	}
	return r;
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge_entry *a = left, *b = right;

	if (a->key.from != b->key.from)
		return a->key.from < b->key.from ? -1 : 1;
	return (a->key.symbol > b->key.symbol) - (a->key.symbol < b->key.symbol);
}

static void set_flags(const struct builder *builder, rf_state *state)
{
	if (*state)
		*state |= builder->states[*state - 1].flags;
}

static void finish_edges(const struct builder *builder)
{
	struct compiled_policy *compiled = builder->compilation->compiled;

	for (size_t i = 0; i < compiled->n_edges; i++) {
		set_flags(builder, &compiled->edges[i].key.from);
		set_flags(builder, &compiled->edges[i].value.next);
	}
	set_flags(builder, &compiled->head.start.next);
	if (compiled->n_edges)
		qsort(compiled->edges, compiled->n_edges, sizeof(*compiled->edges),
		      compare_edges);
}

/* Merges the rules of each set into what they say together. */
static int finish_rules(const struct builder *builder)
{
	struct compiled_policy *compiled = builder->compilation->compiled;
	size_t n_rules = builder->rule_sets.n_items;
	size_t members_size = builder->rule_sets.bytes.size;

	compiled->rules = calloc(n_rules + 1, sizeof(*compiled->rules));
	compiled->rules_ends = calloc(n_rules + 1, sizeof(*compiled->rules_ends));
	compiled->members = calloc(1, members_size + 1);
	if (!compiled->rules || !compiled->rules_ends || !compiled->members)
		return -ENOMEM;
	compiled->n_rules = n_rules;
	memcpy(compiled->members, strbuf_string(&builder->rule_sets.bytes), members_size);
	for (size_t i = 0, member = 0; i < n_rules; i++) {
		compiled->rules_ends[i] = builder->rule_sets.ends[i] / sizeof(*compiled->members);
		for (; member < compiled->rules_ends[i]; member++) {
			const struct rule_source *source =
				&compiled->sources[compiled->members[member]];

			rf_rule_merge(&compiled->rules[i].layer[source->layer], &source->rule);
		}
	}
	return 0;
}

static bool refuses_writing(const struct builder *builder, uint32_t position)
{
	const struct rule_tree *tree = &builder->compilation->tree;
	const struct rule_source *sources = builder->compilation->compiled->sources;

	for (uint32_t i = tree->positions[position].rules; i < tree->positions[position + 1].rules; i++)
		if (!(sources[tree->rules[i].rule].rule.allow & RF_ACCESS_WRITE))
			return true;
	return false;
}

/* A position's number is larger than its parent's, so from the last one up all is known in time. */
static int find_guards(struct builder *builder)
{
	size_t n_positions = builder->compilation->tree.n_positions;

	builder->guards = calloc(n_positions + 1, sizeof(*builder->guards));
	if (!builder->guards)
		return -ENOMEM;
	for (uint32_t number = (uint32_t)n_positions; number-- > 1;)
		if (builder->guards[number] || refuses_writing(builder, number))
			builder->guards[position_at(builder, number)->parent] = true;
	return 0;
}

int compile_automaton(struct compilation *compilation)
{
	_cleanup_(builder_done) struct builder builder = { .compilation = compilation };
	int r;

	r = find_guards(&builder);
	if (r < 0)
		return r;
	enter(&builder, 0);
	r = take_target(&builder, &compilation->compiled->head.start);
	if (r == 0)
		r = build_states(&builder);
	if (r < 0)
		return r;
	finish_edges(&builder);
	return finish_rules(&builder);
}
