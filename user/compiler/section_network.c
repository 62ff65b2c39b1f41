/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The sections `egress` and `sockets` of a policy file. */
#include <errno.h>
#include <string.h>
#include <sys/un.h>

#include "base/array.h"
#include "compiler/egress_key.h"
#include "compiler/policy_reader.h"

/* ---- Egress ---- */

/* Everything allowed is no fence; whoever means it says so outside the file. */
static int check_open(struct policy_reader *reader, const struct json_value *member,
		      const struct egress_key *key, enum rf_verdict verdict)
{
	if (verdict != RF_VERDICT_ALLOW || reader->context->allow_open || !egress_key_is_open(key))
		return 0;
	diag_error(reader->diag, &member->key_position,
		   "\"%s\": \"allow\" opens the whole network; name what is needed, or accept it with --allow-open",
		   member->key);
	return -EINVAL;
}

/* Adds the rule of one port range of @key. */
static int add_egress_rule(struct policy_reader *reader, const struct json_value *member,
			   const struct egress_key *key, const struct egress_ports *ports,
			   enum rf_verdict verdict)
{
	struct policy *policy = reader->policy;
	struct egress_rule rule = {
		.key = strdup(member->key),
		.kind = key->kind,
		.host = key->host ? strdup(key->host) : NULL,
		.prefix_size = key->prefix_size,
		.first_port = ports->first,
		.last_port = ports->last,
		.verdict = verdict,
		.position = member->key_position,
	};

	memcpy(rule.address, key->address, sizeof(rule.address));
	if (!rule.key || (key->host && !rule.host) ||
	    !ARRAY_GROW(policy->egress_rules, policy->n_egress_rules)) {
		egress_rule_done(&rule);
		return -ENOMEM;
	}
	policy->egress_rules[policy->n_egress_rules++] = rule;
	return 0;
}

static int read_egress_key(struct policy_reader *reader, const struct json_value *member,
			   struct egress_key *ret_key)
{
	_cleanup_free_ char *text = NULL;
	int r;

	r = reader_expand(reader, member->key, &member->key_position, &text);
	if (r < 0)
		return r;
	return egress_key_parse(text, &member->key_position, reader->diag, ret_key);
}

static int read_egress_rule(struct policy_reader *reader, const struct json_value *member)
{
	static const enum rf_verdict verdicts[] = { RF_VERDICT_ALLOW, RF_VERDICT_DENY,
						    RF_VERDICT_ASK };
	struct egress_key key = { 0 };
	enum rf_verdict verdict;
	int r;

	r = read_egress_key(reader, member, &key);
	r = reader_join(r, reader_choose_verdict(reader, member, verdicts, ELEMENTSOF(verdicts),
						 &verdict));
	if (r == 0)
		r = check_open(reader, member, &key, verdict);
	for (size_t i = 0; r == 0 && i < key.n_ports; i++)
		r = add_egress_rule(reader, member, &key, &key.ports[i], verdict);
	free(key.host);
	return r;
}

int section_read_egress(struct policy_reader *reader, const struct json_value *value,
			void *target)
{
	int r;

	(void)target;
	r = reader_expect(reader, value, JSON_OBJECT);
	if (r < 0)
		return r;
	for (size_t i = 0; i < value->n_items; i++)
		r = reader_join(r, read_egress_rule(reader, &value->items[i]));
	return r;
}

/* ---- Sockets ---- */

/* Whether the text after '@' can be the name of an abstract socket. */
static int check_abstract_name(struct policy_reader *reader, const struct json_value *member,
			       const char *name)
{
	const size_t max = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;

	if (*name && strlen(name) <= max)
		return 0;
	diag_error(reader->diag, &member->key_position,
		   "\"%s\": an abstract socket's name has 1 to %zu bytes", member->key, max);
	return -EINVAL;
}

static int read_socket_path(struct policy_reader *reader, const struct json_value *member,
			    char **ret_path)
{
	_cleanup_free_ char *path = NULL;
	int r;

	if (member->key[0] == '@') {
		r = reader_expand(reader, member->key, &member->key_position, &path);
		if (r == 0)
			r = check_abstract_name(reader, member, path + 1);
	} else {
		r = reader_expand_path(reader, member->key, &member->key_position, &path);
	}
	if (r < 0)
		return r;
	if (path[0] == '/' && strchr(path, '*')) {
		diag_error(reader->diag, &member->key_position,
			   "\"%s\": a rule names one socket, not a pattern", member->key);
		return -EINVAL;
	}
	*ret_path = TAKE_PTR(path);
	return 0;
}

static int read_socket_rule(struct policy_reader *reader, const struct json_value *member)
{
	static const enum rf_verdict verdicts[] = { RF_VERDICT_ALLOW, RF_VERDICT_DENY };
	struct policy *policy = reader->policy;
	struct socket_rule rule = { .position = member->key_position };
	int r;

	r = read_socket_path(reader, member, &rule.path);
	r = reader_join(r, reader_choose_verdict(reader, member, verdicts, ELEMENTSOF(verdicts),
						 &rule.verdict));
	if (r == 0) {
		rule.key = strdup(member->key);
		if (!rule.key || !ARRAY_GROW(policy->socket_rules, policy->n_socket_rules))
			r = -ENOMEM;
	}
	if (r < 0) {
		socket_rule_done(&rule);
		return r;
	}
	policy->socket_rules[policy->n_socket_rules++] = rule;
	return 0;
}

int section_read_sockets(struct policy_reader *reader, const struct json_value *value,
			 void *target)
{
	int r;

	(void)target;
	r = reader_expect(reader, value, JSON_OBJECT);
	if (r < 0)
		return r;
	for (size_t i = 0; i < value->n_items; i++)
		r = reader_join(r, read_socket_rule(reader, &value->items[i]));
	return r;
}
