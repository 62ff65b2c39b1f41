/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What a policy says that its author may not have meant. */
#include "compiler/policy_lint.h"

#include <string.h>

#include "compiler/prefix.h"

/* ---- Files ---- */

/* Whether @part, of whole components each after a slash, stands somewhere in @pattern. */
static bool has_part(const char *pattern, const char *part)
{
	size_t size = strlen(part);

	for (const char *at = pattern; (at = strstr(at, part)); at++)
		if (at[size] == '/' || at[size] == '\0')
			return true;
	return false;
}

/* The credentials that the pattern leads to, or NULL. */
static const char *find_credentials(const char *pattern)
{
	static const char *const places[] = {
		"/.ssh",       "/.gnupg",	   "/.aws",	      "/.azure",
		"/.kube",      "/.config/gcloud",  "/.config/gh",     "/.docker/config.json",
		"/.netrc",     "/.git-credentials", "/.password-store", "/.vault-token",
		"/etc/shadow", "/etc/gshadow",	   "/etc/ssl/private",
	};
	/* These hold no secret. */
	static const char *const harmless[] = { "/.ssh/known_hosts", "/.ssh/config" };

	for (size_t i = 0; i < ELEMENTSOF(harmless); i++)
		if (has_part(pattern, harmless[i]))
			return NULL;
	for (size_t i = 0; i < ELEMENTSOF(places); i++)
		if (has_part(pattern, places[i]))
			return places[i];
	return NULL;
}

static void lint_file_rule(const struct path_rule *rule, struct diag *diag)
{
	const char *credentials = find_credentials(rule->pattern);

	if (credentials && !rule->n_programs &&
	    rule->answer.allow & (RF_ACCESS_READ | RF_ACCESS_WRITE))
		diag_warning(diag, &rule->position,
			     "\"%s\" opens credentials (%s) to everything in the fence", rule->key,
			     credentials);
	if (strcmp(rule->pattern, "/") == 0 && rule->answer.allow)
		diag_warning(diag, &rule->position,
			     "\"%s\" opens every file that no deeper rule refuses", rule->key);
}

/* ---- Egress ---- */

/* The address in @prefix at which clouds hand out credentials of the machine, or NULL. */
static const char *find_metadata_address(const struct rf_prefix *prefix)
{
	static const struct {
		const char *text;
		uint8_t bytes[16];
	} addresses[] = {
		{ "169.254.169.254", { [10] = 0xff, 0xff, 169, 254, 169, 254 } },
		{ "168.63.129.16", { [10] = 0xff, 0xff, 168, 63, 129, 16 } },
		{ "100.100.100.200", { [10] = 0xff, 0xff, 100, 100, 100, 200 } },
		{ "fd00:ec2::254", { 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, 0x54 } },
	};

	for (size_t i = 0; i < ELEMENTSOF(addresses); i++) {
		const struct rf_prefix address = prefix_make(addresses[i].bytes, 128);

		if (prefix_contains(prefix, &address))
			return addresses[i].text;
	}
	return NULL;
}

/* Whether no site has a prefix this large. */
static bool is_wide(const struct rf_prefix *prefix)
{
	const struct rf_prefix mapped = prefix_make_mapped();
	bool is_v4 = prefix_contains(&mapped, prefix);

	return prefix->prefix_size < (is_v4 ? PREFIX_MAPPED_SIZE + 8 : 16);
}

static void lint_egress_rule(const struct egress_rule *rule, struct diag *diag)
{
	const struct rf_prefix prefix = prefix_make(rule->address, rule->prefix_size);
	const char *metadata = find_metadata_address(&prefix);

	if (rule->verdict != RF_VERDICT_ALLOW)
		return;
	if (rule->kind == EGRESS_ANY)
		diag_warning(diag, &rule->position, "the whole network is open");
	if (rule->kind != EGRESS_ADDRESS)
		return;
	if (is_wide(&prefix))
		diag_warning(diag, &rule->position, "\"%s\" opens a large part of the network",
			     rule->key);
	else if (metadata)
		diag_warning(diag, &rule->position,
			     "\"%s\" holds %s, where clouds hand out credentials", rule->key,
			     metadata);
}

/* ---- Sockets ---- */

/* Servers behind these start programs or open files for whoever asks, outside the fence. */
static void lint_socket_rule(const struct socket_rule *rule, struct diag *diag)
{
	static const char *const names[] = {
		"/docker.sock",	     "/podman.sock",	 "/containerd.sock", "/crio.sock",
		"/systemd/private",  "/system_bus_socket", "/bus",	     "/buildkitd.sock",
	};

	if (rule->verdict != RF_VERDICT_ALLOW)
		return;
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		if (has_part(rule->path, names[i]))
			diag_warning(diag, &rule->position,
				     "the server behind \"%s\" can act outside the fence for "
				     "anyone",
				     rule->key);
}

void policy_lint(const struct policy *policy, struct diag *diag)
{
	for (size_t i = 0; i < policy->n_files_rules; i++)
		lint_file_rule(&policy->files_rules[i], diag);
	for (size_t i = 0; i < policy->n_egress_rules; i++)
		lint_egress_rule(&policy->egress_rules[i], diag);
	for (size_t i = 0; i < policy->n_socket_rules; i++)
		lint_socket_rule(&policy->socket_rules[i], diag);
}
