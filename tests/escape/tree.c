/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The trees that cases run on, and the policy over them. */
#include "escape/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "escape/attempt.h"
#include "lib/harness.h"

const char *const pass_names[N_PASSES] = { "outside", "enforce", "audit" };

const struct place places[N_PLACES] = {
	{ ON_EXT4, "ext4", "/scratch/ext4/escape", "/scratch/ext4/escape", 0 },
	{ ON_TMPFS, "tmpfs", "/scratch/tmpfs/escape", "/scratch/tmpfs/escape", 0 },
	{ ON_BTRFS, "btrfs", "/scratch/btrfs/escape", "/scratch/btrfs/escape", 0 },
	{ ON_OVERLAY, "overlay", "/scratch/overlay/escape", "/scratch/overlay/escape", 0 },
	{ ON_ALIAS, "alias", "/scratch/alias", "/scratch/ext4/named", 0 },
	{ AS_USER, "user", "/scratch/ext4/user", "/scratch/ext4/user", 1000 },
};

/* ---- Runs ---- */

const struct place *run_place(size_t run)
{
	return &places[run / N_ESCAPES];
}

const struct escape *run_escape(size_t run)
{
	return __start_escapes[run % N_ESCAPES];
}

/*
 * In the alias everything has a rule: that of the alias. What succeeds anyway is tried in fewer
 * places, since time is dear.
 */
bool run_is_possible(size_t run)
{
	const struct escape *escape = run_escape(run);
	const unsigned int place = run_place(run)->bit;
	bool is_refused = escape->kind == ESCAPE_REFUSED || escape->kind == ESCAPE_CLOSED;

	if (escape->not_on & place)
		return false;
	if (place == ON_ALIAS && escape->reason == RF_REASON_UNLISTED)
		return false;
	return is_refused || !(place & (ON_TMPFS | ON_BTRFS | ON_ALIAS));
}

static char *path_below(const char *directory, size_t run, enum pass pass, const char *path)
{
	char *joined;

	if (asprintf(&joined, "%s/%s/%s%s%s", directory, pass_names[pass], run_escape(run)->name,
		     *path ? "/" : "", path) < 0)
		harness_give_up("out of memory");
	return joined;
}

char *run_path(size_t run, enum pass pass, const char *path)
{
	return path_below(run_place(run)->directory, run, pass, path);
}

char *run_named_path(size_t run, enum pass pass, const char *path)
{
	return path_below(run_place(run)->named, run, pass, path);
}

/* ---- Trees ---- */

static const char *const directories[] = {
	"",
	"home",
	"programs",
	"project",
	"project/area",
	"project/box",
	"project/kept",
	"project/kept/empty",
	"project/nest",
	"project/rooms",
	"project/rooms/red",
	"project/spare",
	"project/vault",
	"project/vault/deep",
};

static const char *const files[] = {
	"home/letter",	    "project/.env",	   "project/area/sealed", "project/box/paper",
	"project/kept/hook", "project/key",	   "project/notes",	  "project/rooms/red/safe",
	"project/server.pem", "project/vault/deep/token",
};

static int make_tree(const char *top, const struct escape *escape)
{
	int r = ATTEMPT(mkdir(top, 0755));

	if (r == 0)
		r = ATTEMPT(chdir(top));
	for (size_t i = 1; r == 0 && i < ELEMENTSOF(directories); i++)
		r = ATTEMPT(mkdir(directories[i], 0755));
	for (size_t i = 0; r == 0 && i < ELEMENTSOF(files); i++)
		r = ATTEMPT(mknod(files[i], S_IFREG | 0644, 0));
	if (r == 0 && escape->has_programs)
		r = copy_file("/bin/true", "programs/tool");
	if (r == 0 && escape->has_programs)
		r = copy_file("/bin/true", "programs/banned");
	return r;
}

/* What is made then is the user's. */
static int become(uid_t uid)
{
	if (uid == 0)
		return seteuid(0) < 0 || setegid(0) < 0 ? -errno : 0;
	return setegid(uid) < 0 || seteuid(uid) < 0 ? -errno : 0;
}

static void make_run(size_t run, enum pass pass)
{
	_cleanup_free_ char *top = run_path(run, pass, "");
	const struct escape *escape = run_escape(run);
	int r = become(run_place(run)->uid);

	if (r == 0)
		r = make_tree(top, escape);
	if (r == 0)
		r = become(0);
	if (r == 0)
		r = ATTEMPT(chdir("project"));
	if (r == 0 && escape->before)
		r = escape->before();
	if (r < 0)
		harness_give_up("cannot make %s: %s", top, strerror(-r));
}

static int make_directory(const char *path, uid_t uid)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	return ATTEMPT(chown(path, uid, uid));
}

static void make_place(const struct place *place, enum pass pass)
{
	_cleanup_free_ char *directory = NULL;
	int r = make_directory(place->named, place->uid);

	if (r == 0)
		r = make_directory(place->directory, place->uid);
	if (r == 0 && place->bit == ON_ALIAS && pass == 0)
		r = ATTEMPT(mount(place->named, place->directory, NULL, MS_BIND, NULL));
	if (r == 0 && asprintf(&directory, "%s/%s", place->directory, pass_names[pass]) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = make_directory(directory, place->uid);
	if (r < 0)
		harness_give_up("cannot make %s: %s", place->directory, strerror(-r));
}

void trees_make(enum pass pass)
{
	for (size_t i = 0; i < N_PLACES; i++)
		make_place(&places[i], pass);
	for (size_t run = 0; run < N_RUNS; run++)
		if (run_is_possible(run))
			make_run(run, pass);
}

static void change_run(size_t run, enum pass pass)
{
	_cleanup_free_ char *project = run_path(run, pass, "project");
	const struct escape *escape = run_escape(run);
	int r;

	if (!escape->meanwhile)
		return;
	r = ATTEMPT(chdir(project));
	if (r == 0)
		r = escape->meanwhile();
	if (r < 0)
		harness_give_up("cannot change %s: %s", project, strerror(-r));
}

void trees_change(enum pass pass)
{
	for (size_t run = 0; run < N_RUNS; run++)
		if (run_is_possible(run))
			change_run(run, pass);
}

/* ---- Policy ---- */

/* Of each tree; everything else is hidden. */
static const struct {
	const char *path;
	const char *answer;
} rules[] = {
	{ "programs", "rx" },
	{ "project", "rwx" },
	{ "project/area/sealed", "deny" },
	{ "project/kept", "r" },
	{ "project/key", "deny" },
	{ "project/nest/absent", "deny" },
	{ "project/rooms/*/safe", "deny" },
	{ "project/vault", "hide" },
};

static const char head[] = "{\"name\":\"escape\",\"unlisted\":\"hide\",\"files\":{\n"
			   "\"/usr\":\"rx\",\"/lib\":\"rx\",\"/lib64\":\"rx\",\"/bin\":\"rx\",\n"
			   "\"/etc/ld.so.cache\":\"r\",\"/proc\":\"r\",\"/dev/null\":\"rw\",\n"
			   "\"**/.env\":\"deny\",\"**/*.pem\":\"deny\",\"/scratch/alias\":\"rwx\"";

static void append_rule(struct strbuf *text, size_t run, enum pass pass, const char *path,
			const char *answer)
{
	_cleanup_free_ char *named = run_named_path(run, pass, path);

	strbuf_printf(text, ",\n\"%s\":\"%s\"", named, answer);
}

static void append_policy(struct strbuf *text, enum pass pass, const char *program)
{
	strbuf_append_string(text, head);
	strbuf_printf(text, ",\n\"%s\":\"rx\"", program);
	for (size_t run = 0; run < N_RUNS; run++)
		for (size_t i = 0; run_is_possible(run) && i < ELEMENTSOF(rules); i++)
			append_rule(text, run, pass, rules[i].path, rules[i].answer);
	/* The comma before each needs a first one. */
	strbuf_append_string(text, "},\n\"programs\":{\"/nothing\":\"deny\"");
	for (size_t run = 0; run < N_RUNS; run++)
		if (run_is_possible(run) && run_escape(run)->has_programs)
			append_rule(text, run, pass, "programs/banned", "deny");
	strbuf_append_string(text, "}}\n");
}

void trees_write_policy(enum pass pass, const char *path, const char *program)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r;

	append_policy(&text, pass, program);
	r = strbuf_error(&text);
	if (r == 0)
		r = write_file(path, strbuf_string(&text));
	if (r < 0)
		harness_give_up("cannot write %s: %s", path, strerror(-r));
}
