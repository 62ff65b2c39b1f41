/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which parts of a policy this version checks but cannot enforce. */
#include "compiler/policy_enforceable.h"

#include "compiler/diag.h"
#include "compiler/policy.h"

static void report(const struct policy *policy, struct diag *diag,
		   const struct position *position, const char *what)
{
	if (policy->is_audit)
		diag_warning(diag, position, "%s is not enforced by this version", what);
	else
		diag_error(diag, position,
			   "%s is not enforced by this version; remove it, or set \"mode\": \"audit\"",
			   what);
}

static void check_path_rules(const struct policy *policy, struct diag *diag)
{
	for (size_t i = 0; i < policy->n_files_rules; i++) {
		const struct path_rule *rule = &policy->files_rules[i];

		if (rule->answer.ask)
			report(policy, diag, &rule->position, "asking (\"ask\" in a file rule)");
		if (rule->n_programs)
			report(policy, diag, &rule->position,
			       "limiting a file rule to \"programs\"");
		if (rule->for_ns)
			report(policy, diag, &rule->position, "the expiry (\"for\") of a file rule");
	}
	if (policy->unlisted == RF_VERDICT_ASK)
		report(policy, diag, &policy->unlisted_position, "asking (\"unlisted\": \"ask\")");
}

static void check_egress_rules(const struct policy *policy, struct diag *diag)
{
	for (size_t i = 0; i < policy->n_egress_rules; i++) {
		const struct egress_rule *rule = &policy->egress_rules[i];

		if (rule->kind == EGRESS_HOST && rule->verdict != RF_VERDICT_DENY)
			report(policy, diag, &rule->position, "egress by host name");
		else if (rule->verdict == RF_VERDICT_ASK)
			report(policy, diag, &rule->position, "asking (\"ask\" in an egress rule)");
	}
}

void policy_check_enforceable(const struct policy *policy, struct diag *diag)
{
	check_path_rules(policy, diag);
	check_egress_rules(policy, diag);
	for (size_t i = 0; i < policy->n_socket_rules; i++)
		report(policy, diag, &policy->socket_rules[i].position, "\"sockets\"");
	if (policy->credentials_position.line)
		report(policy, diag, &policy->credentials_position, "\"credentials\"");
}
