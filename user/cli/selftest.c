/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Proof on the running kernel: a throw-away fence, and attempts in and outside of it. */
#include "cli/selftest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "cli/selftest_scene.h"
#include "compiler/compiled_policy.h"
#include "compiler/policy_compile.h"
#include "compiler/policy_parse.h"
#include "events/event_enrich.h"
#include "fence/fence.h"
#include "kernel/loader.h"

static const struct {
	const char *sentence;
	int expected;
} attempts[] = {
#define X(identifier, sentence, expected) { sentence, expected },
	SELFTEST_ATTEMPTS(X)
#undef X
};

bool selftest_has_passed(const struct selftest_result *result)
{
	return result->outside == 0 && result->inside == result->expected;
}

/* ---- Attempts; each returns 0 or an errno ---- */

static int try_open(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? errno : 0;
}

/* Waits for a child that exits with an errno. */
static int wait_for_errno(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EPROTO;
}

static int try_open_in_child(const char *path)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(try_open(path));
	return wait_for_errno(pid);
}

static int try_execute(const char *path)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)execl(path, path, NULL);
		_exit(errno);
	}
	return wait_for_errno(pid);
}

static int try_connect(uint16_t port)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? errno : 0;
}

static int try_attempt(const struct selftest_scene *scene, enum selftest_attempt attempt)
{
	switch (attempt) {
	case SELFTEST_OPEN_ALLOWED:
		return try_open(scene->allowed);
	case SELFTEST_OPEN_DENIED:
		return try_open(scene->denied);
	case SELFTEST_OPEN_HIDDEN:
		return try_open(scene->hidden);
	case SELFTEST_OPEN_UNLISTED:
		return try_open(scene->unlisted);
	case SELFTEST_OPEN_BY_LINK:
		return try_open(scene->link);
	case SELFTEST_OPEN_IN_CHILD:
		return try_open_in_child(scene->denied);
	case SELFTEST_EXECUTE_ALLOWED:
		return try_execute(scene->program);
	case SELFTEST_EXECUTE_DENIED:
		return try_execute(scene->denied_program);
	case SELFTEST_CONNECT_ALLOWED:
		return try_connect(scene->allowed_port);
	case SELFTEST_CONNECT_UNLISTED:
		return try_connect(scene->unlisted_port);
	case SELFTEST_N_ATTEMPTS:
		break;
	}
	return EINVAL;
}

/* ---- A child that makes them ---- */

/**
 * struct prober - The child
 * @go_fd:      Closed to let it begin.
 * @results_fd: Where its results come from.
 */
struct prober {
	pid_t pid;
	int pid_fd;
	int go_fd;
	int results_fd;
};

static void probe(const struct selftest_scene *scene, int go_fd, int results_fd)
{
	int results[SELFTEST_N_ATTEMPTS];
	char byte;

	if (read(go_fd, &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < SELFTEST_N_ATTEMPTS; i++)
		results[i] = try_attempt(scene, (enum selftest_attempt)i);
	_exit(write(results_fd, results, sizeof(results)) != sizeof(results));
}

static int prober_start(const struct selftest_scene *scene, struct prober *ret_prober)
{
	int go[2], results[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(results, O_CLOEXEC) < 0) {
		(void)close(go[0]);
		(void)close(go[1]);
		return -errno;
	}
	pid = fork();
	if (pid == 0) {
		(void)close(go[1]); /* Or it would wait for itself if the parent dies. */
		probe(scene, go[0], results[1]);
	}
	(void)close(go[0]);
	(void)close(results[1]);
	*ret_prober = (struct prober){
		.pid = pid,
		.pid_fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1,
		.go_fd = go[1],
		.results_fd = results[0],
	};
	return pid < 0 || ret_prober->pid_fd < 0 ? -errno : 0;
}

/* Lets it begin, and waits for its end and its results. */
static int prober_finish(struct prober *prober, int ret_results[SELFTEST_N_ATTEMPTS])
{
	const size_t size = sizeof(*ret_results) * SELFTEST_N_ATTEMPTS;
	bool is_complete = write(prober->go_fd, "", 1) == 1 &&
			   read(prober->results_fd, ret_results, size) == (ssize_t)size;

	cleanup_close(&prober->go_fd);
	cleanup_close(&prober->results_fd);
	cleanup_close(&prober->pid_fd);
	return wait_for_errno(prober->pid) == 0 && is_complete ? 0 : -EPROTO;
}

static void prober_abandon(struct prober *prober)
{
	cleanup_close(&prober->go_fd); /* It reads the end of the pipe and exits. */
	cleanup_close(&prober->results_fd);
	cleanup_close(&prober->pid_fd);
	if (prober->pid > 0)
		(void)wait_for_errno(prober->pid);
}

/* ---- The fence around it ---- */

static int compile(const struct selftest_scene *scene, struct policy **ret_policy,
		   struct compiled_policy **ret_compiled)
{
	const char *no_variables[] = { NULL };
	const struct parse_context context = { .variables = no_variables };
	_cleanup_strbuf_ struct strbuf text = { 0 }, messages = { 0 };
	struct diag diag = { 0 };
	int r;

	selftest_scene_policy(scene, &text);
	r = strbuf_error(&text);
	if (r == 0)
		r = policy_parse_text("self-test", strbuf_string(&text), text.size, &context, &diag,
				      ret_policy);
	if (r == 0)
		r = policy_compile(*ret_policy, &diag, ret_compiled);
	diag_format(&diag, &messages);
	if (r < 0)
		log_error("the self-test's policy does not compile:\n%s", strbuf_string(&messages));
	diag_done(&diag);
	return r;
}

static int run_in_fence(const struct selftest_scene *scene,
			struct fence *fence, int results[SELFTEST_N_ATTEMPTS])
{
	struct prober prober;
	int r = prober_start(scene, &prober);

	if (r == 0)
		r = fence_add(fence, prober.pid, prober.pid_fd);
	if (r < 0) {
		prober_abandon(&prober);
		return r;
	}
	return prober_finish(&prober, results);
}

static int run_inside(const struct selftest_scene *scene, int results[SELFTEST_N_ATTEMPTS])
{
	const struct loader_options capacities = { .max_fences = 1, .max_policies = 1 };
	_cleanup_(policy_freep) struct policy *policy = NULL;
	_cleanup_(compiled_policy_freep) struct compiled_policy *compiled = NULL;
	_cleanup_(loader_closep) struct loader *loader = NULL;
	struct fence_names names = { 0 };
	struct fence *fence = NULL;
	struct fence_request request = { .name = "self-test" };
	int r;

	r = compile(scene, &policy, &compiled);
	if (r == 0)
		r = loader_open(&capacities, &loader);
	if (r == 0)
		r = fence_identity_draw(&request.identity);
	if (r < 0)
		return r;
	request.policy = policy;
	request.compiled = compiled;
	r = fence_new(loader, &request, &names, &fence);
	if (r == 0)
		r = run_in_fence(scene, fence, results);
	fence_free(fence);
	fence_names_done(&names);
	return r;
}

static int run_outside(const struct selftest_scene *scene, int results[SELFTEST_N_ATTEMPTS])
{
	struct prober prober;
	int r = prober_start(scene, &prober);

	if (r < 0) {
		prober_abandon(&prober);
		return r;
	}
	return prober_finish(&prober, results);
}

int selftest_run(struct selftest_result ret_results[SELFTEST_N_ATTEMPTS])
{
	int outside[SELFTEST_N_ATTEMPTS], inside[SELFTEST_N_ATTEMPTS];
	struct selftest_scene scene;
	int r;

	r = selftest_scene_make(&scene);
	if (r == 0)
		r = run_outside(&scene, outside);
	if (r == 0)
		r = run_inside(&scene, inside);
	selftest_scene_remove(&scene);
	if (r < 0) {
		log_error("the self-test could not be made: %s", strerror(-r));
		return r;
	}
	for (size_t i = 0; i < SELFTEST_N_ATTEMPTS; i++)
		ret_results[i] = (struct selftest_result){
			.sentence = attempts[i].sentence,
			.outside = outside[i],
			.inside = inside[i],
			.expected = attempts[i].expected,
		};
	return 0;
}
