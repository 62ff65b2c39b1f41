/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* struct policy to struct compiled_policy: the order of the stages, and what they start from. */
#include "compiler/policy_compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compilation.h"

static void compilation_done(struct compilation *compilation)
{
	rule_tree_done(&compilation->tree);
	free(compilation->symbols.of_component);
	free(compilation->symbols.moves);
	free(compilation->symbols.moves_ends);
	compiled_policy_free(compilation->compiled);
}

const struct path_rule *compilation_rule(const struct compilation *compilation, uint32_t source)
{
	const struct policy *policy = compilation->policy;

	if (source < policy->n_files_rules)
		return &policy->files_rules[source];
	return &policy->program_rules[source - policy->n_files_rules];
}

static int check_n_rules(struct compilation *compilation)
{
	const struct policy *policy = compilation->policy;
	size_t n_path_rules = policy->n_files_rules + policy->n_program_rules;
	size_t n_rules = n_path_rules + policy->n_egress_rules;
	const struct position *position;

	if (n_rules <= RF_MAX_RULES)
		return 0;
	position = RF_MAX_RULES < n_path_rules
			   ? &compilation_rule(compilation, RF_MAX_RULES)->position
			   : &policy->egress_rules[RF_MAX_RULES - n_path_rules].position;
	diag_error(compilation->diag, position,
		   "the policy has %zu rules with all that it extends, this one is the first of "
		   "more than %d; use rules for directories instead of rules for what is in them",
		   n_rules, RF_MAX_RULES);
	return -EINVAL;
}

/* What refuses until it is enforced: a grant must not turn into a rule for everybody. */
static void check_path_rule(struct compilation *compilation, const struct path_rule *rule)
{
	const char *fault = pattern_fault(rule->pattern);

	if (fault)
		diag_error(compilation->diag, &rule->position, "\"%s\" is not a path pattern: %s",
			   rule->key, fault);
	if (rule->n_programs || rule->for_ns)
		diag_error(compilation->diag, &rule->position,
			   "\"%s\" is a grant for certain programs or a limited time, which this "
			   "version cannot enforce; remove \"programs\" and \"for\", or the rule",
			   rule->key);
}

static struct rf_rule rule_value(const struct compilation *compilation, uint32_t source)
{
	const struct path_rule *rule = compilation_rule(compilation, source);
	const struct answer *answer = &rule->answer;
	struct rf_rule value = { .flags = RF_RULE_PRESENT };
	rf_access_mask covered = RF_ACCESS_ALL;

	/* A program rule speaks of execution alone; the other accesses are not its business. */
	if (source >= compilation->policy->n_files_rules)
		covered = RF_ACCESS_EXECUTE;
	value.allow = (answer->allow & covered) | (RF_ACCESS_ALL & ~covered);
	value.ask = answer->ask & covered & ~value.allow;
	if (answer->refusal == RF_VERDICT_HIDE)
		value.hide = covered & ~(value.allow | value.ask);
	if (!strchr(strrchr(rule->pattern, '/'), '*'))
		value.flags |= RF_RULE_EXACT_NAME;
	if (!strchr(rule->pattern, '*'))
		value.flags |= RF_RULE_EXACT_PATH;
	for (size_t bit = 0; bit < RF_N_ACCESSES; bit++)
		value.source[bit] = source;
	return value;
}

static int add_source(struct compiled_policy *compiled, const char *key,
		      const struct position *position)
{
	struct rule_source *source = &compiled->sources[compiled->n_sources++];

	source->line = position->line;
	source->key = strdup(key);
	source->file = strdup(position->file ? position->file : "");
	return source->key && source->file ? 0 : -ENOMEM;
}

static int add_path_rule(struct compilation *compilation, uint32_t number)
{
	struct compiled_policy *compiled = compilation->compiled;
	const struct path_rule *rule = compilation_rule(compilation, number);
	int r = add_source(compiled, rule->key, &rule->position);

	if (r < 0)
		return r;
	compiled->sources[number].layer = number < compilation->policy->n_files_rules
						  ? RF_LAYER_FILES
						  : RF_LAYER_PROGRAMS;
	compiled->sources[number].rule = rule_value(compilation, number);
	return rule_tree_add(&compilation->tree, rule->pattern, number);
}

/* Sources of all rules, and the tree of those of paths. */
static int add_rules(struct compilation *compilation)
{
	const struct policy *policy = compilation->policy;
	struct compiled_policy *compiled = compilation->compiled;
	size_t n_path_rules = policy->n_files_rules + policy->n_program_rules;
	int r = 0;

	compiled->sources = calloc(n_path_rules + policy->n_egress_rules + 1,
				   sizeof(*compiled->sources));
	if (!compiled->sources)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_path_rules; i++)
		check_path_rule(compilation, compilation_rule(compilation, i));
	if (diag_has_errors(compilation->diag))
		return -EINVAL;
	for (uint32_t i = 0; r == 0 && i < n_path_rules; i++)
		r = add_path_rule(compilation, i);
	for (size_t i = 0; r == 0 && i < policy->n_egress_rules; i++)
		r = add_source(compiled, policy->egress_rules[i].key,
			       &policy->egress_rules[i].position);
	return r < 0 ? r : rule_tree_finish(&compilation->tree);
}

static int start_compiled(struct compilation *compilation)
{
	const struct policy *policy = compilation->policy;
	struct compiled_policy *compiled = calloc(1, sizeof(*compiled));

	compilation->compiled = compiled;
	if (!compiled)
		return -ENOMEM;
	compiled->name = strdup(policy->name ? policy->name : "");
	compiled->head.unlisted = (uint8_t)policy->unlisted;
	compiled->head.is_audit = policy->is_audit;
	return compiled->name ? 0 : -ENOMEM;
}

int policy_compile(const struct policy *policy, struct diag *diag,
		   struct compiled_policy **ret_compiled)
{
	_cleanup_(compilation_done) struct compilation compilation = {
		.policy = policy,
		.diag = diag,
	};
	int (*const stages[])(struct compilation *) = {
		check_n_rules,	   start_compiled,  add_rules,	   compile_symbols,
		compile_automaton, compile_anchors, compile_egress,
	};

	for (size_t i = 0; i < ELEMENTSOF(stages); i++) {
		int r = stages[i](&compilation);

		if (r < 0)
			return r;
	}
	*ret_compiled = TAKE_PTR(compilation.compiled);
	return 0;
}
