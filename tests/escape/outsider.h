/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The process outside of the fence, as its tasks see it: a socket for standard input.
 *
 *	inside  ──── READY, RESULT, HAND, HOLD ────▶  outside
 *	        ◀─── READY, HAND with a descriptor, HOLD ───
 */
#ifndef ESCAPE_OUTSIDER_H
#define ESCAPE_OUTSIDER_H

#include <limits.h>
#include <sys/types.h>

#define OUTSIDER_SOCKET_FD 0
/* A descriptor that whoever starts the fence has left open. */
#define OUTSIDER_LEFT_OPEN_FD 100

enum outsider_request {
	OUTSIDER_READY,  /* everything may change that has to; answered when it has */
	OUTSIDER_RESULT, /* @number of run @run; not answered */
	OUTSIDER_HAND,   /* open @path with flags @number and pass the descriptor on */
	OUTSIDER_HOLD,   /* the same and keep it; answered by @pid and its descriptor @number */
};

/* struct outsider_message - In both directions */
struct outsider_message {
	enum outsider_request request;
	int number;
	unsigned int run;
	pid_t pid;
	char path[PATH_MAX];
};

/* Both return 0 or -errno; -ECONNRESET if there is nobody any more. @fd may be -1. */
int outsider_send(int socket_fd, const struct outsider_message *message, int fd);
/* @ret_fd is -1 if there came none; NULL: there is to be none. */
int outsider_receive(int socket_fd, struct outsider_message *ret_message, int *ret_fd);

/*
 * For attacks. The descriptor of a file of the case, opened outside: or -EACCES if the kernel did
 * not let it in.
 */
int outsider_hand(const char *path, int flags);
/* Lets the outsider hold a file of the case open, until the end. */
int outsider_hold(const char *path, pid_t *ret_pid, int *ret_fd);

#endif
