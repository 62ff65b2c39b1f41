/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A policy as a value: its life cycle. */
#include "compiler/policy.h"

#include "base/array.h"

struct policy *policy_new(void)
{
	struct policy *policy = calloc(1, sizeof(*policy));

	if (policy)
		policy->unlisted = RF_VERDICT_HIDE;
	return policy;
}

void path_rule_done(struct path_rule *rule)
{
	free(rule->key);
	free(rule->pattern);
	strings_free(rule->programs, rule->n_programs);
}

void egress_rule_done(struct egress_rule *rule)
{
	free(rule->key);
	free(rule->host);
}

void socket_rule_done(struct socket_rule *rule)
{
	free(rule->key);
	free(rule->path);
}

void variable_done(struct variable *variable)
{
	free(variable->name);
	free(variable->value);
}

#define FREE_ALL(items, n_items, item_done)              \
	do {                                             \
		for (size_t _i = 0; _i < (n_items); _i++) \
			item_done(&(items)[_i]);         \
		free(items);                             \
	} while (0)

struct policy *policy_free(struct policy *policy)
{
	if (!policy)
		return NULL;
	free(policy->name);
	free(policy->project);
	FREE_ALL(policy->files_rules, policy->n_files_rules, path_rule_done);
	FREE_ALL(policy->program_rules, policy->n_program_rules, path_rule_done);
	FREE_ALL(policy->egress_rules, policy->n_egress_rules, egress_rule_done);
	FREE_ALL(policy->socket_rules, policy->n_socket_rules, socket_rule_done);
	strings_free(policy->keep, policy->n_keep);
	strings_free(policy->drop, policy->n_drop);
	FREE_ALL(policy->set, policy->n_set, variable_done);
	strings_free(policy->files, policy->n_files);
	free(policy);
	return NULL;
}
