/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The event loop: who runs when, and what sources may do to each other. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/event_loop.h"

/* struct counter - A pipe's end as a source that counts how often it ran. */
struct counter {
	struct source source;
	struct event_loop *loop;
	struct counter *victim; /* removed and freed when this runs */
	uint32_t ready;
	int n_runs;
	int result;
	int write_fd;
};

static int count(struct source *source, uint32_t ready)
{
	struct counter *counter = source->owner;

	counter->n_runs++;
	counter->ready = ready;
	if (counter->victim) {
		event_loop_remove(counter->loop, &counter->victim->source);
		(void)close(counter->victim->source.fd);
		(void)close(counter->victim->write_fd);
		free(counter->victim);
		counter->victim = NULL;
	}
	return counter->result;
}

static struct counter *new_counter(struct event_loop *loop, uint32_t events)
{
	struct counter *counter = calloc(1, sizeof(*counter));
	int fds[2];

	assert_non_null(counter);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	counter->loop = loop;
	counter->write_fd = fds[1];
	counter->source = (struct source){ .fd = fds[0], .events = events, .on_ready = count,
					   .owner = counter };
	assert_int_equal(event_loop_add(loop, &counter->source), 0);
	return counter;
}

static void free_counter(struct counter *counter)
{
	event_loop_remove(counter->loop, &counter->source);
	(void)close(counter->source.fd);
	(void)close(counter->write_fd);
	free(counter);
}

static void make_ready(struct counter *counter)
{
	assert_int_equal(write(counter->write_fd, "x", 1), 1);
}

static int set_up(void **state)
{
	struct event_loop *loop = NULL;

	assert_int_equal(event_loop_new(&loop), 0);
	*state = loop;
	return 0;
}

static int tear_down(void **state)
{
	assert_null(event_loop_free(*state));
	assert_null(event_loop_free(NULL));
	return 0;
}

static void test_runs_what_is_ready(void **state)
{
	struct counter *ready = new_counter(*state, EPOLLIN);
	struct counter *idle = new_counter(*state, EPOLLIN);

	assert_int_equal(event_loop_run_once(*state, 0), 0);
	make_ready(ready);
	assert_int_equal(event_loop_run_once(*state, -1), 1);
	assert_int_equal(ready->n_runs, 1);
	assert_int_equal(ready->ready, EPOLLIN);
	assert_int_equal(idle->n_runs, 0);
	free_counter(ready);
	free_counter(idle);
}

static void test_serves_busy_sources_in_turn(void **state)
{
	struct counter *one = new_counter(*state, EPOLLIN);
	struct counter *other = new_counter(*state, EPOLLIN);

	make_ready(one); /* And never read: ready for good. */
	make_ready(other);
	for (int i = 0; i < 10; i++)
		assert_int_equal(event_loop_run_once(*state, -1), 1);
	assert_int_equal(one->n_runs, 5);
	assert_int_equal(other->n_runs, 5);
	free_counter(one);
	free_counter(other);
}

static void test_returns_the_error_of_a_source(void **state)
{
	struct counter *counter = new_counter(*state, EPOLLIN);

	counter->result = -ENOSPC;
	make_ready(counter);
	assert_int_equal(event_loop_run_once(*state, -1), -ENOSPC);
	free_counter(counter);
}

static void test_changes_what_a_source_waits_for(void **state)
{
	struct counter *counter = new_counter(*state, 0);

	make_ready(counter);
	assert_int_equal(event_loop_run_once(*state, 0), 0);
	assert_int_equal(event_loop_change(*state, &counter->source, EPOLLIN), 0);
	assert_int_equal(event_loop_run_once(*state, 0), 1);
	assert_int_equal(event_loop_change(*state, &counter->source, 0), 0);
	assert_int_equal(event_loop_run_once(*state, 0), 0);
	free_counter(counter);
}

/* Both are ready; the second one is gone before its turn. Sanitizers see a use after it. */
static void test_a_source_may_free_another_that_is_ready(void **state)
{
	struct counter *counter = new_counter(*state, EPOLLIN);

	counter->victim = new_counter(*state, EPOLLIN);
	make_ready(counter);
	make_ready(counter->victim);
	for (int i = 0; i < 4 && counter->victim; i++)
		assert_int_equal(event_loop_run_once(*state, -1), 1);
	assert_null(counter->victim);
	assert_int_equal(event_loop_run_once(*state, 0), 1);
	free_counter(counter);
}

static void test_removing_twice_is_harmless(void **state)
{
	struct counter *counter = new_counter(*state, EPOLLIN);

	event_loop_remove(*state, &counter->source);
	make_ready(counter);
	assert_int_equal(event_loop_run_once(*state, 0), 0);
	free_counter(counter);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_runs_what_is_ready),
		TEST(test_serves_busy_sources_in_turn),
		TEST(test_returns_the_error_of_a_source),
		TEST(test_changes_what_a_source_waits_for),
		TEST(test_a_source_may_free_another_that_is_ready),
		TEST(test_removing_twice_is_harmless),
	};

	return cmocka_run_group_tests_name("event_loop", tests, NULL, NULL);
}
