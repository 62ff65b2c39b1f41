/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* From the rings to the sinks. */
#include "fence/watcher.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

#include "base/event_loop.h"
#include "base/log.h"
#include "events/event.h"
#include "events/event_decode.h"
#include "events/event_enrich.h"
#include "events/repeats.h"
#include "events/sink.h"
#include "kernel/ring_reader.h"

struct watcher {
	struct event_loop *loop;
	struct ring_reader *reader;
	struct repeats *repeats;
	struct enricher enricher;
	struct watcher_sinks sinks;
	struct source ring;
	struct source tick;
	uint64_t n_malformed;
};

static void write_event(struct watcher *watcher, struct event *event)
{
	bool is_activity = event->kind == EVENT_DECISION &&
			   event->key.verdict == RF_VERDICT_ALLOW;
	struct sink *sink = is_activity ? watcher->sinks.activity : watcher->sinks.refusals;
	int r;

	if (!sink)
		return;
	enrich_event(&watcher->enricher, event);
	r = sink_write(sink, event);
	if (r < 0 && r != -EALREADY)
		log_error("cannot write an event: %s; events are lost until this is mended, "
			  "enforcement goes on",
			  strerror(-r));
}

static void on_record(void *context, const void *bytes, size_t size)
{
	struct watcher *watcher = context;
	_cleanup_event_ struct event event = { 0 };
	int r = event_decode(bytes, size, &event);

	if (r < 0) {
		if (watcher->n_malformed++ == 0)
			log_error("cannot decode an event: %s; it is counted, enforcement goes on",
				  strerror(-r));
		return;
	}
	if (event.kind == EVENT_DECISION)
		(void)repeats_remember(watcher->repeats, &event); /* Its summary says less then. */
	write_event(watcher, &event);
}

static void on_repeat(void *context, const struct rf_repeat_key *key,
		      const struct rf_repeat *repeat)
{
	struct watcher *watcher = context;
	_cleanup_event_ struct event event = { 0 };

	if (repeats_summary(watcher->repeats, key, repeat, &event) < 0) {
		log_error("no memory for an event that stands for %llu refusals",
			  (unsigned long long)repeat->count);
		return;
	}
	write_event(watcher, &event);
}

static int on_ring(struct source *source, uint32_t ready)
{
	struct watcher *watcher = source->owner;

	(void)ready;
	return ring_reader_read(watcher->reader);
}

/* Once a second: refusals that were counted and have come to rest. */
static int on_tick(struct source *source, uint32_t ready)
{
	struct watcher *watcher = source->owner;
	uint64_t n_expirations;

	(void)ready;
	(void)!read(source->fd, &n_expirations, sizeof(n_expirations)); /* Only to quiet it. */
	return ring_reader_flush_repeats(watcher->reader, RF_REPEAT_WINDOW_NS);
}

static int start_tick(struct watcher *watcher)
{
	const struct itimerspec every_second = {
		.it_value = { .tv_sec = 1 },
		.it_interval = { .tv_sec = 1 },
	};

	watcher->tick.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (watcher->tick.fd < 0)
		return -errno;
	if (timerfd_settime(watcher->tick.fd, 0, &every_second, NULL) < 0)
		return -errno;
	return event_loop_add(watcher->loop, &watcher->tick);
}

static int start(struct watcher *watcher, struct loader *loader, const struct fence_names *names)
{
	const struct ring_callbacks callbacks = {
		.on_record = on_record,
		.on_repeat = on_repeat,
		.context = watcher,
	};
	int r;

	watcher->repeats = repeats_new();
	if (!watcher->repeats)
		return -ENOMEM;
	r = enricher_init(&watcher->enricher, names);
	if (r == 0)
		r = ring_reader_open(loader, &callbacks, &watcher->reader);
	if (r < 0)
		return r;
	watcher->ring.fd = ring_reader_fd(watcher->reader);
	r = event_loop_add(watcher->loop, &watcher->ring);
	if (r == 0)
		r = start_tick(watcher);
	return r;
}

int watcher_new(struct loader *loader, struct event_loop *loop, const struct fence_names *names,
		const struct watcher_sinks *sinks, struct watcher **ret_watcher)
{
	_cleanup_(watcher_freep) struct watcher *watcher = calloc(1, sizeof(*watcher));
	int r;

	if (!watcher)
		return -ENOMEM;
	watcher->loop = loop;
	watcher->sinks = *sinks;
	watcher->ring = (struct source){
		.fd = -1, .events = EPOLLIN, .on_ready = on_ring, .owner = watcher
	};
	watcher->tick = (struct source){
		.fd = -1, .events = EPOLLIN, .on_ready = on_tick, .owner = watcher
	};
	r = start(watcher, loader, names);
	if (r < 0) {
		log_error("cannot read events from the kernel: %s", strerror(-r));
		return r;
	}
	*ret_watcher = TAKE_PTR(watcher);
	return 0;
}

static void write_loss(struct watcher *watcher, uint64_t cookie, uint64_t n_lost)
{
	struct timespec now;
	struct event event;

	(void)clock_gettime(CLOCK_BOOTTIME, &now); /* Cannot fail with this clock. */
	event = event_of_loss(cookie, n_lost,
			      (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec);
	write_event(watcher, &event);
}

void watcher_finish(struct watcher *watcher, uint32_t slot, uint64_t cookie,
		    struct watcher_totals *ret_totals)
{
	struct rf_counters counters = { 0 };

	(void)ring_reader_read(watcher->reader);
	(void)ring_reader_flush_repeats(watcher->reader, 0);
	(void)ring_reader_counters(watcher->reader, slot, &counters); /* Zero if unreadable. */
	if (counters.lost)
		write_loss(watcher, cookie, counters.lost);
	*ret_totals = (struct watcher_totals){
		.n_refused = counters.refused,
		.n_lost = counters.lost,
		.n_unwritten = watcher->sinks.refusals->n_failed + watcher->n_malformed,
	};
}

struct watcher *watcher_free(struct watcher *watcher)
{
	if (!watcher)
		return NULL;
	event_loop_remove(watcher->loop, &watcher->ring);
	event_loop_remove(watcher->loop, &watcher->tick);
	cleanup_close(&watcher->tick.fd);
	ring_reader_close(watcher->reader);
	repeats_free(watcher->repeats);
	free(watcher);
	return NULL;
}
