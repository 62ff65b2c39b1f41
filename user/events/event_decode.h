/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Bytes of a ring record to struct event. */
#ifndef EVENTS_EVENT_DECODE_H
#define EVENTS_EVENT_DECODE_H

#include <stddef.h>

struct event;

/**
 * event_decode - Reads one record
 * @bytes, @size: As the ring delivers it; no alignment needed.
 * @ret_event:    Released by the caller with event_done().
 *
 * Trusts nothing but the pointer. A record that is longer than this program knows is read as far
 * as it is known; one of an unknown type becomes EVENT_UNKNOWN. Returns 0, -EBADMSG if the record
 * contradicts itself or is too short for its type, -EPROTO if another version of the contract
 * wrote it, or -ENOMEM.
 */
int event_decode(const void *bytes, size_t size, struct event *ret_event);

#endif
