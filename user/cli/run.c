/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Running one program in a fence of its own.
 *
 * Everything is made before the program, in an order in which a failure leaves it unborn: policy,
 * programs in the kernel, fence, prepared process, membership, and only then its release.
 */
#include "cli/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/event_loop.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "cli/command.h"
#include "cli/policy_load.h"
#include "compiler/compiled_policy.h"
#include "compiler/policy_compile.h"
#include "compiler/policy_enforceable.h"
#include "events/event_enrich.h"
#include "events/sink.h"
#include "fence/fence.h"
#include "fence/watcher.h"
#include "kernel/loader.h"
#include "kernel/membership.h"
#include "launch/environment.h"
#include "launch/identity.h"
#include "launch/private_tmp.h"
#include "launch/supervisor.h"

#define STATE_DIR "/var/lib/ringfence"
/* How long the tasks that the program left behind may take to die. */
#define KILL_TIMEOUT_MS 5000

/* struct run - All that a run owns, in the order in which it is made. */
struct run {
	const struct run_options *options;
	struct fence_identity fence_identity;
	struct identity *identity;
	char *tmp_dir;
	int tmp_fd;
	struct rlimit max_fds;
	struct policy *policy;
	struct compiled_policy *compiled;
	struct environment *environment;
	struct watcher_sinks sinks;
	struct loader *loader;
	struct fence_names names;
	struct fence *fence;
	struct event_loop *loop;
	struct watcher *watcher;
	struct supervisor *supervisor;
};

static void run_done(struct run *run)
{
	supervisor_free(run->supervisor);
	watcher_free(run->watcher);
	event_loop_free(run->loop);
	fence_free(run->fence);
	fence_names_done(&run->names);
	loader_close(run->loader);
	sink_free(run->sinks.activity);
	sink_free(run->sinks.refusals);
	environment_free(run->environment);
	compiled_policy_free(run->compiled);
	policy_free(run->policy);
	if (run->tmp_dir && private_tmp_remove(STATE_DIR, run->fence_identity.id) < 0)
		log_warn("cannot remove all of %s", run->tmp_dir);
	free(run->tmp_dir);
	cleanup_close(&run->tmp_fd);
	identity_free(run->identity);
}

/* ---- Policy ---- */

static int print_messages(const struct diag *diag)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	diag_format(diag, &text);
	if (strbuf_error(&text) < 0)
		return strbuf_error(&text);
	(void)!fputs(strbuf_string(&text), stderr); /* There is nowhere else to complain. */
	return 0;
}

static int compile_policy(struct run *run, struct diag *diag)
{
	const struct policy_load_request request = {
		.policy = run->options->policy,
		.policy_paths = (const char *const *)run->options->policy_paths,
		.identity = run->identity,
		.tmp = run->tmp_dir,
	};
	int r;

	r = policy_load(&request, diag, &run->policy);
	if (r < 0)
		return r;
	if (run->options->is_audit)
		run->policy->is_audit = true;
	policy_check_enforceable(run->policy, diag);
	if (diag_has_errors(diag))
		return -EINVAL;
	return policy_compile(run->policy, diag, &run->compiled);
}

static int prepare_policy(struct run *run)
{
	struct diag diag = { 0 };
	int r;

	r = policy_load_identity(run->options->user, &run->identity);
	if (r < 0)
		return EXIT_RUN_USAGE;
	r = fence_identity_draw(&run->fence_identity);
	if (r == 0)
		r = private_tmp_create(STATE_DIR, run->fence_identity.id, run->identity,
				       &run->tmp_dir);
	if (r == 0)
		r = run->tmp_fd = private_tmp_lock(run->tmp_dir);
	if (r < 0) {
		log_error("cannot make the private temporary directory below " STATE_DIR ": %s",
			  strerror(-r));
		return EXIT_RUN_CANNOT_ENFORCE;
	}
	r = compile_policy(run, &diag);
	if (print_messages(&diag) < 0 || r < 0)
		log_error("the policy %s cannot be put into force, so nothing was started",
			  QUOTED(run->options->policy));
	diag_done(&diag);
	return r < 0 ? EXIT_RUN_USAGE : 0;
}

/* ---- Fence ---- */

/*
 * One descriptor stays open for each object that the policy knows on a file system without generations;
 * in a container that is all of them.
 */
static int raise_max_fds(struct run *run)
{
	struct rlimit raised;

	if (getrlimit(RLIMIT_NOFILE, &run->max_fds) < 0)
		return -errno;
	raised = (struct rlimit){
		.rlim_cur = run->compiled->n_anchors + 1024,
		.rlim_max = run->max_fds.rlim_max,
	};
	if (raised.rlim_cur < run->max_fds.rlim_cur)
		raised.rlim_cur = run->max_fds.rlim_cur;
	if (raised.rlim_max < raised.rlim_cur)
		raised.rlim_max = raised.rlim_cur;
	if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
		return 0;
	log_error("cannot raise the limit of open files (ulimit -n) to %llu for a policy with %zu anchors: "
		  "%s; use fewer rules",
		  (unsigned long long)raised.rlim_cur, run->compiled->n_anchors, strerror(errno));
	return -errno;
}


static int open_sink(const char *path, struct sink **ret_sink)
{
	const struct sink_jsonl_options options = {
		.path = path,
		.max_bytes = SINK_DEFAULT_MAX_BYTES,
		.n_old_files = SINK_DEFAULT_OLD_FILES,
	};
	int r;

	if (strcmp(path, SINK_DEFAULT_PATH) == 0 && mkdir("/var/log/ringfence", 0750) < 0 &&
	    errno != EEXIST)
		r = -errno;
	else
		r = sink_jsonl_open(&options, ret_sink);
	if (r < 0)
		log_error("cannot open %s for events: %s; name another file", QUOTED(path),
			  strerror(-r));
	return r;
}

static int open_sinks(struct run *run)
{
	int r = open_sink(run->options->events, &run->sinks.refusals);

	if (r == 0 && run->options->record)
		r = open_sink(run->options->record, &run->sinks.activity);
	return r;
}

static int make_fence(struct run *run)
{
	const struct loader_options capacities = { .max_fences = 1, .max_policies = 1 };
	const struct fence_request request = {
		.identity = run->fence_identity,
		.slot = 0,
		.name = run->options->name,
		.is_recording = run->options->record != NULL,
		.policy = run->policy,
		.compiled = run->compiled,
	};
	int r;

	r = raise_max_fds(run);
	if (r == 0)
		r = loader_open(&capacities, &run->loader);
	if (r < 0)
		return r;
	membership_remove_stale();
	private_tmp_remove_stale(STATE_DIR, membership_is_in_use);
	r = fence_new(run->loader, &request, &run->names, &run->fence);
	if (r == 0)
		r = loader_pin(run->loader, run->fence_identity.id);
	if (r == 0)
		r = event_loop_new(&run->loop);
	if (r == 0)
		r = watcher_new(run->loader, run->loop, &run->names, &run->sinks,
				&run->watcher);
	return r;
}

/* ---- Program ---- */

static int log_failure(const struct run *run, const struct process_failure *failure)
{
	log_error("cannot %s for %s: %s", process_step_sentence(failure->step),
		  QUOTED(run->options->argv[0]), strerror(failure->error));
	return -failure->error;
}

static int build_environment(struct run *run)
{
	const struct environment_request request = {
		.caller = environ,
		.policy = run->policy,
		.identity = run->identity,
		.tmp_dir = "/tmp",
		.fence_id = run->fence_identity.id,
	};
	int r = environment_build(&request, &run->environment);

	for (size_t i = 0; r == 0 && i < run->environment->n_dropped; i++)
		log_debug("not passed on: the environment variable %s",
			  QUOTED(run->environment->dropped[i]));
	return r;
}

static int prepare_program(struct run *run)
{
	/* By its path: the private /tmp is mounted over the place a descriptor would lead to. */
	_cleanup_free_ char *directory = getcwd(NULL, 0);
	struct process_request request = {
		.identity = run->identity,
		.argv = run->options->argv,
		.directory = directory,
		.tmp_dir = run->tmp_dir,
		.project = run->policy->project,
		.kill_fd = membership_kill_fd(fence_membership(run->fence)),
		.max_fds = &run->max_fds,
	};
	struct process_failure failure = { 0 };
	int r;

	if (!directory) {
		log_error("cannot tell the working directory: %s", strerror(errno));
		return -errno;
	}
	r = build_environment(run);
	if (r < 0)
		return r;
	request.environment = run->environment->variables;
	r = supervisor_new(run->loop, &run->supervisor);
	if (r < 0)
		return r;
	r = supervisor_prepare(run->supervisor, &request, &failure);
	if (r < 0 && failure.error)
		return log_failure(run, &failure);
	return r;
}

static int start_program(struct run *run)
{
	int r = prepare_program(run);

	if (r == 0)
		r = fence_add(run->fence, supervisor_pid(run->supervisor),
			      supervisor_pidfd(run->supervisor));
	if (r == 0)
		r = supervisor_release(run->supervisor);
	if (r < 0)
		log_error("%s was not started: %s", QUOTED(run->options->argv[0]), strerror(-r));
	return r;
}

/* The one line that says whether there is something to look at. */
static void print_summary(const struct run *run, const struct watcher_totals *totals)
{
	bool is_on_stderr = strcmp(run->options->events, "-") == 0;

	if (totals->n_refused)
		log_info("%" PRIu64 " %s%s%s", totals->n_refused,
			 run->policy->is_audit ? "would have been refused" : "refused",
			 is_on_stderr ? "" : "; see ringfence events ",
			 is_on_stderr ? "" : run->options->events);
	if (totals->n_lost || totals->n_unwritten)
		log_warn("%" PRIu64 " events are missing there", totals->n_lost + totals->n_unwritten);
}

static int finish(struct run *run)
{
	struct supervisor_result result = supervisor_result(run->supervisor);
	struct watcher_totals totals;

	if (result.failure.error)
		log_failure(run, &result.failure);
	if (membership_kill(fence_membership(run->fence), KILL_TIMEOUT_MS) < 0)
		log_warn("not every task of the fence has ended; it stays in force for those");
	watcher_finish(run->watcher, fence_slot(run->fence), fence_cookie(run->fence), &totals);
	print_summary(run, &totals);
	return result.exit_code;
}

static int run_in_fence(struct run *run)
{
	int r;

	r = prepare_policy(run);
	if (r)
		return r;
	if (open_sinks(run) < 0)
		return EXIT_RUN_USAGE;
	if (make_fence(run) < 0 || start_program(run) < 0)
		return EXIT_RUN_CANNOT_ENFORCE;
	while (!supervisor_is_finished(run->supervisor)) {
		r = event_loop_run_once(run->loop, -1);
		if (r < 0)
			log_error("an event source failed: %s; enforcement goes on", strerror(-r));
	}
	return finish(run);
}

int run_program(const struct run_options *options)
{
	struct run run = { .options = options, .tmp_fd = -1 };
	int exit_code;

	if (process_open_missing_stdio() < 0)
		return EXIT_RUN_CANNOT_ENFORCE;
	if (geteuid() != 0) {
		log_error("running a program in a fence needs root; put sudo before it, the program "
			  "still runs as you");
		return EXIT_RUN_CANNOT_ENFORCE;
	}
	exit_code = run_in_fence(&run);
	run_done(&run);
	return exit_code;
}
