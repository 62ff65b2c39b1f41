/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Lines of a file that others append to, truncate and rotate. */
#include "cli/line_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Notices of some file systems do not come; looking again this often costs nothing. */
#define LOOK_AGAIN_MS 1000
#define READ_SIZE 65536

static int watch_directory(const char *path, int *ret_fd)
{
	_cleanup_close_ int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *directory = NULL;

	if (fd < 0)
		return -errno;
	directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	if (!directory)
		return -ENOMEM;
	if (inotify_add_watch(fd, directory, IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int open_file(struct line_source *source)
{
	int fd = open(source->path, O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	cleanup_close(&source->fd);
	source->fd = fd;
	source->is_replaced = false;
	source->line_number = 0;
	source->used = 0;
	strbuf_reset(&source->buf);
	return 0;
}

static bool is_followed(const struct line_source *source)
{
	return source->inotify_fd >= 0;
}

int line_source_open(struct line_source *source, const char *path, bool follow)
{
	int r = 0;

	*source = (struct line_source){ .path = path, .fd = -1, .inotify_fd = -1 };
	/* Watches first: what happens to the file after it was opened is noticed. */
	if (follow)
		r = watch_directory(path, &source->inotify_fd);
	if (r == 0)
		r = open_file(source);
	if (r == -ENOENT && is_followed(source))
		r = 0;
	if (r < 0)
		line_source_close(source);
	return r;
}

void line_source_close(struct line_source *source)
{
	cleanup_close(&source->fd);
	cleanup_close(&source->inotify_fd);
	strbuf_done(&source->buf);
	source->fd = source->inotify_fd = -1;
}

/* Starts over on the same file. */
static int rewind_file(struct line_source *source)
{
	if (lseek(source->fd, 0, SEEK_SET) < 0)
		return -errno;
	source->line_number = 0;
	source->used = 0;
	source->is_dropping = false;
	strbuf_reset(&source->buf);
	return 0;
}

/*
 * At the end of a file that is followed: notices that it was cut or that the path names another
 * one. Returns 1 if reading goes on, 0 if there is nothing new, or -errno.
 */
static int look_at_path(struct line_source *source)
{
	struct stat at_path;
	struct stat info;
	int r;

	/* What was written just before the file was replaced has been read by now. */
	if (source->fd < 0 || source->is_replaced) {
		r = open_file(source);
		return r == -ENOENT ? 0 : r < 0 ? r : 1;
	}
	if (fstat(source->fd, &info) < 0)
		return -errno;
	if (S_ISREG(info.st_mode) && info.st_size < lseek(source->fd, 0, SEEK_CUR)) {
		r = rewind_file(source);
		return r < 0 ? r : 1;
	}
	/* Between the two renames of a rotation there is no file: not replaced yet. */
	if (stat(source->path, &at_path) == 0)
		source->is_replaced = at_path.st_ino != info.st_ino ||
				      at_path.st_dev != info.st_dev;
	return source->is_replaced;
}

/* Reads on. Returns 1, 0 at the end, or -errno. */
static int read_more(struct line_source *source)
{
	struct strbuf *buf = &source->buf;
	char bytes[READ_SIZE];
	ssize_t size;

	if (source->fd < 0)
		return 0;
	do
		size = read(source->fd, bytes, sizeof(bytes));
	while (size < 0 && errno == EINTR);
	if (size <= 0)
		return size < 0 ? -errno : 0;
	buf->size -= source->used;
	if (buf->size)
		memmove(buf->bytes, buf->bytes + source->used, buf->size);
	source->used = 0;
	strbuf_append(buf, bytes, (size_t)size);
	return strbuf_error(buf) ? -ENOMEM : 1;
}

/* Gives out @size bytes as a line; @n_end is the size of its newline, if it has one. */
static int give_out(struct line_source *source, size_t size, size_t n_end, const char **ret_line,
		    size_t *ret_size)
{
	*ret_line = strbuf_string(&source->buf) + source->used;
	*ret_size = size;
	source->used += size + n_end;
	source->line_number++;
	source->is_too_long = source->is_dropping;
	source->is_dropping = false;
	return 1;
}

int line_source_next(struct line_source *source, const char **ret_line, size_t *ret_size)
{
	for (;;) {
		const char *rest = strbuf_string(&source->buf) + source->used;
		size_t size = source->buf.size - source->used;
		const char *newline = size ? memchr(rest, '\n', size) : NULL;
		int r;

		if (newline)
			return give_out(source, (size_t)(newline - rest), 1, ret_line, ret_size);
		if (size > LINE_SOURCE_MAX) {
			source->is_dropping = true;
			source->used = source->buf.size;
			size = 0;
		}
		r = read_more(source);
		if (r == 0 && (size || source->is_dropping) &&
		    (!is_followed(source) || source->is_replaced))
			return give_out(source, size, 0, ret_line, ret_size);
		if (r == 0 && is_followed(source))
			r = look_at_path(source);
		if (r <= 0)
			return r;
	}
}

int line_source_wait(struct line_source *source)
{
	struct pollfd pollfd = { .fd = source->inotify_fd, .events = POLLIN };
	char notices[4096];

	if (poll(&pollfd, 1, LOOK_AGAIN_MS) < 0 && errno != EINTR)
		return -errno;
	/* Which file it was does not matter: the next call looks at all there is. */
	while (read(source->inotify_fd, notices, sizeof(notices)) > 0)
		;
	return 0;
}
