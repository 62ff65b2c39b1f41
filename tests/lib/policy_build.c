/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Policies built rule by rule. */
#include "lib/policy_build.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static rf_access_mask accesses_of(const char *letters)
{
	rf_access_mask accesses = 0;

#define X(identifier, bit, letter, sentence) \
	if (strchr(letters, letter))         \
		accesses |= RF_ACCESS_##identifier;
	RF_ACCESSES(X)
#undef X
	return accesses;
}

static struct position position_of(size_t n_before)
{
	return (struct position){ "test.json", (uint32_t)n_before + 1, 1 };
}

static int add_path_rule(struct path_rule **rules, size_t *n_rules, const char *pattern,
			 struct answer answer)
{
	struct path_rule rule = {
		.key = strdup(pattern),
		.pattern = strdup(pattern),
		.answer = answer,
		.position = position_of(*n_rules),
	};

	if (!rule.key || !rule.pattern || !ARRAY_GROW(*rules, *n_rules)) {
		free(rule.key);
		free(rule.pattern);
		return -ENOMEM;
	}
	(*rules)[(*n_rules)++] = rule;
	return 0;
}

int policy_add_files(struct policy *policy, const char *pattern, const char *allow,
		     const char *ask, enum rf_verdict refusal)
{
	struct answer answer = { accesses_of(allow), accesses_of(ask), refusal };

	return add_path_rule(&policy->files_rules, &policy->n_files_rules, pattern, answer);
}

int policy_add_program(struct policy *policy, const char *pattern, enum rf_verdict verdict)
{
	struct answer answer = { .refusal = RF_VERDICT_DENY };

	if (verdict == RF_VERDICT_ALLOW)
		answer.allow = RF_ACCESS_EXECUTE;
	else if (verdict == RF_VERDICT_ASK)
		answer.ask = RF_ACCESS_EXECUTE;
	else
		answer.refusal = verdict;
	return add_path_rule(&policy->program_rules, &policy->n_program_rules, pattern, answer);
}

int policy_add_egress(struct policy *policy, const char *key, struct egress_rule rule)
{
	rule.key = strdup(key);
	rule.position = position_of(policy->n_egress_rules);
	if (!rule.key || !ARRAY_GROW(policy->egress_rules, policy->n_egress_rules)) {
		free(rule.key);
		return -ENOMEM;
	}
	policy->egress_rules[policy->n_egress_rules++] = rule;
	return 0;
}

int policy_add_address(struct policy *policy, const char *prefix, uint16_t first_port,
		       uint16_t last_port, enum rf_verdict verdict)
{
	struct egress_rule rule = {
		.kind = EGRESS_ADDRESS,
		.first_port = first_port,
		.last_port = last_port,
		.verdict = verdict,
	};
	const char *slash = strchr(prefix, '/');
	_cleanup_free_ char *address = slash ? strndup(prefix, (size_t)(slash - prefix)) : NULL;

	if (!address)
		return -ENOMEM;
	rule.prefix_size = (uint8_t)strtoul(slash + 1, NULL, 10);
	if (inet_pton(AF_INET6, address, rule.address) != 1) {
		memset(rule.address + 10, 0xff, 2);
		rule.prefix_size += 96;
		if (inet_pton(AF_INET, address, rule.address + 12) != 1)
			return -EINVAL;
	}
	return policy_add_egress(policy, prefix, rule);
}
