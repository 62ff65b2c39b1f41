/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Sinks: files, rotation by several writers, failures that are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/event.h"
#include "events/sink.h"
#include "lib/fail_alloc.h"

/* The tests run in an empty directory of their own. */
static int enter_directory(void **state)
{
	char template[] = "/tmp/sink_test.XXXXXX";

	*state = strdup(mkdtemp(template));
	return *state && chdir(*state) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	struct dirent *entry;
	DIR *directory = opendir(".");

	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			(void)remove(entry->d_name);
	closedir(directory);
	(void)!chdir("/");
	(void)rmdir(*state);
	free(*state);
	return 0;
}

static struct sink *open_jsonl(const char *path, uint64_t max_bytes, unsigned int n_old_files)
{
	const struct sink_jsonl_options options = { path, max_bytes, n_old_files };
	struct sink *sink;

	assert_int_equal(sink_jsonl_open(&options, &sink), 0);
	return sink;
}

static int open_error(const char *path)
{
	const struct sink_jsonl_options options = { .path = path };
	struct sink *sink;

	return sink_jsonl_open(&options, &sink);
}

static struct event event_of_seq(uint64_t seq)
{
	struct event event = event_of_loss(1, 1, 0);

	event.names.seq = seq;
	return event;
}

static int write_seq(struct sink *sink, uint64_t seq)
{
	struct event event = event_of_seq(seq);

	return sink_write(sink, &event);
}

/* Counts the lines of a file, each of which must be a whole event; -1 if there is no file. */
static int count_lines(const char *path)
{
	_cleanup_fclose_ FILE *file = fopen(path, "r");
	char line[512];
	int n_lines = 0;

	while (file && fgets(line, sizeof(line), file)) {
		assert_memory_equal(line, "{\"v\":1,", 7);
		assert_string_equal(line + strlen(line) - 2, "}\n");
		n_lines++;
	}
	return file ? n_lines : -1;
}

static bool has_seq(const char *path, unsigned int seq)
{
	_cleanup_fclose_ FILE *file = fopen(path, "r");
	char wanted[32];
	char line[512];

	(void)snprintf(wanted, sizeof(wanted), "\"seq\":%u,", seq);
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, wanted))
			return true;
	return false;
}

static void lines_are_appended(void **state)
{
	struct stat info;

	(void)state;
	umask(0);
	for (uint64_t run = 0; run < 2; run++) {
		_cleanup_(sink_freep) struct sink *sink = open_jsonl("log", 0, 0);

		assert_int_equal(write_seq(sink, 2 * run + 1), 0);
		assert_int_equal(write_seq(sink, 2 * run + 2), 0);
	}
	assert_int_equal(count_lines("log"), 4);
	assert_int_equal(stat("log", &info), 0);
	assert_int_equal(info.st_mode & 07777, 0640);
}

static void full_files_are_kept_up_to_a_number(void **state)
{
	_cleanup_(sink_freep) struct sink *sink = open_jsonl("log", 250, 2);

	(void)state;
	/* A line has about 90 bytes, so a file two lines. */
	for (uint64_t seq = 1; seq <= 9; seq++)
		assert_int_equal(write_seq(sink, seq), 0);
	assert_int_equal(count_lines("log"), 1);
	assert_true(has_seq("log", 9));
	assert_int_equal(count_lines("log.1"), 2);
	assert_true(has_seq("log.1", 8));
	assert_true(has_seq("log.1", 7));
	assert_int_equal(count_lines("log.2"), 2);
	assert_true(has_seq("log.2", 5));
	assert_int_equal(count_lines("log.3"), -1);
}

static void a_limit_below_one_line_still_writes_it(void **state)
{
	_cleanup_(sink_freep) struct sink *sink = open_jsonl("log", 1, 0);

	(void)state;
	assert_int_equal(write_seq(sink, 1), 0);
	assert_int_equal(write_seq(sink, 2), 0);
	assert_int_equal(count_lines("log"), 1);
	assert_true(has_seq("log", 2));
	assert_int_equal(count_lines("log.1"), -1);
}

static void writers_share_a_file_through_rotation(void **state)
{
	_cleanup_(sink_freep) struct sink *first = open_jsonl("log", 700, 100);
	_cleanup_(sink_freep) struct sink *second = open_jsonl("log", 700, 100);
	char path[16] = "log";
	int n_lines = 0;

	(void)state;
	for (uint64_t seq = 1; seq <= 100; seq++) {
		assert_int_equal(write_seq(seq % 3 ? first : second, seq), 0);
		assert_int_equal(write_seq(second, seq), 0);
	}
	for (int number = 1; count_lines(path) >= 0; number++) {
		n_lines += count_lines(path);
		(void)snprintf(path, sizeof(path), "log.%d", number);
	}
	assert_int_equal(n_lines, 200);
}

static void a_lock_that_somebody_holds_stops_nothing(void **state)
{
	_cleanup_(sink_freep) struct sink *sink = open_jsonl("log", 100, 1);
	_cleanup_close_ int fd = open("log", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(flock(fd, LOCK_SH), 0);
	for (uint64_t seq = 1; seq <= 3; seq++)
		assert_int_equal(write_seq(sink, seq), 0);
	assert_int_equal(count_lines("log"), 3);
	assert_int_equal(flock(fd, LOCK_UN), 0);
	assert_int_equal(write_seq(sink, 4), 0);
	assert_int_equal(count_lines("log.1"), 3);
}

static void a_removed_file_is_made_again(void **state)
{
	_cleanup_(sink_freep) struct sink *sink = open_jsonl("log", 0, 0);

	(void)state;
	assert_int_equal(write_seq(sink, 1), 0);
	assert_int_equal(unlink("log"), 0);
	assert_int_equal(write_seq(sink, 2), 0);
	assert_int_equal(count_lines("log"), 1);
}

static void paths_that_lead_elsewhere_are_refused(void **state)
{
	(void)state;
	sink_free(open_jsonl("precious", 0, 0));
	assert_int_equal(symlink("precious", "symlink"), 0);
	assert_int_equal(open_error("symlink"), -ELOOP);
	assert_int_equal(link("precious", "hard_link"), 0);
	assert_int_equal(open_error("hard_link"), -EMLINK);
	assert_int_equal(mkdir("directory", 0700), 0);
	assert_int_equal(open_error("directory"), -EISDIR);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(open_error("fifo"), -ENXIO);
	assert_int_equal(open_error("missing/log"), -ENOENT);
	assert_int_equal(count_lines("precious"), 0);
}

/* A link planted while the log is being written is not followed either. */
static void a_link_planted_later_is_refused(void **state)
{
	_cleanup_(sink_freep) struct sink *sink = open_jsonl("log", 0, 0);

	(void)state;
	sink_free(open_jsonl("precious", 0, 0));
	assert_int_equal(unlink("log"), 0);
	assert_int_equal(symlink("precious", "log"), 0);
	assert_int_equal(write_seq(sink, 1), -ELOOP);
	assert_int_equal(count_lines("precious"), 0);
}

static void failures_are_counted_and_reported_once(void **state)
{
	_cleanup_(sink_freep) struct sink *sink = open_jsonl("/dev/full", 0, 0);

	(void)state;
	assert_int_equal(write_seq(sink, 1), -ENOSPC);
	assert_int_equal(write_seq(sink, 2), -EALREADY);
	assert_int_equal(write_seq(sink, 3), -EALREADY);
	assert_int_equal(sink->n_failed, 3);
}

/* Makes standard error the writing end of a full pipe; returns the reading end. */
static int fill_stderr(void)
{
	char byte = 'x';
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	while (write(STDERR_FILENO, &byte, 1) == 1)
		;
	return ends[0];
}

static void read_all(int fd, char *buf, size_t size)
{
	ssize_t got;
	size_t used = 0;

	while ((got = read(fd, buf + used, size - 1 - used)) > 0)
		used += (size_t)got;
	buf[used] = '\0';
}

/*
 * A line longer than a pipe's buffer is written in part, since nobody reads; the next one starts
 * on a line of its own.
 */
static void a_line_in_part_spoils_no_other(void **state)
{
	static char comm_path[8192];
	int saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	_cleanup_close_ int read_fd = fill_stderr();
	_cleanup_(sink_freep) struct sink *sink = open_jsonl("-", 0, 0);
	struct event event = { .kind = EVENT_DECISION, .count = 1, .path = comm_path };
	char buf[16384];

	(void)state;
	memset(comm_path, 'a', sizeof(comm_path) - 1);
	comm_path[0] = '/';
	assert_int_equal(write_seq(sink, 1), -EAGAIN);
	read_all(read_fd, buf, sizeof(buf));
	assert_int_equal(sink_write(sink, &event), -EALREADY);
	read_all(read_fd, buf, sizeof(buf));
	assert_true(strlen(buf) >= 4096);
	assert_null(strchr(buf, '\n'));
	assert_int_equal(write_seq(sink, 3), 0);
	read_all(read_fd, buf, sizeof(buf));
	assert_memory_equal(buf, "\n{\"v\":1,\"seq\":3,", 16);
	assert_int_equal(write_seq(sink, 4), 0);
	read_all(read_fd, buf, sizeof(buf));
	assert_memory_equal(buf, "{\"v\":1,\"seq\":4,", 15);
	assert_int_equal(sink->n_failed, 2);
	assert_int_equal(dup2(saved_stderr, STDERR_FILENO), STDERR_FILENO);
	close(saved_stderr);
}

static void a_terminal_gets_lines_for_people(void **state)
{
	_cleanup_close_ int fd = open("out", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	_cleanup_(sink_freep) struct sink *sink = NULL;
	char buf[256] = { 0 };

	(void)state;
	assert_int_equal(sink_terminal_open(fd, false, &sink), 0);
	assert_int_equal(write_seq(sink, 1), 0);
	assert_true(pread(fd, buf, sizeof(buf) - 1, 0) > 0);
	assert_non_null(strstr(buf, " 1 event lost of fence 0000000000000001: "));
	assert_int_equal(sink_terminal_open(-1, false, &sink), -EBADF);
}

static int write_to_new_sinks(void *event)
{
	const struct sink_jsonl_options options = { .path = "log", .max_bytes = 1, .n_old_files = 1 };
	_cleanup_(sink_freep) struct sink *jsonl = NULL;
	_cleanup_(sink_freep) struct sink *terminal = NULL;
	_cleanup_close_ int fd = open("out", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int r;

	r = sink_jsonl_open(&options, &jsonl);
	if (r == 0)
		r = sink_terminal_open(fd, true, &terminal);
	if (r == 0)
		r = sink_write(jsonl, event);
	if (r == 0)
		r = sink_write(jsonl, event);
	return r == 0 ? sink_write(terminal, event) : r;
}

static void lack_of_memory_is_an_error(void **state)
{
	struct event event = event_of_seq(1);

	(void)state;
	assert_true(fail_alloc_each(write_to_new_sinks, &event) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, enter_directory, leave_directory)
		IN_DIRECTORY(lines_are_appended),
		IN_DIRECTORY(full_files_are_kept_up_to_a_number),
		IN_DIRECTORY(a_limit_below_one_line_still_writes_it),
		IN_DIRECTORY(writers_share_a_file_through_rotation),
		IN_DIRECTORY(a_lock_that_somebody_holds_stops_nothing),
		IN_DIRECTORY(a_removed_file_is_made_again),
		IN_DIRECTORY(paths_that_lead_elsewhere_are_refused),
		IN_DIRECTORY(a_link_planted_later_is_refused),
		IN_DIRECTORY(failures_are_counted_and_reported_once),
		IN_DIRECTORY(a_line_in_part_spoils_no_other),
		IN_DIRECTORY(a_terminal_gets_lines_for_people),
		IN_DIRECTORY(lack_of_memory_is_an_error),
#undef IN_DIRECTORY
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
