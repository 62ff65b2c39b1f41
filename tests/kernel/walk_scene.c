/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What walk_test walks on. */
#include "kernel/walk_scene.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "lib/harness.h"

const struct scene scenes[N_SCENES] = {
	{ "/scratch/ext4/walk", true, true },  { "/scratch/tmpfs/walk", true, true },
	{ "/scratch/btrfs/walk", true, true }, { "/scratch/overlay/walk", false, false },
	{ "/home/walk", true, true },
};

/* ---- Policy ---- */

/* Rules of each scene; everything else is hidden. */
static const struct {
	const char *path;
	const char *answer;
} rules[] = {
	{ "/project", "rwx" },
	{ "/project/denied", "deny" },
	{ "/protected", "deny" },
	{ "/protected/open", "r" },
	{ "/hidden", "hide" },
	{ "/readonly", "r" },
	{ "/named", "rwx" },
	{ "/named/linked", "deny" },
	{ "/named/replaced", "deny" },
	{ "/named/recreated", "deny" },
	{ "/named/removed", "rw" },
	{ "/movable", "deny" },
	{ "/above", "rwx" },
	{ "/above/anchor", "deny" },
	{ "/arrivals", "rwx" },
	{ "/arrivals/later", "deny" },
};

/* Of all scenes together. What the probe needs comes first. */
static const char policy_head[] = "{\"name\":\"walk\",\"unlisted\":\"hide\",\"files\":{\n"
				  "\"/usr\":\"rx\",\"/lib\":\"rx\",\"/lib64\":\"rx\",\"/bin\":\"rx\",\n"
				  "\"/etc/ld.so.cache\":\"r\",\"/proc\":\"r\",\n"
				  "\"**/secret.key\":\"deny\",\"**/*.pem\":\"deny\",\n"
				  "\"**/.*.swp\":\"hide\",\"**/" NAME31 "\":\"deny\",\n"
				  "\"**/" NAME32 "\":\"deny\",\"**/" NAME255 "\":\"deny\"";

static void append_policy(struct strbuf *text, char *program)
{
	strbuf_append_string(text, policy_head);
	strbuf_printf(text, ",\n\"%s\":\"rx\"", dirname(program));
	for (size_t i = 0; i < N_SCENES; i++)
		for (size_t j = 0; j < ELEMENTSOF(rules); j++)
			strbuf_printf(text, ",\n\"%s%s\":\"%s\"", scenes[i].path, rules[j].path,
				      rules[j].answer);
	strbuf_append_string(text, "},\n\"programs\":{");
	for (size_t i = 0; i < N_SCENES; i++)
		strbuf_printf(text, "%s\n\"%s/project/forbidden_program\":\"deny\"", i ? "," : "",
			      scenes[i].path);
	strbuf_append_string(text, "}}\n");
}

void scenes_write_policy(const char *path, const char *program)
{
	_cleanup_fclose_ FILE *file = fopen(path, "we");
	_cleanup_free_ char *copy = strdup(program);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (copy)
		append_policy(&text, copy);
	if (!copy || !file || strbuf_error(&text) < 0 ||
	    fputs(strbuf_string(&text), file) < 0 || fflush(file) != 0)
		harness_give_up("cannot write %s: %s", path, strerror(errno));
}

/* ---- Trees ---- */

enum step_kind { DIRECTORY, ORDINARY, PROGRAM, LINK, SYMLINK, BIND, RENAME, REMOVE };

/* struct scene_step - Something done to a tree. Paths are below the scene's. */
struct scene_step {
	enum step_kind kind;
	const char *path;
	const char *source; /* LINK, SYMLINK, BIND, RENAME */
};

/* How a tree is made, in this order. */
static const struct scene_step making[] = {
	{ DIRECTORY, "", NULL },
	{ DIRECTORY, "/project", NULL },
	{ DIRECTORY, "/project/sub", NULL },
	{ DIRECTORY, "/project/open", NULL },
	{ DIRECTORY, "/project/denied", NULL },
	{ DIRECTORY, "/protected", NULL },
	{ DIRECTORY, "/protected/open", NULL },
	{ DIRECTORY, "/protected/below", NULL },
	{ DIRECTORY, "/protected/below/deeper", NULL },
	{ DIRECTORY, "/protected/cover", NULL },
	{ DIRECTORY, "/protected/namespace", NULL },
	{ DIRECTORY, "/hidden", NULL },
	{ DIRECTORY, "/readonly", NULL },
	{ DIRECTORY, "/named", NULL },
	{ DIRECTORY, "/movable", NULL },
	{ DIRECTORY, "/above", NULL },
	{ DIRECTORY, "/above/anchor", NULL },
	{ DIRECTORY, "/arrivals", NULL },
	{ DIRECTORY, "/other", NULL },

	{ ORDINARY, "/project/plain", NULL },
	{ ORDINARY, "/project/sub/secret.key", NULL },
	{ ORDINARY, "/project/sub/server.pem", NULL },
	{ ORDINARY, "/project/sub/.open.swp", NULL },
	{ ORDINARY, "/project/sub/secret.keys", NULL },
	{ ORDINARY, "/project/" NAME31, NULL },
	{ ORDINARY, "/project/" NAME32, NULL },
	{ ORDINARY, "/project/" NAME255, NULL },
	{ ORDINARY, "/project/" OTHER255, NULL },
	{ ORDINARY, "/project/" HOSTILE_NAME, NULL },
	{ ORDINARY, "/project/denied/by_handle", NULL },
	{ ORDINARY, "/project/open/by_cover", NULL },
	{ ORDINARY, "/project/open/by_detached_mount", NULL },
	{ ORDINARY, "/protected/plain", NULL },
	{ ORDINARY, "/protected/open/plain", NULL },
	{ ORDINARY, "/protected/" HOSTILE_NAME, NULL },
	{ ORDINARY, "/protected/unnamed", NULL },
	{ ORDINARY, "/protected/by_anchor", NULL },
	{ ORDINARY, "/protected/by_above", NULL },
	{ ORDINARY, "/protected/by_proc_root", NULL },
	{ ORDINARY, "/protected/by_symlink", NULL },
	{ ORDINARY, "/protected/by_relative_symlink", NULL },
	{ ORDINARY, "/protected/by_directory_symlink", NULL },
	{ ORDINARY, "/protected/by_dot_dot", NULL },
	{ ORDINARY, "/protected/by_reopen", NULL },
	{ ORDINARY, "/protected/by_rename_in", NULL },
	{ ORDINARY, "/protected/below/by_below", NULL },
	{ ORDINARY, "/protected/below/deeper/by_deeper", NULL },
	{ ORDINARY, "/protected/below/deeper/single", NULL },
	{ ORDINARY, "/protected/namespace/by_namespace", NULL },
	{ ORDINARY, "/hidden/plain", NULL },
	{ ORDINARY, "/readonly/plain", NULL },
	{ ORDINARY, "/named/linked", NULL },
	{ ORDINARY, "/named/replaced", NULL },
	{ ORDINARY, "/named/recreated", NULL },
	{ ORDINARY, "/named/removed", NULL },
	{ ORDINARY, "/movable/by_rename", NULL },
	{ ORDINARY, "/above/anchor/by_rename_above", NULL },
	{ ORDINARY, "/other/plain", NULL },
	{ PROGRAM, "/project/program", NULL },
	{ PROGRAM, "/project/forbidden_program", NULL },
	{ PROGRAM, "/readonly/program", NULL },

	{ LINK, "/project/link_to_named", "/named/linked" },
	{ LINK, "/project/link_to_unnamed", "/protected/unnamed" },
	{ LINK, "/protected/link_to_project", "/project/plain" },
	{ LINK, "/project/link_to_program", "/project/forbidden_program" },
	{ SYMLINK, "/project/symlink", "/protected/by_symlink" },
	{ SYMLINK, "/project/relative_symlink", "../protected/by_relative_symlink" },
	{ SYMLINK, "/project/directory_symlink", "/protected" },

	{ DIRECTORY, "/project/bind_anchor", NULL },
	{ DIRECTORY, "/project/bind_below", NULL },
	{ DIRECTORY, "/project/bind_deeper", NULL },
	{ DIRECTORY, "/project/bind_above", NULL },
	{ DIRECTORY, "/project/namespace", NULL },
	{ ORDINARY, "/project/bind_file", NULL },
	{ BIND, "/project/bind_anchor", "/protected" },
	{ BIND, "/project/bind_below", "/protected/below" },
	{ BIND, "/project/bind_deeper", "/project/bind_below/deeper" },
	{ BIND, "/project/bind_file", "/protected/below/deeper/single" },
	{ BIND, "/project/bind_above", "" },
	{ BIND, "/protected/cover", "/project/open" },
};

/* What happens while the fence is there, in this order. */
static const struct scene_step changing[] = {
	{ RENAME, "/project/moved", "/movable" },
	{ DIRECTORY, "/movable", NULL },
	{ ORDINARY, "/movable/by_new_name", NULL },
	{ RENAME, "/project/above", "/above" },
	{ DIRECTORY, "/arrivals/later", NULL },
	{ ORDINARY, "/arrivals/later/by_name", NULL },
	{ ORDINARY, "/arrivals/secret.key", NULL },
	{ RENAME, "/named/old", "/named/replaced" },
	{ ORDINARY, "/named/replaced", NULL },
	{ REMOVE, "/named/recreated", NULL },
	{ ORDINARY, "/named/number_of_recreated", NULL },
	{ ORDINARY, "/named/recreated", NULL },
	{ REMOVE, "/named/removed", NULL },
	{ ORDINARY, "/protected/number_of_removed", NULL },
	{ RENAME, "/project/by_rename_in", "/protected/by_rename_in" },
};

static int make_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	return write(fd, "content\n", 8) < 0 ? -errno : 0;
}

static int make_program(const char *path)
{
	_cleanup_close_ int from = open("/bin/true", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	char block[65536];
	ssize_t size;

	if (from < 0 || to < 0)
		return -errno;
	while ((size = read(from, block, sizeof(block))) > 0)
		if (write(to, block, (size_t)size) != size)
			return -errno;
	return size < 0 ? -errno : 0;
}

static int make(enum step_kind kind, const char *path, const char *source)
{
	switch (kind) {
	case DIRECTORY:
		return mkdir(path, 0755) < 0 ? -errno : 0;
	case ORDINARY:
		return make_file(path);
	case PROGRAM:
		return make_program(path);
	case LINK:
		return link(source, path) < 0 ? -errno : 0;
	case SYMLINK:
		return symlink(source, path) < 0 ? -errno : 0;
	case BIND:
		return mount(source, path, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
	case RENAME:
		return rename(source, path) < 0 ? -errno : 0;
	case REMOVE:
		return unlink(path) < 0 ? -errno : 0;
	}
	return -EINVAL;
}

static void take_steps(const struct scene_step *steps, size_t n_steps)
{
	char path[PATH_MAX], source[PATH_MAX];

	for (size_t i = 0; i < N_SCENES * n_steps; i++) {
		const struct scene *scene = &scenes[i / n_steps];
		const struct scene_step *step = &steps[i % n_steps];
		int r;

		(void)snprintf(path, sizeof(path), "%s%s", scene->path, step->path);
		/* A relative one is the target of a symbolic link. */
		(void)snprintf(source, sizeof(source), "%s%s",
			       step->source && step->source[0] == '.' ? "" : scene->path,
			       step->source ? step->source : "");
		r = make(step->kind, path, source);
		if (r < 0)
			harness_give_up("cannot make %s: %s", path, strerror(-r));
	}
}

void scenes_make(void)
{
	take_steps(making, ELEMENTSOF(making));
}

void scenes_change(void)
{
	take_steps(changing, ELEMENTSOF(changing));
}

static unsigned int depth_of(const char *path)
{
	unsigned int depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

char *scene_make_deep(const struct scene *scene, unsigned int depth)
{
	_cleanup_strbuf_ struct strbuf path = { 0 };
	int r = 0;

	strbuf_printf(&path, "%s/project", scene->path);
	while (r == 0 && depth_of(strbuf_string(&path)) + 1 < depth) {
		strbuf_append_string(&path, "/d");
		r = mkdir(strbuf_string(&path), 0755) < 0 && errno != EEXIST ? -errno : 0;
	}
	strbuf_append_string(&path, "/file");
	if (r == 0)
		r = make_file(strbuf_string(&path));
	if (r < 0)
		harness_give_up("cannot make a path of %u components: %s", depth, strerror(-r));
	return strbuf_take(&path);
}

/* ---- Another mount namespace ---- */

static int hold_scene(const struct scene *scene, int *ret_mount_fd)
{
	char open[PATH_MAX], source[PATH_MAX], target[PATH_MAX];

	(void)snprintf(open, sizeof(open), "%s/project/open", scene->path);
	(void)snprintf(source, sizeof(source), "%s/protected/namespace", scene->path);
	(void)snprintf(target, sizeof(target), "%s/project/namespace", scene->path);
	*ret_mount_fd = open_tree(AT_FDCWD, open, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (*ret_mount_fd < 0 || mount(source, target, NULL, MS_BIND, NULL) < 0)
		return -errno;
	return 0;
}

static int hold(int mount_fds[N_SCENES])
{
	int r = 0;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	for (size_t i = 0; i < N_SCENES && r == 0; i++)
		r = hold_scene(&scenes[i], &mount_fds[i]);
	return r;
}

void holder_start(struct holder *ret_holder)
{
	const ssize_t size = sizeof(ret_holder->mount_fds);
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		harness_give_up("cannot make a pipe: %s", strerror(errno));
	ret_holder->pid = fork();
	if (ret_holder->pid == 0) {
		int r = hold(ret_holder->mount_fds);

		if (r < 0)
			harness_note("in the other mount namespace: %s", strerror(-r));
		else if (write(fds[1], ret_holder->mount_fds, (size_t)size) == size)
			(void)pause();
		_exit(1);
	}
	(void)close(fds[1]); /* Nothing was written. */
	if (ret_holder->pid < 0 || read(fds[0], ret_holder->mount_fds, (size_t)size) != size)
		harness_give_up("cannot start a process in another mount namespace");
	(void)close(fds[0]); /* Only read from. */
}
