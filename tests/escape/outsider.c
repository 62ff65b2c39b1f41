/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The process outside of the fence, as its tasks see it. */
#include "escape/outsider.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "escape/attempt.h"

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int outsider_send(int socket_fd, const struct outsider_message *message, int fd)
{
	struct iovec part = { (void *)message, sizeof(*message) };
	union control control = { .head = {
					  .cmsg_len = CMSG_LEN(sizeof(int)),
					  .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS,
				  } };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		header.msg_control = &control;
		header.msg_controllen = sizeof(control);
	}
	return ATTEMPT(sendmsg(socket_fd, &header, MSG_NOSIGNAL));
}

int outsider_receive(int socket_fd, struct outsider_message *ret_message, int *ret_fd)
{
	struct iovec part = { ret_message, sizeof(*ret_message) };
	union control control = { 0 };
	struct msghdr header = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = ret_fd ? &control : NULL,
		.msg_controllen = ret_fd ? sizeof(control) : 0,
	};
	ssize_t n = recvmsg(socket_fd, &header, MSG_CMSG_CLOEXEC);
	struct cmsghdr *head = CMSG_FIRSTHDR(&header);

	if (n < 0)
		return -errno;
	if (n != (ssize_t)sizeof(*ret_message))
		return -ECONNRESET;
	if (ret_fd)
		*ret_fd = -1;
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(head), sizeof(*ret_fd));
	return 0;
}

static int ask(struct outsider_message *message, int *ret_fd)
{
	int r = outsider_send(OUTSIDER_SOCKET_FD, message, -1);

	return r < 0 ? r : outsider_receive(OUTSIDER_SOCKET_FD, message, ret_fd);
}

int outsider_hand(const char *path, int flags)
{
	struct outsider_message message = { .request = OUTSIDER_HAND, .number = flags };
	int fd, r;

	(void)snprintf(message.path, sizeof(message.path), "%s", absolute(path));
	r = ask(&message, &fd);
	if (r < 0)
		return r;
	if (message.number < 0)
		return message.number;
	return fd < 0 ? -EACCES : fd;
}

int outsider_hold(const char *path, pid_t *ret_pid, int *ret_fd)
{
	struct outsider_message message = { .request = OUTSIDER_HOLD };
	int r;

	(void)snprintf(message.path, sizeof(message.path), "%s", absolute(path));
	r = ask(&message, NULL);
	if (r < 0)
		return r;
	if (message.number < 0)
		return message.number;
	*ret_pid = message.pid;
	*ret_fd = message.number;
	return 0;
}
