/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Reads the rings, the kernel's counters and its table of repeats. */
#ifndef KERNEL_RING_READER_H
#define KERNEL_RING_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ringfence/abi.h"

struct loader;
struct ring_reader;

/**
 * struct ring_callbacks - Who gets what is read
 * @on_record: One record; @bytes are valid during the call.
 * @on_repeat: One refusal that was counted and not sent; its count starts anew.
 */
struct ring_callbacks {
	void (*on_record)(void *context, const void *bytes, size_t size);
	void (*on_repeat)(void *context, const struct rf_repeat_key *key,
			  const struct rf_repeat *repeat);
	void *context;
};

int ring_reader_open(struct loader *loader, const struct ring_callbacks *callbacks,
		     struct ring_reader **ret_reader);
/* Readable when there are records. */
int ring_reader_fd(const struct ring_reader *reader);
/* Delivers all records there are. Returns 0 or -errno. */
int ring_reader_read(struct ring_reader *reader);
/*
 * Delivers what was counted and not sent, of refusals that last happened at least @quiet_ns ago.
 * Returns 0 or -errno.
 */
int ring_reader_flush_repeats(struct ring_reader *reader, uint64_t quiet_ns);
/* Counters of the fence in @slot, since it started. */
int ring_reader_counters(struct ring_reader *reader, uint32_t slot,
			 struct rf_counters *ret_counters);

struct ring_reader *ring_reader_close(struct ring_reader *reader);
DEFINE_CLEANUP(struct ring_reader, ring_reader_close)

#endif
