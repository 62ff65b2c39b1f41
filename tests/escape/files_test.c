/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The escape suite: ways around the rules for files, each tried four ways.
 *
 *	outside any fence      succeeds, or the case proves nothing
 *	in a fence             fails with its error, and with exactly one event, which says why
 *	in a fence, in audit   succeeds, and is reported as what would have been
 *
 * Fences are dear, so all cases run in the same two: this program starts itself as `--inside PASS`
 * three times, alone and by `ringfence run`, is the outsider meanwhile, and then holds results and
 * events against what the cases say.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "escape/attempt.h"
#include "escape/inside.h"
#include "escape/outsider.h"
#include "events/event.h"
#include "lib/expect_event.h"
#include "lib/harness.h"

#define POLICY_FILE "/tmp/escape_%s.json"
#define EVENTS_FILE "/tmp/escape_%s.jsonl"

/* More than all trees have. */
#define MAX_ANCHORS 65536

/* Of a run that has not been tried. */
#define NO_RESULT 1

/* struct results - By pass and run: what came of the attack, and the events. */
struct results {
	int *of_run[N_PASSES];
	struct event_log *events[N_PASSES];
};

/* ---- The outsider ---- */

static void hand(int socket_fd, struct outsider_message *message)
{
	int fd = open(message->path, message->number | O_CLOEXEC);

	message->number = fd < 0 ? -errno : 0;
	(void)outsider_send(socket_fd, message, fd); /* If nobody is there the run has no result. */
	cleanup_close(&fd);
}

static void hold(int socket_fd, struct outsider_message *message)
{
	int fd = open(message->path, O_RDONLY | O_CLOEXEC); /* Stays open: this is what is asked. */

	message->number = fd < 0 ? -errno : fd;
	message->pid = getpid();
	(void)outsider_send(socket_fd, message, -1); /* As above. */
}

static void serve(int socket_fd, enum pass pass, struct results *results)
{
	struct outsider_message message;

	while (outsider_receive(socket_fd, &message, NULL) == 0) {
		switch (message.request) {
		case OUTSIDER_READY:
			trees_change(pass);
			(void)outsider_send(socket_fd, &message, -1); /* As above. */
			break;
		case OUTSIDER_RESULT:
			if (message.run < N_RUNS)
				results->of_run[pass][message.run] = message.number;
			break;
		case OUTSIDER_HAND:
			hand(socket_fd, &message);
			break;
		case OUTSIDER_HOLD:
			hold(socket_fd, &message);
			break;
		}
	}
}

/* ---- Passes ---- */

static _Noreturn void start(int socket_fd, enum pass pass, const char *self)
{
	const char *const name = pass_names[pass];
	char policy[64], events[64];

	(void)snprintf(policy, sizeof(policy), POLICY_FILE, name);
	(void)snprintf(events, sizeof(events), EVENTS_FILE, name);
	/* Objects that the policy names on tmpfs and overlayfs are held open. */
	if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ MAX_ANCHORS, MAX_ANCHORS }) < 0 ||
	    dup2(socket_fd, OUTSIDER_SOCKET_FD) < 0 ||
	    dup2(open("/etc/passwd", O_RDONLY), OUTSIDER_LEFT_OPEN_FD) < 0)
		_exit(125);
	if (pass == PASS_OUTSIDE)
		(void)execl(self, self, "--inside", name, NULL);
	else if (pass == PASS_ENFORCE)
		(void)execlp("ringfence", "ringfence", "run", "-p", policy, "--events", events,
			     "--", self, "--inside", name, NULL);
	else
		(void)execlp("ringfence", "ringfence", "run", "-p", policy, "--audit", "--events",
			     events, "--", self, "--inside", name, NULL);
	perror("ringfence");
	_exit(125);
}

static int run_inside(enum pass pass, const char *self, struct results *results)
{
	int sockets[2], status;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	child = fork();
	if (child == 0)
		start(sockets[1], pass, self);
	(void)close(sockets[1]); /* Nothing was written. */
	if (child > 0)
		serve(sockets[0], pass, results);
	(void)close(sockets[0]); /* What it was for is over. */
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
}

static void run_pass(enum pass pass, const char *self, struct results *results)
{
	char path[64];

	results->of_run[pass] = malloc(N_RUNS * sizeof(int));
	if (!results->of_run[pass])
		harness_give_up("out of memory");
	for (size_t run = 0; run < N_RUNS; run++)
		results->of_run[pass][run] = NO_RESULT;
	trees_make(pass);
	(void)snprintf(path, sizeof(path), POLICY_FILE, pass_names[pass]);
	trees_write_policy(pass, path, self);
	if (run_inside(pass, self, results) < 0)
		harness_give_up("not all cases were run: %s", pass_names[pass]);
	(void)snprintf(path, sizeof(path), EVENTS_FILE, pass_names[pass]);
	if (pass != PASS_OUTSIDE && event_log_read(path, &results->events[pass]) < 0)
		harness_give_up("cannot read the events in %s", path);
}

/* ---- Checks ---- */

static const char *result_text(int result)
{
	if (result == NO_RESULT)
		return "no result";
	return result ? strerrorname_np(-result) : "success";
}

/* What the attack is to come to. */
static int expected_result(const struct escape *escape, enum pass pass)
{
	if (pass == PASS_OUTSIDE || escape->kind == ESCAPE_ALLOWED || escape->kind == ESCAPE_GAP)
		return 0;
	if (pass == PASS_AUDIT && escape->kind == ESCAPE_REFUSED)
		return 0;
	return escape->outcome ? -escape->outcome : -escape->error;
}

static bool check_result(size_t run, enum pass pass, const struct results *results)
{
	int expected = expected_result(run_escape(run), pass);
	int result = results->of_run[pass][run];

	if (result == expected)
		return true;
	harness_note("%s: %s, not %s", pass_names[pass], result_text(result),
		     result_text(expected));
	return false;
}

static rf_access_mask usual_access(enum rf_action action)
{
	switch (action) {
	case RF_ACTION_FILE_OPEN:
	case RF_ACTION_FILE_RECEIVE:
		return RF_ACCESS_READ;
	case RF_ACTION_PROGRAM_EXECUTE:
	case RF_ACTION_FILE_MAP:
		return RF_ACCESS_EXECUTE;
	case RF_ACTION_FILE_RENAME:
	case RF_ACTION_FILE_LINK:
		return RF_ACCESS_READ | RF_ACCESS_WRITE;
	default:
		return RF_ACCESS_WRITE;
	}
}

/* The key of the rule in the event, owned; NULL if none decides. */
static char *rule_key(size_t run, enum pass pass)
{
	const struct escape *escape = run_escape(run);

	if (escape->reason != RF_REASON_RULE && escape->reason != RF_REASON_PROGRAM)
		return NULL;
	if (escape->rule && strncmp(escape->rule, "**", 2) == 0)
		return strdup(escape->rule);
	return run_named_path(run, pass, escape->rule ? escape->rule : escape->path);
}

static bool check_event(size_t run, enum pass pass, const struct results *results)
{
	const struct escape *escape = run_escape(run);
	_cleanup_free_ char *path = run_path(run, pass, escape->path);
	_cleanup_free_ char *rule = rule_key(run, pass);
	bool is_hidden = escape->error == ENOENT;
	char access[EVENT_ACCESS_SIZE];
	const struct expected_event expected = {
		.path = path,
		.action = event_action_name(escape->action),
		.access = escape->access ? escape->access :
					   event_access_text(usual_access(escape->action), access),
		.verdict = is_hidden ? "hide" : "deny",
		.reason = event_reason_name(escape->reason),
		.rule = rule,
		.error = pass == PASS_AUDIT ? NULL : is_hidden ? "ENOENT" : "EACCES",
	};
	size_t n = event_log_count(results->events[pass], &expected);

	/* Where nothing is refused, overlayfs goes on and asks for the file below, too. */
	if (n == 1 || (n > 1 && pass == PASS_AUDIT))
		return true;
	harness_note("%s: %zu events, not one, of: %s %s %s %s: %s, rule %s", pass_names[pass], n,
		     expected.verdict, expected.action, expected.access, path, expected.reason,
		     rule ? rule : "none");
	event_log_show(results->events[pass], path);
	return false;
}

static void check_run(size_t run, const struct results *results)
{
	const struct escape *escape = run_escape(run);
	bool passed = true;

	for (enum pass pass = 0; pass < N_PASSES; pass++) {
		passed &= check_result(run, pass, results);
		if (pass != PASS_OUTSIDE && escape->kind == ESCAPE_REFUSED)
			passed &= check_event(run, pass, results);
	}
	if (harness_ok(passed, "%s: %s: %s", run_place(run)->name, escape->name, escape->sentence))
		return;
	if (results->of_run[PASS_OUTSIDE][run] != 0)
		harness_note("invalid: the attack does not work outside of a fence");
	else if (escape->kind == ESCAPE_GAP)
		harness_note("docs/reference/escapes.md is out of date: this was a known gap");
}

static void check_runs(const struct results *results)
{
	for (size_t run = 0; run < N_RUNS; run++)
		if (run_is_possible(run))
			check_run(run, results);
	harness_ok(event_log_show_rest(results->events[PASS_ENFORCE]) == 0, "no other events");
}

static int pass_by_name(const char *name)
{
	for (int pass = 0; pass < N_PASSES; pass++)
		if (strcmp(pass_names[pass], name) == 0)
			return pass;
	return -EINVAL;
}

/* What this program is when attacks or passes start it; negative: the suite itself. */
static int run_as_helper(int argc, char **argv)
{
	int pass;

	if (argc != 3)
		return -1;
	if (strcmp(argv[1], "--has-loaded") == 0)
		return has_loaded(argv[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
	pass = pass_by_name(argv[2]);
	return pass < 0 ? EXIT_FAILURE : inside_run((enum pass)pass);
}

int main(int argc, char **argv)
{
	struct results results = { 0 };
	char self[PATH_MAX];
	int status = run_as_helper(argc, argv);

	if (status >= 0)
		return status;
	if (!realpath("/proc/self/exe", self))
		harness_give_up("cannot tell what program this is: %s", strerror(errno));
	for (enum pass pass = 0; pass < N_PASSES; pass++)
		run_pass(pass, self, &results);
	check_runs(&results);
	for (enum pass pass = 0; pass < N_PASSES; pass++) {
		event_log_free(results.events[pass]);
		free(results.of_run[pass]);
	}
	return harness_end();
}
