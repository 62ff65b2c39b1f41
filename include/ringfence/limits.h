/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Every capacity, each with what happens when it is reached.
 *
 * "Error" is a message of the compiler or the loader, before anything runs. "Refused" is a
 * verdict at run time, with the reason named. Nothing is ever cut off in silence.
 */
#ifndef RINGFENCE_LIMITS_H
#define RINGFENCE_LIMITS_H

/* Policy slots: each fence has a generation in force and one being filled. One more fence: error. */
#define RF_MAX_POLICY_SLOTS 8192
/* Rules of one policy after `extends`. One more: error. */
#define RF_MAX_RULES 65536
/* States of the compiled path automaton of one policy. One more: error. */
#define RF_MAX_STATES 262144
/* Edges of the compiled path automaton of one policy. One more: error. */
#define RF_MAX_EDGES 1048576
/* Directories above an object, mounts included. Deeper: refused, unresolved. Power of two. */
#define RF_MAX_DEPTH 256
/* Bytes of one component of a path (NAME_MAX). Longer: error; the kernel has none. */
#define RF_MAX_NAME 255
/* Bytes of a component that the short name table holds; longer ones are in the long table. */
#define RF_MAX_SHORT_NAME 31
/* Bytes of a component with a `*`, the star counted as one. Longer: error. */
#define RF_MAX_PATTERN RF_MAX_SHORT_NAME
/* Distinct (bytes before, bytes after) of the components with a `*` in one policy. More: error. */
#define RF_MAX_SHAPES 16
/* Sets of patterns that one name can match together, in one policy. More: error. */
#define RF_MAX_PATTERN_CLASSES 4096
/* Targets a walk follows at once: the one reached by name and those of objects that were moved.
 * More: refused, unresolved.
 */
#define RF_MAX_LIVE_STATES 4
/* Bytes of a path in a policy file after variables are replaced. Longer: error. */
#define RF_MAX_PATH 4095
/* Port ranges that apply to one address. More: error. */
#define RF_MAX_PORT_RANGES 32
/* Address prefixes of one policy. More: error. */
#define RF_MAX_PREFIXES 16384
/* Bytes of a policy file. More: error. */
#define RF_MAX_POLICY_BYTES (16 * 1024 * 1024)
/* Nesting of a policy file. Deeper: error. */
#define RF_MAX_JSON_DEPTH 16
/* Policy files reached through `extends`. More: error. */
#define RF_MAX_EXTENDS 64
/* Bytes of the object's path in an event; a longer one is marked as cut, at its top end. */
#define RF_MAX_EVENT_PATH 2048
/* Ancestors that an event names. Further ones are left out. */
#define RF_MAX_EVENT_PARENTS 4
/* Bytes of an executable's path, in the event, for the process and each ancestor. Cut likewise. */
#define RF_MAX_EVENT_EXE 216
/* Bytes of the ring for refusals and of the one for recorded activity. Full: the event is lost
 * and counted; the verdict stands.
 */
#define RF_DENIALS_RING_BYTES (1024 * 1024)
#define RF_ACTIVITY_RING_BYTES (1024 * 1024)
/* Refusals remembered for aggregation. More: the least recent is forgotten, its count kept in
 * the fence's counters.
 */
#define RF_MAX_REPEATS 4096
/* Nanoseconds within which the same refusal is counted instead of sent again. */
#define RF_REPEAT_WINDOW_NS 1000000000ULL

#endif
