/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A policy as a value: parsed, merged through `extends`, variables replaced.
 *
 * In: what was written, typed. Out: look-ups and precedence (policy_compile.h). The policy owns
 * everything it points to; positions borrow its file names.
 */
#ifndef COMPILER_POLICY_H
#define COMPILER_POLICY_H

#include "compiler/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ringfence/accesses.h"

/**
 * struct answer - What a rule says of each access
 * @allow, @ask: Disjoint sets; ask is for rules that name it, or "ask" for all accesses.
 * @refusal:     RF_VERDICT_DENY or RF_VERDICT_HIDE, for the accesses in neither set.
 */
struct answer {
	rf_access_mask allow;
	rf_access_mask ask;
	enum rf_verdict refusal;
};

/**
 * struct path_rule - One entry of `files` or `programs`
 * @key:        As written.
 * @pattern:    Absolute, normalised: no empty, "." or ".." component, no trailing slash; "/" is
 *              the root. A component is exact, has one `*`, or is `**` (any number of components,
 *              none included). A rule that starts with two stars applies below the root.
 * @answer:     For `programs`, allow is RF_ACCESS_EXECUTE or nothing.
 * @n_programs, @programs, @for_ns: Of a grant (`programs`, `for`): who gets the answer and for how
 *              long. Parsed, not yet enforced; policy_compile() refuses them.
 */
struct path_rule {
	char *key;
	char *pattern;
	struct answer answer;
	char **programs;
	size_t n_programs;
	uint64_t for_ns;
	struct position position;
};

enum egress_kind {
	EGRESS_ANY,       /* "*" */
	EGRESS_HOST,      /* a name, exact or with a leading "*." or "**." or "=*." */
	EGRESS_ADDRESS,   /* an address or CIDR prefix */
	EGRESS_LOCALHOST, /* "localhost" */
};

/**
 * struct egress_rule - One entry of `egress`
 * @host:        EGRESS_HOST: canonical lower-case name with its wildcard prefix.
 * @address:     EGRESS_ADDRESS: IPv6 or IPv4-mapped, bits beyond the prefix zero.
 * @prefix_size: EGRESS_ADDRESS: 0 to 128, IPv4 prefixes plus 96.
 * @first_port, @last_port: 0 and 65535 for all. Without a port in the key: 443 for hosts, all for
 *               addresses and localhost. A key with several ports becomes several rules.
 * @verdict:     RF_VERDICT_ALLOW, _ASK or _DENY.
 */
struct egress_rule {
	char *key;
	enum egress_kind kind;
	char *host;
	uint8_t address[16];
	uint8_t prefix_size;
	uint16_t first_port;
	uint16_t last_port;
	enum rf_verdict verdict;
	struct position position;
};

/* struct socket_rule - One entry of `sockets`; @path starts with '@' if abstract. */
struct socket_rule {
	char *key;
	char *path;
	enum rf_verdict verdict;
	struct position position;
};

/* struct variable - NAME=VALUE of the environment. */
struct variable {
	char *name;
	char *value;
};

/**
 * struct policy - See the file's head
 * @project:  What `${project}` stands for; NULL: nothing.
 * @unlisted: Verdict for files that no rule names: RF_VERDICT_DENY, _HIDE or _ASK.
 * @keep, @drop: Patterns of environment variable names, a `*` for any bytes.
 * @max_tasks, @max_memory: 0: no limit of the fence's own.
 * @credentials_position: Line 0 if the policy has no `credentials`.
 * @files:    Names of the files read, the policy's own first; positions point to these.
 */
struct policy {
	char *name;
	char *project;
	bool is_audit;
	enum rf_verdict unlisted;
	struct position unlisted_position;

	struct path_rule *files_rules;
	size_t n_files_rules;
	struct path_rule *program_rules;
	size_t n_program_rules;
	struct egress_rule *egress_rules;
	size_t n_egress_rules;
	struct socket_rule *socket_rules;
	size_t n_socket_rules;

	char **keep;
	size_t n_keep;
	char **drop;
	size_t n_drop;
	struct variable *set;
	size_t n_set;

	uint64_t max_tasks;
	uint64_t max_memory;
	struct position limits_position;
	struct position credentials_position;

	char **files;
	size_t n_files;
};

/* Release what an item owns; a zeroed one is fine. */
void path_rule_done(struct path_rule *rule);
void egress_rule_done(struct egress_rule *rule);
void socket_rule_done(struct socket_rule *rule);
void variable_done(struct variable *variable);

/* Empty: refuses everything. NULL when out of memory. */
struct policy *policy_new(void);
/* Accepts NULL, returns NULL. */
struct policy *policy_free(struct policy *policy);
DEFINE_CLEANUP(struct policy, policy_free)

#endif
