/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The object of `explain`. */
#include "cli/explain_object.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/strbuf.h"
#include "cli/mount_road.h"

/* struct known_object - The object of an anchor, by the numbers that stat(2) gives. */
struct known_object {
	dev_t dev;
	ino_t ino;
	struct rf_target target;
};

/* As many as the kernel follows in one path. */
#define MAX_LINKS 40

/**
 * struct unresolved - A path on its way
 * @head: What is looked at; owned.
 * @tail: What comes after it and does not exist; owned.
 */
struct unresolved {
	char *head;
	char *tail;
	int n_links;
};

static void unresolved_done(struct unresolved *path)
{
	free(path->head);
	free(path->tail);
}

/* Moves the last component of the head to the tail. -ENOENT if the head has none. */
static int cut_last_component(struct unresolved *path)
{
	char *slash = strrchr(path->head, '/');
	const char *last = slash ? slash + 1 : path->head;
	char *tail, *head;

	if (!*path->head || strcmp(path->head, "/") == 0 || strcmp(path->head, ".") == 0)
		return -ENOENT;
	if (asprintf(&tail, "%s/%s", last, path->tail) < 0)
		return -ENOMEM;
	free(path->tail);
	path->tail = tail;
	if (slash == path->head)
		head = strdup("/");
	else
		head = slash ? strndup(path->head, (size_t)(slash - path->head)) : strdup(".");
	if (!head)
		return -ENOMEM;
	free(path->head);
	path->head = head;
	return 0;
}

/* Goes on from where the head, a link to nothing, points to. 0 if it is no link, else 1. */
static int follow_link(struct unresolved *path)
{
	char target[PATH_MAX];
	ssize_t size = readlink(path->head, target, sizeof(target) - 1);
	char *head;

	if (size < 0)
		return 0;
	if (++path->n_links > MAX_LINKS)
		return -ELOOP;
	target[size] = '\0';
	head = path_beside(path->head, target);
	if (!head)
		return -ENOMEM;
	free(path->head);
	path->head = head;
	return 1;
}

/* Appends the components of @tail to @path, which is absolute. */
static int append_tail(struct strbuf *path, const char *tail)
{
	for (;;) {
		size_t size;

		tail += strspn(tail, "/");
		size = strcspn(tail, "/");
		if (!size)
			return 0;
		if (size == 2 && strncmp(tail, "..", size) == 0)
			return -EINVAL;
		if (size != 1 || *tail != '.') {
			if (path->size != 1)
				strbuf_append_byte(path, '/');
			strbuf_append(path, tail, size);
		}
		tail += size;
	}
}

int explain_object_resolve(const char *path, char **ret_path)
{
	_cleanup_(unresolved_done) struct unresolved rest = { strdup(path), strdup(""), 0 };
	_cleanup_strbuf_ struct strbuf result = { 0 };
	_cleanup_free_ char *resolved = NULL;
	char *owned;

	if (!rest.head || !rest.tail)
		return -ENOMEM;
	while (!(resolved = realpath(rest.head, NULL))) {
		int r;

		/* What cannot be looked at is decided by name, as what does not exist. */
		if (errno != ENOENT && errno != EACCES)
			return -errno;
		r = follow_link(&rest);
		if (r == 0)
			r = cut_last_component(&rest);
		if (r < 0)
			return r;
	}
	strbuf_append_string(&result, resolved);
	if (append_tail(&result, rest.tail) < 0)
		return -EINVAL;
	owned = strbuf_take(&result);
	if (!owned)
		return -ENOMEM;
	*ret_path = owned;
	return 0;
}

/*
 * The road past a bind mount, where that nothing is said of the place means nothing: replaces
 * @explanation if it is stricter.
 */
static int explain_other_road(const struct compiled_policy *policy, const char *path,
			      rf_access_mask access, const struct explain_identities *identities,
			      struct explanation *explanation)
{
	_cleanup_explanation_ struct explanation other = { 0 };
	struct compiled_policy past_bind = *policy; /* Borrows all it points to. */
	_cleanup_free_ char *other_path = NULL;
	struct explanation weaker;
	int r = mount_road_find(path, &other_path);

	if (r < 0 || !other_path)
		return r;
	past_bind.head.unlisted = RF_VERDICT_ALLOW;
	r = explain_path(&past_bind, other_path, access, identities, &other);
	if (r < 0 || other.verdict <= explanation->verdict)
		return r;
	weaker = *explanation;
	*explanation = other;
	other = weaker;
	return 0;
}

int explain_object(const struct compiled_policy *policy, const char *path, rf_access_mask access,
		   const struct explain_identities *identities, struct explanation *ret_explanation)
{
	int r = explain_path(policy, path, access, identities, ret_explanation);

	if (r < 0 || ret_explanation->verdict != RF_VERDICT_ALLOW)
		return r;
	return explain_other_road(policy, path, access, identities, ret_explanation);
}

void known_objects_done(struct known_objects *objects)
{
	free(objects->items);
	*objects = (struct known_objects){ 0 };
}

static int compare_objects(const void *left, const void *right)
{
	const struct known_object *a = left, *b = right;

	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	return (a->ino > b->ino) - (a->ino < b->ino);
}

int known_objects_init(const struct compiled_policy *policy, struct known_objects *ret_objects)
{
	struct known_objects objects = { 0 };

	objects.items = calloc(policy->n_anchors + 1, sizeof(*objects.items));
	if (!objects.items)
		return -ENOMEM;
	for (size_t i = 0; i < policy->n_anchors; i++) {
		struct stat status;

		if (lstat(policy->anchors[i].path, &status) == 0)
			objects.items[objects.n_items++] = (struct known_object){
				.dev = status.st_dev,
				.ino = status.st_ino,
				.target = policy->anchors[i].target,
			};
	}
	qsort(objects.items, objects.n_items, sizeof(*objects.items), compare_objects);
	*ret_objects = objects;
	return 0;
}

struct rf_target known_objects_find(void *context, const char *path)
{
	const struct known_objects *objects = context;
	const struct known_object *found;
	struct known_object wanted = { 0 };
	struct stat status;

	if (lstat(path, &status) < 0)
		return wanted.target;
	wanted.dev = status.st_dev;
	wanted.ino = status.st_ino;
	found = bsearch(&wanted, objects->items, objects->n_items, sizeof(*objects->items),
			compare_objects);
	return found ? found->target : wanted.target;
}
