/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Which directory is the project, and which git directory belongs to it.
 *
 * The answer decides what a policy opens, and programs in the fence can write in the project. So
 * nothing they could put there may widen the answer of the next start: a `.git` that points
 * elsewhere is followed only where that place points back, which takes write access there.
 */
#ifndef COMPILER_PROJECT_H
#define COMPILER_PROJECT_H

#include <sys/types.h>

#include "compiler/diag.h"

/**
 * struct project - The answer; strings are owned
 * @top: Top of the innermost git work tree of the user's around the directory, else the directory.
 *       NULL if that is "/" or holds the user's home directory: no project is that large.
 * @git: `@top/.git`; of a linked worktree the common git directory, of a submodule its own.
 */
struct project {
	char *top;
	char *git;
};

/* Both directories are canonical; @home may be NULL. Returns 0 or -ENOMEM. */
int project_find(const char *directory, const char *home, uid_t uid, struct diag *diag,
		 struct project *ret_project);
void project_done(struct project *project);

#endif
