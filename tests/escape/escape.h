/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What a case of the escape suite is made of.
 *
 * Every case runs on a tree of its own, with project/ as the working directory:
 *
 *	CASE/
 *	├── home/                   no rule: hidden
 *	│   └── letter
 *	├── programs/               rx
 *	│   ├── banned              may not be executed
 *	│   └── tool
 *	└── project/                rwx
 *	    ├── .env                deny, by the rule for the name in every directory
 *	    ├── server.pem          deny, by the rule for the pattern in every directory
 *	    ├── area/
 *	    │   └── sealed          deny
 *	    ├── box/
 *	    │   └── paper
 *	    ├── kept/               r
 *	    │   ├── empty/
 *	    │   └── hook
 *	    ├── key                 deny
 *	    ├── nest/
 *	    │   └── (absent)        deny, but not there
 *	    ├── notes
 *	    ├── rooms/
 *	    │   └── red/
 *	    │       └── safe        deny, by the rule for rooms/<any>/safe
 *	    ├── spare/
 *	    └── vault/              hide
 *	        └── deep/
 *	            └── token
 *
 * The programs are there only for cases that say so. A case is an attack, and how it has to end:
 *
 *	ESCAPE(read_plainly, "Read a file that a rule denies")
 *	{
 *		return probe(PROBE_READ, "key");
 *	}
 *	DENIED_WITH(read_plainly, EACCES, RULE, FILE_OPEN, "project/key");
 *
 * The attack returns 0 if it got what it wanted, else -errno. Outside of every fence it must
 * succeed, or the case proves nothing.
 */
#ifndef ESCAPE_ESCAPE_H
#define ESCAPE_ESCAPE_H

#include <stdbool.h>

#include "ringfence/accesses.h"
#include "ringfence/reasons.h"

enum escape_kind {
	ESCAPE_REFUSED, /* fails inside, with one event; in audit mode it succeeds, with one */
	ESCAPE_CLOSED,  /* fails inside in both modes without an event: there is nothing to decide on */
	ESCAPE_ALLOWED, /* succeeds inside without an event */
	ESCAPE_GAP,     /* as allowed, but should not be; when it fails the documentation is out of date */
};

/* Where a case runs, as bits for escape.not_on. */
enum escape_place {
	ON_EXT4 = 1 << 0,
	ON_TMPFS = 1 << 1,
	ON_BTRFS = 1 << 2,
	ON_OVERLAY = 1 << 3,
	ON_ALIAS = 1 << 4, /* a bind mount elsewhere of the tree that the rules name */
	AS_USER = 1 << 5,  /* on ext4; the others are root's */
};

/**
 * struct escape - A case
 * @attack:       Runs inside, in a process of its own.
 * @error:        What is refused with.
 * @outcome:      What the attack gets inside; 0: @error.
 * @path:         In the event, below the case's directory.
 * @rule:         In the event: below the case's directory, or a rule for a name. NULL: @path if a
 *                rule is the reason, else none.
 * @access:       In the event. NULL: the usual one of @action.
 * @before:       Done outside, before there is a fence; returns as an attack does.
 * @meanwhile:    Done outside, when there is one.
 * @not_on:       Set of enum escape_place.
 * @has_programs: The tree has the programs.
 * @why:          Of a gap: why it is there.
 */
struct escape {
	const char *name;
	const char *sentence;
	int (*attack)(void);
	enum escape_kind kind;
	int error;
	int outcome;
	enum rf_reason reason;
	enum rf_action action;
	const char *path;
	const char *rule;
	const char *access;
	int (*before)(void);
	int (*meanwhile)(void);
	unsigned int not_on;
	bool has_programs;
	const char *why;
};

#define ESCAPE(name, sentence)                           \
	static const char sentence_of_##name[] = sentence; \
	static int name(void)

/* Something that an outsider does in the project, for .before and .meanwhile. */
#define OUTSIDER(name) static int name(void)

/* The linker puts the pointers of all files into one array. */
#define ESCAPE_REGISTER(escape_name, ...)                                                    \
	static const struct escape escape_##escape_name = {                                  \
		.name = #escape_name,                                                        \
		.sentence = sentence_of_##escape_name,                                       \
		.attack = escape_name,                                                       \
		__VA_ARGS__                                                                  \
	};                                                                                   \
	static const struct escape *const entry_of_##escape_name                             \
		__attribute__((section("escapes"), used)) = &escape_##escape_name

/* What follows the path are more members of struct escape. */
#define DENIED_WITH(name, error_number, reason_name, action_name, event_path, ...)           \
	ESCAPE_REGISTER(name, .kind = ESCAPE_REFUSED, .error = error_number,                 \
			.reason = RF_REASON_##reason_name, .action = RF_ACTION_##action_name, \
			.path = event_path, ##__VA_ARGS__)
#define CLOSED_WITH(name, error_number, ...) \
	ESCAPE_REGISTER(name, .kind = ESCAPE_CLOSED, .error = error_number, ##__VA_ARGS__)
#define ALLOWED(name, ...) ESCAPE_REGISTER(name, .kind = ESCAPE_ALLOWED, ##__VA_ARGS__)
#define KNOWN_GAP(name, reason_of_gap, ...) \
	ESCAPE_REGISTER(name, .kind = ESCAPE_GAP, .why = reason_of_gap, ##__VA_ARGS__)

/* All cases, in the order of their files. */
extern const struct escape *const __start_escapes[];
extern const struct escape *const __stop_escapes[];

#define N_ESCAPES ((size_t)(__stop_escapes - __start_escapes))

#endif
