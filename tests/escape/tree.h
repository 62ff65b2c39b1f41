/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The trees that cases run on, one for each case, place and pass, and the policy over them. */
#ifndef ESCAPE_TREE_H
#define ESCAPE_TREE_H

#include <stddef.h>
#include <sys/types.h>

#include "escape/escape.h"

/* Who is asked with what; each has trees of its own. */
enum pass {
	PASS_OUTSIDE, /* no fence */
	PASS_ENFORCE,
	PASS_AUDIT,
	N_PASSES
};

extern const char *const pass_names[N_PASSES];

/**
 * struct place - Somewhere that has trees
 * @bit:       In escape.not_on.
 * @directory: Where cases find their trees.
 * @named:     What rules call it.
 * @uid:       Owner of the trees, and who runs the cases.
 */
struct place {
	enum escape_place bit;
	const char *name;
	const char *directory;
	const char *named;
	uid_t uid;
};

#define N_PLACES 6
extern const struct place places[N_PLACES];

/* A run is one case at one place in each pass; runs have numbers. */
#define N_RUNS (N_PLACES * N_ESCAPES)

const struct place *run_place(size_t run);
const struct escape *run_escape(size_t run);
/* Whether the case can be tried there. */
bool run_is_possible(size_t run);

/* What is at @path below the case's directory, as found and as rules name it; the caller owns it. */
char *run_path(size_t run, enum pass pass, const char *path);
char *run_named_path(size_t run, enum pass pass, const char *path);

/* These give up on failure. Makes the trees, with what outsiders do beforehand. */
void trees_make(enum pass pass);
/* What outsiders do while there is a fence. */
void trees_change(enum pass pass);
/* Writes the policy of @pass; @program may be executed. */
void trees_write_policy(enum pass pass, const char *path, const char *program);

#endif
