/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A fence made by `ringfence run`, with a probe in it that answers. */
#include "lib/fence_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/**
 * struct fence_fixture - See the header
 * @runner:    ringfence; 0: it has been waited for.
 * @socket_fd: Standard input and output of the probe.
 */
struct fence_fixture {
	pid_t runner;
	int socket_fd;
	int exit_status;
};

static _Noreturn void run(const struct fence_fixture_options *options, int socket_fd)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0 || dup2(socket_fd, STDIN_FILENO) < 0 || dup2(socket_fd, STDOUT_FILENO) < 0)
		_exit(125);
	self[len] = '\0';
	if (options->directory && chdir(options->directory) < 0)
		_exit(125);
	(void)execlp("ringfence", "ringfence", "run", "-p", options->policy, "--events",
		     options->events, "--", self, FENCE_FIXTURE_PROBE, NULL);
	perror("ringfence");
	_exit(125);
}

int fence_fixture_start(const struct fence_fixture_options *options,
			struct fence_fixture **ret_fixture)
{
	_cleanup_(fence_fixture_freep) struct fence_fixture *fixture = calloc(1, sizeof(*fixture));
	int sockets[2];

	if (!fixture)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	fixture->socket_fd = sockets[0];
	fixture->runner = fork();
	if (fixture->runner == 0)
		run(options, sockets[1]);
	(void)close(sockets[1]); /* Nothing was written. */
	if (fixture->runner < 0) {
		fixture->runner = 0;
		return -errno;
	}
	*ret_fixture = TAKE_PTR(fixture);
	return 0;
}

int fence_fixture_probe(struct fence_fixture *fixture, enum probe probe, const char *path)
{
	struct probe_request request = { .probe = probe };
	int result;

	(void)snprintf(request.path, sizeof(request.path), "%s", path);
	if (send(fixture->socket_fd, &request, sizeof(request), MSG_NOSIGNAL) !=
		    (ssize_t)sizeof(request) ||
	    recv(fixture->socket_fd, &result, sizeof(result), MSG_WAITALL) !=
		    (ssize_t)sizeof(result))
		return -ECONNRESET;
	return result;
}

int fence_fixture_stop(struct fence_fixture *fixture)
{
	int status;

	if (!fixture->runner)
		return fixture->exit_status;
	(void)shutdown(fixture->socket_fd, SHUT_WR); /* If the probe is gone, that is as good. */
	while (waitpid(fixture->runner, &status, 0) < 0)
		if (errno != EINTR)
			return 125;
	fixture->runner = 0;
	fixture->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return fixture->exit_status;
}

struct fence_fixture *fence_fixture_free(struct fence_fixture *fixture)
{
	if (!fixture)
		return NULL;
	(void)fence_fixture_stop(fixture); /* Who wants to know has asked. */
	cleanup_close(&fixture->socket_fd);
	free(fixture);
	return NULL;
}
