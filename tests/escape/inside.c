/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The half that runs in the fence. */
#include "escape/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/outsider.h"

/* An attack that waits for ever ends after so many seconds. */
#define TIME_LIMIT 20

static int become_user(uid_t uid)
{
	if (uid == 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	/* Else its links in /proc are root's. */
	return ATTEMPT(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

/* Attacks run programs that complain. */
static int be_quiet(void)
{
	_cleanup_close_ int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0 ? -errno : 0;
}

static int attack(size_t run, enum pass pass)
{
	_cleanup_free_ char *project = run_path(run, pass, "project");
	int r = ATTEMPT(chdir(project));

	if (r == 0)
		r = be_quiet();
	if (r == 0)
		r = become_user(run_place(run)->uid);
	if (r < 0)
		return -EUNATCH; /* No attack returns this one. */
	(void)alarm(TIME_LIMIT);
	return run_escape(run)->attack();
}

/* An error number fits an exit status. */
static int attack_in_child(size_t run, enum pass pass)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(-attack(run, pass));
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int tell(enum outsider_request request, size_t run, int number)
{
	const struct outsider_message message = {
		.request = request,
		.run = (unsigned int)run,
		.number = number,
	};

	return outsider_send(OUTSIDER_SOCKET_FD, &message, -1);
}

int inside_run(enum pass pass)
{
	struct outsider_message answer;
	int r;

	/* Programs read more files for some settings. */
	if (clearenv() != 0)
		return EXIT_FAILURE;
	r = tell(OUTSIDER_READY, 0, 0);
	if (r == 0)
		r = outsider_receive(OUTSIDER_SOCKET_FD, &answer, NULL);
	for (size_t run = 0; r == 0 && run < N_RUNS; run++)
		if (run_is_possible(run))
			r = tell(OUTSIDER_RESULT, run, attack_in_child(run, pass));
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
