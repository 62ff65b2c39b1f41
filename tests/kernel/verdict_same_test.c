/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * One decision: the kernel, `explain` and the slow reference model give the same answer to random
 * requests under random policies.
 *
 * The policies get into the kernel by the installer of ringfence itself. What that one asks of the
 * loader and of the anchors is answered here: the maps are those of the test's own programs, and
 * identities come with the requests.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#include "compiler/explain.h"
#include "compiler/host_tables.h"
#include "compiler/policy_compile.h"
#include "kernel/anchors.h"
#include "kernel/identify.h"
#include "kernel/install.h"
#include "kernel/loader.h"
#include "kernel/random_policy.h"
#include "kernel/verdict_same.h"
#include "lib/harness.h"
#include "lib/reference_model.h"
#include "ringfence.skel.h"
#include "verdict_same.skel.h"

#define N_POLICIES 300
#define N_PATHS 24
#define N_ALIASES 8
#define N_ADDRESSES 16

/* ---- What the installer needs ---- */

static struct ringfence_bpf maps_for_installer;

struct ringfence_bpf *loader_skeleton(struct loader *loader)
{
	(void)loader;
	return &maps_for_installer;
}

int anchor_table_build(struct loader *loader, const struct compiled_policy *policy,
		       struct anchor_table **ret_table)
{
	struct anchor_table *table = calloc(1, sizeof(*table));

	(void)loader;
	if (!table)
		return -ENOMEM;
	table->rules = policy->rules; /* Borrowed, see below. */
	table->n_rules = policy->n_rules;
	*ret_table = table;
	return 0;
}

struct anchor_table *anchor_table_free(struct anchor_table *table)
{
	free(table);
	return NULL;
}

int identify_fd(struct loader *loader, int fd, struct rf_identify *ret_answer)
{
	(void)loader, (void)fd, (void)ret_answer;
	return -ENOSYS;
}

/* ---- The kernel's answer ---- */

static struct verdict_same_bpf *programs;

/* Each update of a map of maps waits until no program uses the old inner map any more. */
static void shorten_waiting(void)
{
	_cleanup_fclose_ FILE *file = fopen("/sys/kernel/rcu_expedited", "we");

	if (file)
		(void)fputs("1\n", file); /* Only for speed. */
}

static void load_programs(void)
{
	struct bpf_map *by_policy[7];

	programs = verdict_same_bpf__open();
	if (!programs)
		harness_give_up("cannot open the programs: %s", strerror(errno));
	by_policy[0] = maps_for_installer.maps.rf_edges = programs->maps.rf_edges;
	by_policy[1] = maps_for_installer.maps.rf_classes = programs->maps.rf_classes;
	by_policy[2] = maps_for_installer.maps.rf_short_names = programs->maps.rf_short_names;
	by_policy[3] = maps_for_installer.maps.rf_long_names = programs->maps.rf_long_names;
	by_policy[4] = maps_for_installer.maps.rf_identities = programs->maps.rf_identities;
	by_policy[5] = maps_for_installer.maps.rf_rules = programs->maps.rf_rules;
	by_policy[6] = maps_for_installer.maps.rf_addresses = programs->maps.rf_addresses;
	maps_for_installer.maps.rf_policies = programs->maps.rf_policies;
	for (size_t i = 0; i < ELEMENTSOF(by_policy); i++)
		if (bpf_map__set_max_entries(by_policy[i], 1) < 0)
			harness_give_up("cannot size the maps");
	if (verdict_same_bpf__load(programs) < 0)
		harness_give_up("cannot load the programs: %s", strerror(errno));
}

/* @n_expected: components that it is to match. */
static struct rf_decision run_in_kernel(struct bpf_program *program, uint32_t n_expected)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	int r = bpf_prog_test_run_opts(bpf_program__fd(program), &options);

	if (r < 0 || options.retval != n_expected)
		harness_give_up("the program failed: %d, %d instead of %u", r, (int)options.retval,
				n_expected);
	return programs->bss->vs_decision;
}

/* ---- Requests ---- */

/**
 * struct asked - A request, in all its forms
 * @alias: Component of @path, from 1, that is the object of @anchor; 0: none is.
 */
struct asked {
	char path[RANDOM_PATH_SIZE];
	rf_access_mask access;
	uint32_t alias;
	const struct anchor *anchor;
};

/* struct answers - To one request; the model knows nothing of reasons. */
struct answers {
	struct rf_decision kernel;
	struct rf_decision explain;
	struct reference_answer model;
};

static struct rf_decision decision_of(const struct explanation *explanation)
{
	return (struct rf_decision){
		.verdict = explanation->verdict,
		.reason = explanation->reason,
		.access = explanation->access,
		.source = explanation->source,
	};
}

static struct rf_decision ask_kernel_path(const struct asked *asked)
{
	struct verdict_same_request *request = &programs->bss->vs_request;
	const char *at = asked->path;

	memset(request, 0, sizeof(*request));
	request->access = asked->access;
	while (at[0] == '/' && at[1]) {
		struct verdict_same_component *component =
			&request->components[request->n_components++];

		at++;
		component->len = (uint32_t)strcspn(at, "/");
		memcpy(component->name, at, component->len);
		if (request->n_components == asked->alias)
			component->identity = asked->anchor->target;
		at += component->len;
	}
	return run_in_kernel(programs->progs.vs_decide_path, request->n_components);
}

static struct rf_target find_identity(void *context, const char *path)
{
	const struct asked *asked = context;
	const struct rf_target none = { 0 };
	uint32_t depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth == asked->alias ? asked->anchor->target : none;
}

static struct rf_decision ask_explain_path(const struct compiled_policy *compiled,
					   const struct asked *asked)
{
	const struct explain_identities identities = { find_identity, (void *)asked };
	_cleanup_explanation_ struct explanation explanation = { 0 };

	if (explain_path(compiled, asked->path, asked->access, &identities, &explanation) < 0)
		harness_give_up("explain_path failed on %s", asked->path);
	return decision_of(&explanation);
}

static struct rf_decision ask_kernel_address(const struct sockaddr_in6 *address)
{
	struct verdict_same_request *request = &programs->bss->vs_request;

	memset(request, 0, sizeof(*request));
	request->sockaddr_size = sizeof(*address);
	memcpy(request->sockaddr, address, sizeof(request->sockaddr));
	return run_in_kernel(programs->progs.vs_decide_address, 0);
}

static struct rf_decision ask_explain_address(const struct compiled_policy *compiled,
					      const struct sockaddr_in6 *address)
{
	_cleanup_explanation_ struct explanation explanation = { 0 };

	if (explain_connect(compiled, address, sizeof(*address), &explanation) < 0)
		harness_give_up("explain_connect failed");
	return decision_of(&explanation);
}

/* ---- Comparison ---- */

/* Shows the first few counterexamples. Returns whether all agree. */
static bool agree(const struct policy *policy, const char *request, const struct answers *answers)
{
	static unsigned int n_shown;

	if (memcmp(&answers->kernel, &answers->explain, sizeof(answers->kernel)) == 0 &&
	    answers->model.verdict == answers->kernel.verdict &&
	    answers->model.access == answers->kernel.access &&
	    answers->model.source == answers->kernel.source)
		return true;
	if (n_shown++ < 3) {
		random_policy_show(policy);
		harness_note("%s: kernel verdict %d reason %d access %x by %d", request,
			     answers->kernel.verdict, answers->kernel.reason,
			     answers->kernel.access, (int)answers->kernel.source);
		harness_note("  explain verdict %d reason %d access %x by %d",
			     answers->explain.verdict, answers->explain.reason,
			     answers->explain.access, (int)answers->explain.source);
		harness_note("  model verdict %d access %x by %d", answers->model.verdict,
			     answers->model.access, (int)answers->model.source);
	}
	return false;
}

static bool compare_path(const struct policy *policy, const struct compiled_policy *compiled)
{
	struct asked asked = { .access = (rf_access_mask)(1 + random_below(RF_ACCESS_ALL)) };
	struct answers answers;
	char text[RANDOM_PATH_SIZE + 32];

	random_path(asked.path, 6, false);
	answers.kernel = ask_kernel_path(&asked);
	answers.explain = ask_explain_path(compiled, &asked);
	answers.model = reference_path(policy, asked.path, asked.access, NULL);
	(void)snprintf(text, sizeof(text), "%s access %x", asked.path, asked.access);
	return agree(policy, text, &answers);
}

/* With one component known by identity: rules of the place it is known at hold here too. */
static bool compare_alias(const struct policy *policy, const struct compiled_policy *compiled)
{
	struct asked asked = { .access = RF_ACCESS_READ };
	struct reference_alias reference;
	struct answers answers;
	char text[2 * RANDOM_PATH_SIZE];
	uint32_t depth = 0;

	do
		random_path(asked.path, 6, false);
	while (strcmp(asked.path, "/") == 0);
	for (const char *byte = asked.path; *byte; byte++)
		depth += *byte == '/';
	asked.alias = 1 + random_below(depth);
	asked.anchor = &compiled->anchors[random_below((uint32_t)compiled->n_anchors)];
	reference = (struct reference_alias){ asked.alias, asked.anchor->path };
	answers.kernel = ask_kernel_path(&asked);
	answers.explain = ask_explain_path(compiled, &asked);
	answers.model = reference_path(policy, asked.path, asked.access, &reference);
	(void)snprintf(text, sizeof(text), "%s with %s as component %u", asked.path,
		       asked.anchor->path, asked.alias);
	/* Of equal rules that meet by different roads either may be named. */
	if (answers.model.verdict == answers.kernel.verdict)
		answers.model.source = answers.kernel.source;
	return agree(policy, text, &answers);
}

static bool compare_address(const struct policy *policy, const struct compiled_policy *compiled)
{
	uint16_t port = random_port();
	struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct answers answers;
	char ip[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 16];

	random_address(address.sin6_addr.s6_addr);
	answers.kernel = ask_kernel_address(&address);
	answers.explain = ask_explain_address(compiled, &address);
	answers.model = reference_address(policy, address.sin6_addr.s6_addr, port);
	(void)snprintf(text, sizeof(text), "%s port %u",
		       inet_ntop(AF_INET6, &address.sin6_addr, ip, sizeof(ip)), port);
	return agree(policy, text, &answers);
}

/* struct counts - Requests made, and those on which not all agreed. */
struct counts {
	unsigned int paths, wrong_paths;
	unsigned int aliases, wrong_aliases;
	unsigned int addresses, wrong_addresses;
};

static void compare_policy(uint64_t generation, struct counts *counts)
{
	_cleanup_(policy_freep) struct policy *policy = random_policy();
	_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = NULL;
	struct anchor_table *anchors;
	struct diag diag = { 0 };

	if (!policy || policy_compile(policy, &diag, &compiled) < 0)
		harness_give_up("cannot compile a random policy");
	diag_done(&diag);
	if (install_policy(NULL, compiled, 0, generation, &anchors) < 0)
		harness_give_up("cannot install a random policy");
	anchor_table_free(anchors);
	for (int i = 0; i < N_PATHS; i++, counts->paths++)
		counts->wrong_paths += !compare_path(policy, compiled);
	for (int i = 0; i < N_ALIASES; i++, counts->aliases++)
		counts->wrong_aliases += !compare_alias(policy, compiled);
	for (int i = 0; i < N_ADDRESSES; i++, counts->addresses++)
		counts->wrong_addresses += !compare_address(policy, compiled);
}

int main(void)
{
	struct counts counts = { 0 };

	shorten_waiting();
	load_programs();
	random_seed(0x9e3779b97f4a7c15);
	for (uint64_t i = 1; i <= N_POLICIES; i++)
		compare_policy(i, &counts);
	harness_ok(counts.wrong_paths == 0,
		   "kernel, explain and model agree on %u of %u paths under %d policies",
		   counts.paths - counts.wrong_paths, counts.paths, N_POLICIES);
	harness_ok(counts.wrong_aliases == 0,
		   "and on %u of %u paths with a component known by identity",
		   counts.aliases - counts.wrong_aliases, counts.aliases);
	harness_ok(counts.wrong_addresses == 0, "and on %u of %u addresses",
		   counts.addresses - counts.wrong_addresses, counts.addresses);
	verdict_same_bpf__destroy(programs);
	return harness_end();
}
