/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A compiled policy: its life and its text. */
#include "compiler/compiled_policy.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

struct compiled_policy *compiled_policy_free(struct compiled_policy *policy)
{
	if (!policy)
		return NULL;
	for (size_t i = 0; i < policy->n_anchors; i++)
		free(policy->anchors[i].path);
	for (size_t i = 0; i < policy->n_sources; i++) {
		free(policy->sources[i].key);
		free(policy->sources[i].file);
	}
	free(policy->name);
	free(policy->edges);
	free(policy->classes);
	free(policy->short_names);
	free(policy->long_names);
	free(policy->rules);
	free(policy->rules_ends);
	free(policy->members);
	free(policy->anchors);
	free(policy->prefixes);
	free(policy->sources);
	free(policy);
	return NULL;
}

/* Appends in quotes, all but printable ASCII as \xNN. */
static void print_quoted(struct strbuf *out, const char *text, size_t size)
{
	strbuf_append_byte(out, '"');
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\')
			strbuf_printf(out, "\\x%02x", byte);
		else
			strbuf_append_byte(out, text[i]);
	}
	strbuf_append_byte(out, '"');
}

static void print_string(struct strbuf *out, const char *string)
{
	print_quoted(out, string, strlen(string));
}

static const char *verdict_name(unsigned int verdict)
{
	static const char *const names[] = {
#define X(identifier, name, sentence) [RF_VERDICT_##identifier] = (name),
		RF_VERDICTS(X)
#undef X
	};

	return verdict < ELEMENTSOF(names) ? names[verdict] : "?";
}

/* "3" and a letter for each flag: edges, any, inherits, guards. */
static void print_state(struct strbuf *out, rf_state state)
{
	strbuf_printf(out, "%u%s%s%s%s", state & RF_STATE_NUMBER,
		      state & RF_STATE_HAS_EDGES ? "e" : "", state & RF_STATE_HAS_ANY ? "a" : "",
		      state & RF_STATE_INHERITS ? "i" : "",
		      state & RF_STATE_GUARDS ? "g" : "");
}

static void print_target(struct strbuf *out, const struct rf_target *target)
{
	strbuf_append_string(out, " ->");
	if (target->next) {
		strbuf_append_string(out, " state ");
		print_state(out, target->next);
	}
	if (target->rules)
		strbuf_printf(out, " rules %u", target->rules);
	strbuf_append_byte(out, '\n');
}

static void print_accesses(struct strbuf *out, const char *what, rf_access_mask accesses)
{
	if (!accesses)
		return;
	strbuf_printf(out, " %s ", what);
#define X(identifier, bit, letter, sentence)     \
	if (accesses & RF_ACCESS_##identifier) \
		strbuf_append_byte(out, letter);
	RF_ACCESSES(X)
#undef X
}

static void print_rule(struct strbuf *out, const struct rf_rule *rule)
{
	rf_access_mask named = rule->allow | rule->ask | rule->hide;

	if (rule->flags & RF_RULE_EXACT_PATH)
		strbuf_append_string(out, " exact");
	else
		strbuf_append_string(out, rule->flags & RF_RULE_EXACT_NAME ? " name" : " pattern");
	print_accesses(out, "allow", rule->allow);
	print_accesses(out, "ask", rule->ask);
	print_accesses(out, "hide", rule->hide);
	print_accesses(out, "deny", RF_ACCESS_ALL & ~named);
	strbuf_append_string(out, " by");
	for (size_t bit = 0; bit < RF_N_ACCESSES; bit++)
		strbuf_printf(out, " %u", rule->source[bit]);
}

static void print_head(const struct compiled_policy *policy, struct strbuf *out)
{
	strbuf_append_string(out, "policy ");
	print_string(out, policy->name);
	strbuf_printf(out, "\nmode %s\nunlisted %s\n", policy->head.is_audit ? "audit" : "enforce",
		      verdict_name(policy->head.unlisted));
	for (size_t i = 0; i < policy->n_sources; i++) {
		strbuf_printf(out, "source %zu ", i);
		print_string(out, policy->sources[i].key);
		strbuf_append_byte(out, ' ');
		print_string(out, policy->sources[i].file);
		strbuf_printf(out, ":%u\n", policy->sources[i].line);
	}
}

static void print_symbols(const struct compiled_policy *policy, struct strbuf *out)
{
	for (size_t i = 0; i < policy->head.n_shapes; i++)
		strbuf_printf(out, "shape %u %u\n", policy->head.shapes[i].prefix_size,
			      policy->head.shapes[i].suffix_size);
	for (size_t i = 0; i < RF_NAME_FILTER_BITS; i++)
		if (policy->head.name_filter[i / 64] >> (i % 64) & 1)
			strbuf_printf(out, "filter %zu\n", i);
	for (size_t i = 0; i < policy->n_short_names; i++) {
		const char *bytes = policy->short_names[i].key.bytes;

		strbuf_append_string(out, "short ");
		print_quoted(out, bytes, strnlen(bytes, sizeof(policy->short_names[i].key)));
		strbuf_printf(out, " symbol %u\n", policy->short_names[i].value);
	}
	for (size_t i = 0; i < policy->n_long_names; i++) {
		const char *bytes = policy->long_names[i].key.bytes;

		strbuf_append_string(out, "long ");
		print_quoted(out, bytes, strnlen(bytes, sizeof(policy->long_names[i].key)));
		strbuf_printf(out, " symbol %u\n", policy->long_names[i].value);
	}
	for (size_t i = 0; i < policy->n_classes; i++)
		strbuf_printf(out, "class %u and %u symbol %u\n", policy->classes[i].key.set,
			      policy->classes[i].key.pattern, policy->classes[i].value);
}

static void print_rules(const struct compiled_policy *policy, struct strbuf *out)
{
	static const char *const layers[RF_N_LAYERS] = {
		[RF_LAYER_FILES] = "files",
		[RF_LAYER_PROGRAMS] = "programs",
	};

	for (size_t i = 0; i < policy->n_rules; i++) {
		size_t member = i ? policy->rules_ends[i - 1] : 0;

		for (size_t layer = 0; layer < RF_N_LAYERS; layer++) {
			if (!(policy->rules[i].layer[layer].flags & RF_RULE_PRESENT))
				continue;
			strbuf_printf(out, "rules %zu %s", i + 1, layers[layer]);
			print_rule(out, &policy->rules[i].layer[layer]);
			strbuf_append_byte(out, '\n');
		}
		strbuf_printf(out, "rules %zu of", i + 1);
		for (; member < policy->rules_ends[i]; member++)
			strbuf_printf(out, " %u", policy->members[member]);
		strbuf_append_byte(out, '\n');
	}
}

static void print_automaton(const struct compiled_policy *policy, struct strbuf *out)
{
	strbuf_append_string(out, "start");
	print_target(out, &policy->head.start);
	for (size_t i = 0; i < policy->n_edges; i++) {
		strbuf_append_string(out, "edge ");
		print_state(out, policy->edges[i].key.from);
		if (policy->edges[i].key.symbol == RF_SYMBOL_ANY)
			strbuf_append_string(out, " any");
		else
			strbuf_printf(out, " symbol %u", policy->edges[i].key.symbol);
		print_target(out, &policy->edges[i].value);
	}
	for (size_t i = 0; i < policy->n_anchors; i++) {
		strbuf_append_string(out, "anchor ");
		print_string(out, policy->anchors[i].path);
		print_target(out, &policy->anchors[i].target);
	}
}

static void print_prefixes(const struct compiled_policy *policy, struct strbuf *out)
{
	for (size_t i = 0; i < policy->n_prefixes; i++) {
		const struct prefix_entry *entry = &policy->prefixes[i];
		char address[INET6_ADDRSTRLEN];

		strbuf_printf(out, "prefix %s/%u\n",
			      inet_ntop(AF_INET6, entry->key.address, address, sizeof(address)),
			      entry->key.prefix_size);
		for (size_t j = 0; j < entry->value.n_ranges; j++) {
			const struct rf_port_range *range = &entry->value.ranges[j];

			strbuf_printf(out, "  ports %u-%u %s by %u\n", range->first, range->last,
				      verdict_name(range->verdict), range->source);
		}
	}
}

void compiled_policy_print(const struct compiled_policy *policy, struct strbuf *out)
{
	print_head(policy, out);
	print_symbols(policy, out);
	print_rules(policy, out);
	print_automaton(policy, out);
	print_prefixes(policy, out);
}
