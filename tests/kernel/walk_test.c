/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The walk on real files: a rule holds for the object by every road, and for the name.
 *
 * Each case is tried outside, where it must succeed, and in a fence, where it must end as the case says
 * and as `explain` says; what is refused must be one event. So every case has a file of its own:
 * repeated refusals of one object are one event.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain_object.h"
#include "compiler/explain.h"
#include "compiler/policy_compile.h"
#include "compiler/policy_parse.h"
#include "kernel/walk_scene.h"
#include "lib/expect_event.h"
#include "lib/fence_fixture.h"
#include "lib/harness.h"
#include "ringfence/limits.h"

#define POLICY_FILE "/tmp/walk_policy.json"
#define EVENTS_FILE "/tmp/walk_events.jsonl"

/* How the path of a case is reached. */
enum road {
	PLAINLY,
	BY_OLD_NUMBER,     /* plainly, but it needs generations */
	BY_PROC_ROOT,      /* /proc/self/root before it */
	BY_NAMESPACE,      /* below the root of a process in another mount namespace */
	BY_DETACHED_MOUNT, /* below a mount of /project/open that is mounted nowhere */
};

/**
 * struct walk_case - What is tried, and how it must end
 * @path:   Below the scene.
 * @error:  What the probe gets: 0, EACCES (deny) or ENOENT (hide).
 * @rule:   That refuses it: below the scene, or a rule for a name. NULL: none.
 * @reason: NULL if @rule does.
 * @object: The path in the event, below the scene; NULL: @path.
 */
struct walk_case {
	const char *sentence;
	enum probe probe;
	const char *path;
	int error;
	const char *rule;
	const char *reason;
	const char *object;
	enum road road;
};

#define ALLOWED(sentence, probe, path) { sentence, PROBE_##probe, path, 0, NULL, NULL, NULL, PLAINLY }
#define DENIED(sentence, probe, path, rule) \
	{ sentence, PROBE_##probe, path, EACCES, rule, NULL, NULL, PLAINLY }
#define DENIED_AS(sentence, probe, path, rule, object) \
	{ sentence, PROBE_##probe, path, EACCES, rule, NULL, object, PLAINLY }
#define HIDDEN(sentence, probe, path, rule) \
	{ sentence, PROBE_##probe, path, ENOENT, rule, NULL, NULL, PLAINLY }

static const struct walk_case still_cases[] = {
	ALLOWED("a file of the project", READ, "/project/plain"),
	ALLOWED("a file of the project, to write", WRITE, "/project/plain"),
	ALLOWED("the project's directory", LIST, "/project"),
	ALLOWED("a program of the project", EXECUTE, "/project/program"),
	ALLOWED("below a deeper rule that allows", READ, "/protected/open/plain"),
	ALLOWED("what may be read", READ, "/readonly/plain"),
	DENIED("below a rule", READ, "/protected/plain", "/protected"),
	DENIED("the directory of a rule", LIST, "/protected", "/protected"),
	HIDDEN("below a rule that hides", READ, "/hidden/plain", "/hidden"),
	HIDDEN("the directory of a rule that hides", LIST, "/hidden", "/hidden"),
	DENIED("what may be read, to write", WRITE, "/readonly/plain", "/readonly"),
	DENIED("what may be read, to execute", EXECUTE, "/readonly/program", "/readonly"),
	DENIED("below a deeper rule, to write", WRITE, "/protected/open/plain", "/protected/open"),
	{ "what no rule names", PROBE_READ, "/other/plain", ENOENT, NULL, "unlisted", NULL, PLAINLY },

	DENIED("a name that a rule names", READ, "/project/sub/secret.key", "**/secret.key"),
	DENIED("a name that a pattern matches", READ, "/project/sub/server.pem", "**/*.pem"),
	HIDDEN("a pattern with two ends", READ, "/project/sub/.open.swp", "**/.*.swp"),
	ALLOWED("a name that is only longer", READ, "/project/sub/secret.keys"),
	DENIED("a name of 31 bytes", READ, "/project/" NAME31, "**/" NAME31),
	DENIED("a name of 32 bytes", READ, "/project/" NAME32, "**/" NAME32),
	DENIED("a name of 255 bytes", READ, "/project/" NAME255, "**/" NAME255),
	ALLOWED("another name of 255 bytes", READ, "/project/" OTHER255),
	ALLOWED("a name with control bytes", READ, "/project/" HOSTILE_NAME),
	DENIED("a name with control bytes below a rule", READ, "/protected/" HOSTILE_NAME,
	       "/protected"),

	DENIED("a hard link to a file that a rule names", READ, "/project/link_to_named",
	       "/named/linked"),
	ALLOWED("a hard link to a file that no rule names", READ, "/project/link_to_unnamed"),
	DENIED("a hard link into a protected directory", READ, "/protected/link_to_project",
	       "/protected"),
	{ "a hard link to a forbidden program", PROBE_EXECUTE, "/project/link_to_program", EACCES,
	  "/project/forbidden_program", "program", NULL, PLAINLY },

	DENIED("a bind mount of a rule's directory", READ, "/project/bind_anchor/by_anchor",
	       "/protected"),
	DENIED("a bind mount of a directory below a rule", READ, "/project/bind_below/by_below",
	       "/protected"),
	DENIED("a bind mount out of a bind mount", READ, "/project/bind_deeper/by_deeper",
	       "/protected"),
	DENIED("a bind mount of a file below a rule", READ, "/project/bind_file", "/protected"),
	DENIED("a bind mount of what is above a rule", READ,
	       "/project/bind_above/protected/by_above", "/protected"),
	DENIED("a bind mount on a directory below a rule", READ, "/protected/cover/by_cover",
	       "/protected"),

	DENIED_AS("a symbolic link", READ, "/project/symlink", "/protected",
		  "/protected/by_symlink"),
	DENIED_AS("a relative symbolic link", READ, "/project/relative_symlink", "/protected",
		  "/protected/by_relative_symlink"),
	DENIED_AS("a symbolic link to a directory", READ,
		  "/project/directory_symlink/by_directory_symlink", "/protected",
		  "/protected/by_directory_symlink"),
	DENIED_AS("dot dot", READ, "/project/../protected/by_dot_dot", "/protected",
		  "/protected/by_dot_dot"),
	DENIED("O_PATH, then open by /proc/self/fd", REOPEN, "/protected/by_reopen", "/protected"),
	DENIED("a file handle", HANDLE, "/project/denied/by_handle", "/project/denied"),
	{ "/proc/self/root", PROBE_READ, "/protected/by_proc_root", EACCES, "/protected", NULL,
	  NULL, BY_PROC_ROOT },
	{ "another mount namespace", PROBE_READ, "/project/namespace/by_namespace", EACCES,
	  "/protected", NULL, NULL, BY_NAMESPACE },
	{ "a detached mount", PROBE_READ, "/by_detached_mount", EACCES, NULL, "unresolved", NULL,
	  BY_DETACHED_MOUNT },
};

/* After scenes_change(). */
static const struct walk_case changed_cases[] = {
	DENIED("a rule's directory that was moved", READ, "/project/moved/by_rename", "/movable"),
	DENIED("the name that it left", READ, "/movable/by_new_name", "/movable"),
	DENIED("below a directory that was moved", READ, "/project/above/anchor/by_rename_above",
	       "/above/anchor"),
	DENIED("a rule's directory that is new", READ, "/arrivals/later/by_name",
	       "/arrivals/later"),
	DENIED("a name that is new", READ, "/arrivals/secret.key", "**/secret.key"),
	DENIED("a rule's file that was moved", READ, "/named/old", "/named/replaced"),
	DENIED("the file in its place", READ, "/named/replaced", "/named/replaced"),
	DENIED("a rule's file that was made anew", READ, "/named/recreated", "/named/recreated"),
	DENIED("a protected file with the number of one that was allowed", READ,
	       "/protected/number_of_removed", "/protected"),
	{ "a file with the number of one that was refused", PROBE_READ,
	  "/named/number_of_recreated", 0, NULL, NULL, NULL, BY_OLD_NUMBER },
	ALLOWED("a file that somebody outside moved into the project", READ,
		"/project/by_rename_in"),
};

/* ---- Running a case ---- */

/* struct run - What there is for all cases. */
struct run {
	struct compiled_policy *policy;
	struct known_objects objects;
	struct holder holder;
	struct fence_fixture *fence;
	bool is_changed;
};

static void path_of(const struct run *run, const struct scene *scene, const struct walk_case *one,
		    char path[PATH_MAX])
{
	switch (one->road) {
	case PLAINLY:
	case BY_OLD_NUMBER:
		(void)snprintf(path, PATH_MAX, "%s%s", scene->path, one->path);
		break;
	case BY_PROC_ROOT:
		(void)snprintf(path, PATH_MAX, "/proc/self/root%s%s", scene->path, one->path);
		break;
	case BY_NAMESPACE:
		(void)snprintf(path, PATH_MAX, "/proc/%d/root%s%s", run->holder.pid, scene->path,
			       one->path);
		break;
	case BY_DETACHED_MOUNT:
		(void)snprintf(path, PATH_MAX, "/proc/%d/fd/%d%s", run->holder.pid,
			       run->holder.mount_fds[scene - scenes], one->path);
		break;
	}
}

static rf_access_mask access_of(enum probe probe)
{
	if (probe == PROBE_EXECUTE)
		return RF_ACCESS_EXECUTE;
	return probe == PROBE_WRITE ? RF_ACCESS_WRITE : RF_ACCESS_READ;
}

/* What the program gets of what `explain` says; -errno if that fails. */
static int ask_explain(const struct run *run, const char *path, enum probe probe)
{
	const struct explain_identities identities = { known_objects_find,
						       (void *)&run->objects };
	_cleanup_explanation_ struct explanation explanation = { 0 };
	_cleanup_free_ char *resolved = NULL;
	int r = explain_object_resolve(path, &resolved);

	if (r == 0)
		r = explain_object(run->policy, resolved, access_of(probe), &identities,
				   &explanation);
	if (r < 0)
		return -ENOSYS;
	if (explanation.verdict == RF_VERDICT_ALLOW)
		return 0;
	return explanation.verdict == RF_VERDICT_HIDE ? -ENOENT : -EACCES;
}

static const char *error_text(int error)
{
	return error ? strerrorname_np(-error) : "success";
}

/* Whether the file system of @scene has what @one is about. */
static bool is_possible(const struct walk_case *one, const struct scene *scene)
{
	return (one->probe != PROBE_HANDLE || scene->has_handles) &&
	       (one->road != BY_OLD_NUMBER || scene->has_generations);
}

/* Outside, inside, and what explain says, which knows of no other namespaces and of no changes. */
static void run_path(const struct run *run, const struct scene *scene,
		     const struct walk_case *one, const char *path)
{
	bool has_explanation = !run->is_changed &&
			       (one->road == PLAINLY || one->road == BY_PROC_ROOT);
	int outside = probe(one->probe, path);
	int inside = fence_fixture_probe(run->fence, one->probe, path);
	int explained = has_explanation ? ask_explain(run, path, one->probe) : -one->error;

	if (harness_ok(outside == 0 && inside == -one->error && explained == -one->error,
		       "%s: %s", scene->path, one->sentence))
		return;
	harness_note("expected %s inside and success outside; inside %s, outside %s, explain %s",
		     error_text(-one->error), error_text(inside), error_text(outside),
		     has_explanation ? error_text(explained) : "not asked");
}

static void run_case(const struct run *run, const struct scene *scene,
		     const struct walk_case *one)
{
	char path[PATH_MAX];

	if (!is_possible(one, scene))
		return;
	path_of(run, scene, one, path);
	run_path(run, scene, one, path);
}

static void run_cases(const struct run *run, const struct walk_case *cases, size_t n_cases)
{
	for (size_t i = 0; i < N_SCENES * n_cases; i++)
		run_case(run, &scenes[i / n_cases], &cases[i % n_cases]);
}

/* ---- Deep paths ---- */

static const struct walk_case deep_cases[] = {
	ALLOWED("a path as deep as can be resolved", READ, NULL),
	{ "a path one deeper", PROBE_READ, NULL, EACCES, NULL, "unresolved", NULL, PLAINLY },
};
/* The root is a level too. */
static const unsigned int depths[ELEMENTSOF(deep_cases)] = { RF_MAX_DEPTH - 1, RF_MAX_DEPTH };
static char *deep_paths[N_SCENES][ELEMENTSOF(deep_cases)];

static void make_deep_paths(void)
{
	for (size_t i = 0; i < N_SCENES; i++)
		for (size_t j = 0; j < ELEMENTSOF(deep_cases); j++)
			deep_paths[i][j] = scene_make_deep(&scenes[i], depths[j]);
}

static void run_deep_cases(const struct run *run)
{
	for (size_t i = 0; i < N_SCENES; i++)
		for (size_t j = 0; j < ELEMENTSOF(deep_cases); j++)
			run_path(run, &scenes[i], &deep_cases[j], deep_paths[i][j]);
}

/* ---- Events ---- */

static void check_event(struct event_log *log, const struct walk_case *one,
			const struct scene *scene, const char *path)
{
	bool is_execution = one->probe == PROBE_EXECUTE;
	char rule[PATH_MAX];
	const struct expected_event expected = {
		.path = path,
		.action = is_execution ? "program.execute" : "file.open",
		.access = is_execution ? "x" : one->probe == PROBE_WRITE ? "w" : "r",
		.verdict = one->error == ENOENT ? "hide" : "deny",
		.reason = one->reason ? one->reason : "rule",
		.rule = one->rule ? rule : NULL,
		.error = one->error == ENOENT ? "ENOENT" : "EACCES",
	};

	(void)snprintf(rule, sizeof(rule), "%s%s", one->rule && *one->rule == '/' ? scene->path : "",
		       one->rule ? one->rule : "");
	if (harness_ok(event_log_count(log, &expected) == 1, "%s: one event of: %s", scene->path,
		       one->sentence))
		return;
	harness_note("not one event with verdict %s, reason %s, rule \"%s\" but of this path:",
		     expected.verdict, expected.reason, rule);
	event_log_show(log, path);
}

static void check_events(struct event_log *log, const struct walk_case *cases, size_t n_cases)
{
	for (size_t i = 0; i < N_SCENES * n_cases; i++) {
		const struct scene *scene = &scenes[i / n_cases];
		const struct walk_case *one = &cases[i % n_cases];
		char path[PATH_MAX];

		if (one->error == 0 || one->road == BY_DETACHED_MOUNT || !is_possible(one, scene))
			continue;
		(void)snprintf(path, sizeof(path), "%s%s", scene->path,
			       one->object ? one->object : one->path);
		check_event(log, one, scene, path);
	}
}

static void check_log(void)
{
	/* Of a detached mount nobody knows where it is. */
	const struct expected_event detached = {
		.path = "/by_detached_mount", .action = "file.open", .access = "r",
		.verdict = "deny", .reason = "unresolved", .error = "EACCES",
	};
	_cleanup_(event_log_freep) struct event_log *log = NULL;
	int r = event_log_read(EVENTS_FILE, &log);

	if (r < 0)
		harness_give_up("cannot read the events: %s", strerror(-r));
	check_events(log, still_cases, ELEMENTSOF(still_cases));
	for (size_t i = 0; i < N_SCENES; i++)
		check_event(log, &deep_cases[1], &scenes[i], deep_paths[i][1]);
	check_events(log, changed_cases, ELEMENTSOF(changed_cases));
	harness_ok(event_log_count(log, &detached) == N_SCENES, "one event of each detached mount");
	harness_ok(event_log_show_rest(log) == 0, "no other events");
}

/* ---- All of it ---- */

static void compile_policy(struct run *run)
{
	const char *const none[] = { NULL };
	const struct parse_context context = { .variables = none, .search = none };
	_cleanup_(policy_freep) struct policy *policy = NULL;
	struct diag diag = { 0 };

	if (policy_parse_file(POLICY_FILE, &context, &diag, &policy) < 0 ||
	    policy_compile(policy, &diag, &run->policy) < 0 ||
	    known_objects_init(run->policy, &run->objects) < 0)
		harness_give_up("cannot compile the policy");
	diag_done(&diag);
}

static void prepare(struct run *run, const char *program)
{
	const struct fence_fixture_options options = { POLICY_FILE, EVENTS_FILE,
						       "/scratch/ext4/walk/project" };
	int r;

	scenes_make();
	make_deep_paths();
	scenes_write_policy(POLICY_FILE, program);
	compile_policy(run);
	holder_start(&run->holder);
	r = fence_fixture_start(&options, &run->fence);
	if (r == 0)
		r = fence_fixture_probe(run->fence, PROBE_LIST, "/usr");
	if (r < 0)
		harness_give_up("cannot start a fence: %s", strerror(-r));
}

int main(int argc, char **argv)
{
	struct run run = { 0 };
	char self[PATH_MAX];

	if (argc > 1 && strcmp(argv[1], FENCE_FIXTURE_PROBE) == 0) {
		probe_serve();
		return 0;
	}
	if (!realpath("/proc/self/exe", self))
		harness_give_up("cannot tell what program this is: %s", strerror(errno));
	prepare(&run, self);
	run_cases(&run, still_cases, ELEMENTSOF(still_cases));
	run_deep_cases(&run);
	scenes_change();
	run.is_changed = true;
	run_cases(&run, changed_cases, ELEMENTSOF(changed_cases));
	harness_ok(fence_fixture_stop(run.fence) == 0, "the fence ends well");
	fence_fixture_free(run.fence);
	(void)kill(run.holder.pid, SIGKILL);
	check_log();
	known_objects_done(&run.objects);
	compiled_policy_free(run.policy);
	return harness_end();
}
