/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Reads the rings, the kernel's counters and its table of repeats. */
#include "kernel/ring_reader.h"

#include <errno.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/loader.h"
#include "ringfence.skel.h"

struct ring_reader {
	struct ring_callbacks callbacks;
	struct ring_buffer *rings;
	int repeats_fd;
	int counters_fd;
};

static int on_sample(void *context, void *bytes, size_t size)
{
	struct ring_reader *reader = context;

	reader->callbacks.on_record(reader->callbacks.context, bytes, size);
	return 0;
}

int ring_reader_open(struct loader *loader, const struct ring_callbacks *callbacks,
		     struct ring_reader **ret_reader)
{
	_cleanup_(ring_reader_closep) struct ring_reader *reader = calloc(1, sizeof(*reader));
	struct ringfence_bpf *skeleton = loader_skeleton(loader);
	int r;

	if (!reader)
		return -ENOMEM;
	reader->callbacks = *callbacks;
	reader->repeats_fd = bpf_map__fd(skeleton->maps.rf_repeats);
	reader->counters_fd = bpf_map__fd(skeleton->maps.rf_counters);
	reader->rings = ring_buffer__new(bpf_map__fd(skeleton->maps.rf_denials), on_sample, reader,
					 NULL);
	if (!reader->rings)
		return -errno;
	r = ring_buffer__add(reader->rings, bpf_map__fd(skeleton->maps.rf_activity), on_sample,
			     reader);
	if (r < 0)
		return r;
	*ret_reader = TAKE_PTR(reader);
	return 0;
}

int ring_reader_fd(const struct ring_reader *reader)
{
	return ring_buffer__epoll_fd(reader->rings);
}

int ring_reader_read(struct ring_reader *reader)
{
	int n = ring_buffer__consume(reader->rings);

	return n < 0 ? n : 0;
}

static uint64_t boottime_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_BOOTTIME, &now); /* Cannot fail with this clock. */
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/*
 * Takes what was counted for @key. A refusal that is counted between the look-up and the update is lost
 * to the log, not to the fence's counters.
 */
static void flush_repeat(struct ring_reader *reader, const struct rf_repeat_key *key,
			 uint64_t quiet_ns)
{
	struct rf_repeat repeat, taken;

	if (bpf_map_lookup_elem(reader->repeats_fd, key, &repeat) < 0 || repeat.count == 0 ||
	    boottime_ns() - repeat.last_ns < quiet_ns)
		return;
	taken = repeat;
	repeat.count = 0;
	if (bpf_map_update_elem(reader->repeats_fd, key, &repeat, BPF_EXIST) == 0)
		reader->callbacks.on_repeat(reader->callbacks.context, key, &taken);
}

int ring_reader_flush_repeats(struct ring_reader *reader, uint64_t quiet_ns)
{
	struct rf_repeat_key key, next;
	const struct rf_repeat_key *previous = NULL;

	while (bpf_map_get_next_key(reader->repeats_fd, previous, &next) == 0) {
		key = next;
		previous = &key;
		flush_repeat(reader, &key, quiet_ns);
	}
	return errno == ENOENT ? 0 : -errno;
}

int ring_reader_counters(struct ring_reader *reader, uint32_t slot,
			 struct rf_counters *ret_counters)
{
	return bpf_map_lookup_elem(reader->counters_fd, &slot, ret_counters);
}

struct ring_reader *ring_reader_close(struct ring_reader *reader)
{
	if (reader)
		ring_buffer__free(reader->rings);
	free(reader);
	return NULL;
}
