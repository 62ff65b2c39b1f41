/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which directory is the project, and which git directory belongs to it. */
#include "compiler/project.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"

/* More than any file of git that is read here holds. */
#define MAX_FILE_SIZE 65536

void project_done(struct project *project)
{
	free(project->top);
	free(project->git);
}

/* ---- Files of git ---- */

/* The text of a file of git, or NULL: what cannot be read proves nothing. */
static char *read_text(const char *directory, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_free_ char *path = path_join(directory, name);

	if (!path || file_read(path, MAX_FILE_SIZE, &text, NULL) < 0)
		return NULL;
	return strbuf_take(&text);
}

/* The canonical form of a path that stands alone in a file of git, or NULL. */
static char *resolve(const char *directory, char *path)
{
	_cleanup_free_ char *joined = NULL;

	path[strcspn(path, "\n")] = '\0';
	joined = path_join(directory, path);
	return joined ? realpath(joined, NULL) : NULL;
}

static char *read_path(const char *directory, const char *name)
{
	_cleanup_free_ char *text = read_text(directory, name);

	return text ? resolve(directory, text) : NULL;
}

/* ---- Git directories elsewhere ---- */

/*
 * The common git directory if @git_dir is that of the linked worktree @top, else NULL. Both ends
 * must agree: COMMON/worktrees/ID names the worktree, and lies where only the owner of COMMON can
 * have put it; a directory made up inside the project could claim any COMMON.
 */
static char *common_of_worktree(const char *git_dir, const char *top)
{
	_cleanup_free_ char *common = read_path(git_dir, "commondir");
	_cleanup_free_ char *back = read_path(git_dir, "gitdir");
	_cleanup_free_ char *worktrees = common ? path_join(common, "worktrees") : NULL;
	_cleanup_free_ char *git_file = path_join(top, ".git");
	const char *id = strrchr(git_dir, '/');

	if (!back || !worktrees || !git_file || strcmp(back, git_file) != 0)
		return NULL;
	if (strncmp(git_dir, worktrees, (size_t)(id - git_dir)) != 0 ||
	    worktrees[id - git_dir] != '\0')
		return NULL;
	return TAKE_PTR(common);
}

/* The value of `worktree` in the section `core` of a configuration of git, ended in place. */
static char *find_core_worktree(char *text)
{
	bool is_core = false;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		line += strspn(line, " \t");
		if (line[0] == '[')
			is_core = strncmp(line, "[core]", strlen("[core]")) == 0;
		if (!is_core || strncmp(line, "worktree", strlen("worktree")) != 0)
			continue;
		line += strlen("worktree");
		line += strspn(line, " \t");
		if (*line == '=')
			return line + 1 + strspn(line + 1, " \t");
	}
	return NULL;
}

/* Whether @git_dir, that of a submodule, names @top as its work tree. */
static bool is_git_dir_of(const char *git_dir, const char *top)
{
	_cleanup_free_ char *config = read_text(git_dir, "config");
	char *worktree = config ? find_core_worktree(config) : NULL;
	_cleanup_free_ char *resolved = worktree ? resolve(git_dir, worktree) : NULL;

	return resolved && strcmp(resolved, top) == 0;
}

/* The git directory that the file @top/.git leads to, if that leads back; else NULL. */
static char *follow_git_file(const char *top)
{
	static const char prefix[] = "gitdir: ";
	_cleanup_free_ char *text = read_text(top, ".git");
	_cleanup_free_ char *git_dir = NULL;
	char *common;

	if (!text || strncmp(text, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	git_dir = resolve(top, text + sizeof(prefix) - 1);
	if (!git_dir)
		return NULL;
	common = common_of_worktree(git_dir, top);
	if (common)
		return common;
	return is_git_dir_of(git_dir, top) ? TAKE_PTR(git_dir) : NULL;
}

/* ---- The project ---- */

/* Whether @directory is the top of a work tree of the user's own, as git would have it. */
static bool is_work_tree(const char *directory, uid_t uid)
{
	_cleanup_free_ char *git = path_join(directory, ".git");
	_cleanup_free_ char *head = path_join(directory, ".git/HEAD");
	struct stat status;

	if (!git || !head || lstat(git, &status) < 0 || status.st_uid != uid)
		return false;
	return S_ISREG(status.st_mode) || faccessat(AT_FDCWD, head, F_OK, AT_EACCESS) == 0;
}

/*
 * Shortens @directory to the top of the work tree around it, if there is one. A work tree that
 * holds the home directory counts only where the search starts: who removes a project's `.git` must
 * not make a home directory that is under version control the project.
 */
static void find_top(char *directory, const char *home, uid_t uid)
{
	_cleanup_free_ char *parent = strdup(directory);
	char *slash;

	while (parent && !is_work_tree(parent, uid)) {
		slash = strrchr(parent, '/');
		*slash = '\0';
		if (slash == parent || (home && path_is_within(home, parent)))
			return;
	}
	if (parent)
		directory[strlen(parent)] = '\0';
}

static int find_git(const char *top, struct diag *diag, char **ret_git)
{
	struct position position = { .line = 1, .column = 1 };
	_cleanup_free_ char *inside = path_join(top, ".git");
	struct stat status;
	char *git;

	if (!inside)
		return -ENOMEM;
	if (lstat(inside, &status) < 0 || !S_ISREG(status.st_mode)) {
		*ret_git = TAKE_PTR(inside);
		return 0;
	}
	git = follow_git_file(top);
	position.file = inside;
	if (!git)
		diag_warning(diag, &position,
			     "the git directory that this names does not name the work tree in "
			     "return, so it is not of the project; try \"git worktree repair\"");
	*ret_git = git ? git : TAKE_PTR(inside);
	return 0;
}

int project_find(const char *directory, const char *home, uid_t uid, struct diag *diag,
		 struct project *ret_project)
{
	_cleanup_free_ char *top = strdup(directory);
	int r;

	if (!top)
		return -ENOMEM;
	find_top(top, home, uid);
	if (strcmp(top, "/") == 0 ||
	    (home && strcmp(top, home) != 0 && path_is_within(home, top))) {
		*ret_project = (struct project){ 0 };
		return 0;
	}
	if (home && strcmp(top, home) == 0)
		diag_warning(diag, &(struct position){ .file = top },
			     "the home directory itself is the project; start in one below it");
	r = find_git(top, diag, &ret_project->git);
	if (r < 0)
		return r;
	ret_project->top = TAKE_PTR(top);
	return 0;
}
