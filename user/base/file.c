/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Reading whole files that may not be what they seem. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

/* The size is that of what was read: a file may grow, and those of /proc claim to be empty. */
static int read_all(int fd, size_t max_size, struct strbuf *out)
{
	char bytes[16384];
	size_t n_read = 0;
	ssize_t n;

	while (true) {
		n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return strbuf_error(out);
		n_read += (size_t)n;
		if (n_read > max_size)
			return -EFBIG;
		strbuf_append(out, bytes, (size_t)n);
	}
}

int file_read(const char *path, size_t max_size, struct strbuf *out, struct stat *ret_stat)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int r;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -ENODATA;
	r = read_all(fd, max_size, out);
	if (r < 0)
		return r;
	if (ret_stat)
		*ret_stat = status;
	return 0;
}
