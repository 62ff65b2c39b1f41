/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A policy as a command gets it: where names are looked up and what variables stand for. */
#include "cli/policy_load.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/path.h"
#include "compiler/policy_parse.h"
#include "compiler/variables.h"
#include "launch/identity.h"

#define SYSTEM_POLICY_DIR "/etc/ringfence/policy"

/* struct search_path - Directories, owned; one more than @n_items, the last one NULL, at the end */
struct search_path {
	char **items;
	size_t n_items;
};

static void search_path_done(struct search_path *path)
{
	strings_free(path->items, path->n_items);
}

/*
 * The directory of the policies that came with this program: `policy` beside the directory of a
 * program in its build tree, else where `make install` puts them. Owned, NULL when out of memory.
 */
static char *shipped_directory(void)
{
	_cleanup_free_ char *program = realpath("/proc/self/exe", NULL);
	_cleanup_free_ char *directory = program ? path_beside(program, "../policy") : NULL;
	_cleanup_free_ char *base = directory ? path_join(directory, "base.json") : NULL;

	if (base && access(base, R_OK) == 0)
		return realpath(directory, NULL);
	return strdup(POLICY_DIR);
}

static int search_path_fill(struct search_path *path, const char *const *first)
{
	_cleanup_free_ char *shipped = shipped_directory();
	int r = shipped ? 0 : -ENOMEM;

	for (; r == 0 && first && *first; first++)
		r = strings_add(&path->items, &path->n_items, *first);
	if (r == 0)
		r = strings_add(&path->items, &path->n_items, SYSTEM_POLICY_DIR);
	if (r == 0)
		r = strings_add(&path->items, &path->n_items, shipped);
	if (r == 0 && !ARRAY_GROW(path->items, path->n_items))
		r = -ENOMEM;
	if (r == 0)
		path->items[path->n_items] = NULL;
	return r;
}

static int collect_variables(const struct policy_load_request *request, struct diag *diag,
			     char ***ret_variables)
{
	const struct position project = { .file = request->project ? request->project : "." };
	const struct variables_request variables = {
		.uid = request->identity->uid,
		.user = request->identity->name,
		.home = request->identity->home,
		.cwd = project.file,
		.tmp = request->tmp ? request->tmp : "/tmp",
	};
	int r;

	r = variables_collect(&variables, diag, ret_variables);
	if (r == 0 || r == -ENOMEM)
		return r;
	diag_error(diag, &project, "cannot be the project: %s", strerror(-r));
	return -EINVAL;
}

int policy_load(const struct policy_load_request *request, struct diag *diag,
		struct policy **ret_policy)
{
	_cleanup_(search_path_done) struct search_path search = { 0 };
	_cleanup_(variables_freep) char **variables = NULL;
	_cleanup_(policy_freep) struct policy *policy = NULL;
	struct parse_context context = { .allow_open = request->allow_open };
	const char *project;
	int r;

	r = search_path_fill(&search, request->policy_paths);
	if (r < 0)
		return r;
	r = collect_variables(request, diag, &variables);
	if (r < 0)
		return r;
	context.search = (const char *const *)search.items;
	context.variables = (const char *const *)variables;
	r = policy_parse_file(request->policy, &context, diag, &policy);
	if (r < 0)
		return r;
	project = variables_get(context.variables, "project");
	if (project && !(policy->project = strdup(project)))
		return -ENOMEM;
	*ret_policy = TAKE_PTR(policy);
	return 0;
}

int policy_load_identity(const char *user, struct identity **ret_identity)
{
	const struct identity_request request = {
		.user = user,
		.caller_uid = getuid(),
		.sudo_uid = secure_getenv("SUDO_UID"),
		.sudo_gid = secure_getenv("SUDO_GID"),
		.sudo_user = secure_getenv("SUDO_USER"),
	};
	const char *problem = "out of memory";
	int r;

	r = identity_resolve(&request, ret_identity, &problem);
	if (r < 0)
		log_error("cannot tell whose policy this is: %s%s%s; name a user with --user", problem,
			  user ? ": " : "", user ? QUOTED(user) : "");
	return r;
}
