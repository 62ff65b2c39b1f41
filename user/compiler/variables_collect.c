/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* `${NAME}` in policy files: where the values come from. */
#include "compiler/variables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "compiler/npm_registry.h"
#include "compiler/project.h"

#define MAX_NPMRC_SIZE 65536
#define SYSTEM_NPMRC "/etc/npmrc"

/* The list being built; @items has room for one more, the NULL. */
struct collection {
	char **items;
	size_t n_items;
};

/* Adds NAME=DIRECTORYSUFFIX. Nothing is added for a @value of NULL. */
static int add(struct collection *collection, const char *name, const char *value,
	       const char *suffix)
{
	_cleanup_free_ char *item = NULL;

	if (!value)
		return 0;
	if (asprintf(&item, "%s=%s%s", name, value, suffix) < 0) {
		item = NULL; /* Undefined after a failure. */
		return -ENOMEM;
	}
	return strings_add(&collection->items, &collection->n_items, item);
}

/*
 * The home directory in its canonical form, or NULL. "/" is none: what a policy opens below a
 * home directory would be open everywhere.
 */
static char *canonical_home(const char *home)
{
	char *canonical;

	if (!home || home[0] != '/')
		return NULL;
	canonical = realpath(home, NULL);
	if (!canonical)
		canonical = strdup(home);
	if (canonical && strcmp(canonical, "/") == 0) {
		free(canonical);
		return NULL;
	}
	return canonical;
}

/* What stands for the home directory of a user who has none: nothing is there, by convention. */
#define NO_HOME "/nonexistent"

static int add_home(struct collection *collection, const char *home)
{
	static const struct {
		const char *name;
		const char *suffix;
	} directories[] = {
		{ "home", "" },		       { "config", "/.config" },
		{ "cache", "/.cache" },	       { "data", "/.local/share" },
		{ "state", "/.local/state" },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ELEMENTSOF(directories); i++)
		r = add(collection, directories[i].name, home ? home : NO_HOME,
			directories[i].suffix);
	return r;
}

static int add_project(struct collection *collection, const struct variables_request *request,
		       const char *home, struct diag *diag)
{
	_cleanup_free_ char *directory = realpath(request->cwd, NULL);
	struct project project = { 0 };
	int r;

	if (!directory)
		return -errno;
	r = project_find(directory, home, request->uid, diag, &project);
	if (r < 0)
		return r;
	r = add(collection, "project", project.top, "");
	if (r == 0)
		r = add(collection, "project_git", project.git, "");
	project_done(&project);
	return r;
}

/* Adds the registry set in @path, if one is. */
static int add_registry_of(struct collection *collection, const char *path)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_free_ char *host = NULL;
	int r;

	if (file_read(path, MAX_NPMRC_SIZE, &text, NULL) < 0)
		return 0; /* Not there or not readable: then npm has no use of it either. */
	r = npm_registry_parse(strbuf_string(&text), &host);
	if (r < 0)
		return r;
	return add(collection, "registry:npm", host, "");
}

/* The file in the project is not asked: it can be written from inside the fence. */
static int add_registry(struct collection *collection, const char *home)
{
	_cleanup_free_ char *own = home ? path_join(home, ".npmrc") : NULL;
	size_t n_items = collection->n_items;
	int r;

	if (own) {
		r = add_registry_of(collection, own);
		if (r < 0)
			return r;
	}
	return collection->n_items > n_items ? 0 : add_registry_of(collection, SYSTEM_NPMRC);
}

static int collect(struct collection *collection, const struct variables_request *request,
		   struct diag *diag)
{
	_cleanup_free_ char *home = canonical_home(request->home);
	char runtime[sizeof("/run/user/4294967295")];
	int r;

	(void)snprintf(runtime, sizeof(runtime), "/run/user/%u", request->uid);
	r = add_home(collection, home);
	if (r == 0)
		r = add_project(collection, request, home, diag);
	if (r == 0)
		r = add(collection, "user", request->user, "");
	if (r == 0)
		r = add(collection, "runtime", runtime, "");
	if (r == 0)
		r = add(collection, "tmp", request->tmp, "");
	if (r == 0)
		r = add_registry(collection, home);
	if (r == 0 && !ARRAY_GROW(collection->items, collection->n_items))
		r = -ENOMEM;
	return r;
}

int variables_collect(const struct variables_request *request, struct diag *diag,
		      char ***ret_variables)
{
	struct collection collection = { 0 };
	int r;

	r = collect(&collection, request, diag);
	if (r < 0) {
		strings_free(collection.items, collection.n_items);
		return r;
	}
	collection.items[collection.n_items] = NULL;
	*ret_variables = collection.items;
	return 0;
}
