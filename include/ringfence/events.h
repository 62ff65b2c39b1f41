/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Records of the two rings: what the programs write and the decoder reads.
 *
 * In: layouts. Out: how a record becomes text (user/events). Every byte of a record but the
 * header may have been chosen by a task inside a fence (names, comm, addresses).
 */
#ifndef RINGFENCE_EVENTS_H
#define RINGFENCE_EVENTS_H

#include "accesses.h"
#include "limits.h"
#include "reasons.h"
#include "rules.h"
#include "types.h"

enum rf_event_type {
	RF_EVENT_DECISION = 1, /* struct rf_decision_event */
};

/**
 * struct rf_event_header - Common start of every record
 * @abi:      RF_ABI_VERSION of the object that wrote it.
 * @type:     enum rf_event_type.
 * @size:     Bytes of the whole record, header included.
 * @time_ns:  CLOCK_BOOTTIME.
 * @fence:    rf_fence.cookie; never 0.
 * @pid:      Thread group id in the initial PID namespace.
 * @tid:      Thread id in the initial PID namespace.
 */
struct rf_event_header {
	__u16 abi;
	__u16 type;
	__u32 size;
	__u64 time_ns;
	__u64 fence;
	__u32 pid;
	__u32 tid;
};
RF_ASSERT_SIZE(struct rf_event_header, 32);

/**
 * struct rf_endpoint - Address of a socket, as decided on
 * @address:  IPv6, or IPv4 as an IPv4-mapped IPv6 address, network order.
 * @port:     Host byte order.
 * @family:   Address family of the request, AF_INET even where @address is mapped.
 * @type:     SOCK_STREAM and the like.
 * @protocol: IPPROTO_TCP and the like.
 */
struct rf_endpoint {
	__u8 address[16];
	__u16 port;
	__u16 family;
	__u16 type;
	__u16 protocol;
};
RF_ASSERT_SIZE(struct rf_endpoint, 24);

/*
 * struct rf_object - What was asked for. @file is meaningful for actions on files and programs,
 * @endpoint for those on sockets; the other one is zero. A file that is still to be made has no number:
 * @file is zero then, and the address of @endpoint holds a hash that tells its place from others.
 */
struct rf_object {
	struct rf_object_id file;
	struct rf_endpoint endpoint;
};
RF_ASSERT_SIZE(struct rf_object, 40);

/**
 * struct rf_repeat_key - What makes two refusals the same one
 * @fence: rf_fence.cookie.
 */
struct rf_repeat_key {
	__u64 fence;
	struct rf_object object;
	__u32 source;
	__u8 action;
	rf_access_mask access;
	__u8 verdict;
	__u8 reason;
};
RF_ASSERT_SIZE(struct rf_repeat_key, 56);

/**
 * struct rf_repeat - Value of the repeat table
 * @sent_ns:  When the last event with this key was sent.
 * @first_ns: First refusal since then, not sent; valid if @count is not 0.
 * @last_ns:  Last one, likewise.
 * @count:    Refusals since then that were not sent.
 */
struct rf_repeat {
	__u64 sent_ns;
	__u64 first_ns;
	__u64 last_ns;
	__u64 count;
};
RF_ASSERT_SIZE(struct rf_repeat, 32);

/* struct rf_event_parent - An ancestor of the process, nearest first. Times as start_ns below. */
struct rf_event_parent {
	__u32 pid;
	__u32 pad;
	__u64 start_ns;
};
RF_ASSERT_SIZE(struct rf_event_parent, 16);

#define RF_EVENT_TEXT_SIZE \
	(RF_MAX_EVENT_PATH + (1 + RF_MAX_EVENT_PARENTS) * RF_MAX_EVENT_EXE)

/**
 * struct rf_decision_event - A refusal, in audit mode what would have been one, or recorded activity
 * @key:        Fence, object, action, access, verdict, reason and source.
 * @generation: rf_policy.generation that decided.
 * @first_ns, @last_ns, @count: Refusals with this key that the record stands for.
 * @start_ns:   Start of the process, CLOCK_BOOTTIME; with the pid it names a process for good.
 * @uid:        Effective user id in the initial user namespace.
 * @errno_value: What the task got; 0 if the call went on.
 * @is_audit:   Not 0: nothing was refused.
 * @n_parents:  Entries of @parents in use.
 * @cut:        Bit 0: the object's path lacks components at its top end. Bit 1: the executable's.
 *              Bit 2 + n: that of parent n.
 * @comm:       Of the thread; not always terminated.
 * @text_size:  Bytes of @text in use.
 * @text:       Paths: the object's (empty for sockets), the executable's, that of each parent.
 *              Each is its components, deepest first, every one followed by a zero byte; an empty
 *              component ends the path. The root is a path of no components.
 */
struct rf_decision_event {
	struct rf_event_header header;
	struct rf_repeat_key key;
	__u64 generation;
	__u64 first_ns;
	__u64 last_ns;
	__u64 count;
	__u64 start_ns;
	__u32 uid;
	__u16 errno_value;
	__u8 is_audit;
	__u8 n_parents;
	struct rf_event_parent parents[RF_MAX_EVENT_PARENTS];
	char comm[16];
	__u32 cut;
	__u32 text_size;
	char text[RF_EVENT_TEXT_SIZE];
};
RF_ASSERT_OFFSET(struct rf_decision_event, text, 224);
RF_ASSERT_SIZE(struct rf_decision_event, 224 + RF_EVENT_TEXT_SIZE);

#endif
