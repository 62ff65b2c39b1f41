/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* One request to io_uring. */
#include "escape/uring.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Since 5.4 one mapping holds both rings. */
static void *map_ring(int fd, size_t size, off_t offset)
{
	void *ring =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);

	return ring == MAP_FAILED ? NULL : ring;
}

/* The kernel runs in between, in this thread: nothing is reordered across the call. */
static int submit(int fd, const struct io_uring_params *params, void *ring,
		  struct io_uring_sqe *entries, const struct io_uring_sqe *request)
{
	unsigned int *array = ring + params->sq_off.array;
	unsigned int *tail = ring + params->sq_off.tail;
	const struct io_uring_cqe *done = ring + params->cq_off.cqes;

	entries[0] = *request;
	array[0] = 0;
	*tail += 1;
	if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -errno;
	return done[0].res;
}

int uring_request(const struct io_uring_sqe *request)
{
	struct io_uring_params params = { 0 };
	_cleanup_close_ int fd = (int)syscall(SYS_io_uring_setup, 1, &params);
	struct io_uring_sqe *entries;
	size_t size;
	void *ring;

	if (fd < 0)
		return -errno;
	size = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	ring = map_ring(fd, size, IORING_OFF_SQ_RING);
	entries = map_ring(fd, params.sq_entries * sizeof(*entries), IORING_OFF_SQES);
	if (!ring || !entries)
		return -ENOMEM;
	return submit(fd, &params, ring, entries, request);
}
