/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Events as JSON lines in a file that is rotated by size. */
#include "events/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "events/event_text.h"

/* struct sink_jsonl - @options.path is NULL for standard error. */
struct sink_jsonl {
	struct sink sink;
	struct line_writer writer;
	struct sink_jsonl_options options;
};

/* Opens the path for appending. A FIFO without a reader is an error, not a wait. */
static int open_file(const char *path, int *ret_fd)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY |
						    O_NONBLOCK | O_CLOEXEC, 0640);
	struct stat info;

	if (fd < 0 || fstat(fd, &info) < 0)
		return -errno;
	if (S_ISREG(info.st_mode) && info.st_nlink > 1)
		return -EMLINK;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int reopen(struct sink_jsonl *jsonl)
{
	int fd;
	int r;

	r = open_file(jsonl->options.path, &fd);
	if (r < 0)
		return r;
	cleanup_close(&jsonl->writer.fd);
	jsonl->writer.fd = fd;
	jsonl->writer.is_mid_line = false;
	return 0;
}

/* Whether the path still names the file that is open, and what that is. */
static bool is_current(const struct sink_jsonl *jsonl, struct stat *ret_info)
{
	struct stat at_path;

	return fstat(jsonl->writer.fd, ret_info) == 0 &&
	       lstat(jsonl->options.path, &at_path) == 0 && at_path.st_ino == ret_info->st_ino &&
	       at_path.st_dev == ret_info->st_dev;
}

/* Renames PATH.N to PATH.N+1, PATH itself being number 0. A name that is missing is no error. */
static int shift_file(const char *path, unsigned int number)
{
	_cleanup_strbuf_ struct strbuf from = { 0 };
	_cleanup_strbuf_ struct strbuf to = { 0 };

	strbuf_append_string(&from, path);
	if (number)
		strbuf_printf(&from, ".%u", number);
	strbuf_printf(&to, "%s.%u", path, number + 1);
	if (strbuf_error(&from) || strbuf_error(&to))
		return -ENOMEM;
	if (rename(strbuf_string(&from), strbuf_string(&to)) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}

/* Moves the full file out of the way; the oldest one is overwritten. */
static int shift_files(const struct sink_jsonl_options *options)
{
	if (!options->n_old_files)
		return unlink(options->path) < 0 ? -errno : 0;
	for (unsigned int number = options->n_old_files; number-- > 0;) {
		int r = shift_file(options->path, number);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Rotates, unless another process does or has done so. The lock is on the full file. Nobody waits
 * for it: whoever can read the file could hold it for ever, and a file that is too large for a
 * while is the lesser harm.
 */
static int rotate(struct sink_jsonl *jsonl)
{
	struct stat info;
	int r = 0;

	if (flock(jsonl->writer.fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 0 : -errno;
	if (is_current(jsonl, &info))
		r = shift_files(&jsonl->options);
	(void)flock(jsonl->writer.fd, LOCK_UN); /* Closing it does the same. */
	return r;
}

/* Makes sure that the line goes into the file at the path and that this one has room. */
static int prepare_file(struct sink_jsonl *jsonl)
{
	const struct sink_jsonl_options *options = &jsonl->options;
	struct stat info;
	int r;

	if (!is_current(jsonl, &info))
		return reopen(jsonl);
	if (!S_ISREG(info.st_mode) || !options->max_bytes || info.st_size == 0 ||
	    (uint64_t)info.st_size + jsonl->writer.line.size <= options->max_bytes)
		return 0;
	r = rotate(jsonl);
	if (r < 0)
		return r;
	return reopen(jsonl);
}

static int jsonl_write(struct sink *sink, const struct event *event)
{
	struct sink_jsonl *jsonl = (struct sink_jsonl *)sink;
	int r;

	strbuf_reset(&jsonl->writer.line);
	r = event_text_json(event, &jsonl->writer.line);
	if (r < 0)
		return r;
	if (jsonl->options.path) {
		r = prepare_file(jsonl);
		if (r < 0)
			return r;
	}
	return line_writer_write(&jsonl->writer);
}

static void jsonl_free(struct sink *sink)
{
	struct sink_jsonl *jsonl = (struct sink_jsonl *)sink;

	line_writer_done(&jsonl->writer);
	free(jsonl);
}

static int open_stderr(int *ret_fd)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int sink_jsonl_open(const struct sink_jsonl_options *options, struct sink **ret_sink)
{
	_cleanup_free_ struct sink_jsonl *jsonl = malloc(sizeof(*jsonl));
	bool is_stderr = strcmp(options->path, "-") == 0;
	int r;

	if (!jsonl)
		return -ENOMEM;
	*jsonl = (struct sink_jsonl){
		.sink = { .write = jsonl_write, .free = jsonl_free },
		.options = *options,
	};
	if (is_stderr)
		jsonl->options.path = NULL;
	r = is_stderr ? open_stderr(&jsonl->writer.fd)
		      : open_file(options->path, &jsonl->writer.fd);
	if (r < 0)
		return r;
	*ret_sink = &TAKE_PTR(jsonl)->sink;
	return 0;
}
