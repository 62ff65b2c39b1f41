/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What may be done to an object, and what a policy answers.
 *
 * X-macros: the enumeration, the names in policies and events and the reference pages all
 * come from these lists.
 */
#ifndef RINGFENCE_ACCESSES_H
#define RINGFENCE_ACCESSES_H

#include "types.h"

/* X(IDENTIFIER, bit, letter, sentence) */
#define RF_ACCESSES(X)                                                                       \
	X(READ, 0, 'r', "read content, list a directory, read metadata")                      \
	X(WRITE, 1, 'w', "write, truncate, create, delete, rename, change metadata")          \
	X(EXECUTE, 2, 'x', "execute, or map as executable")

enum rf_access {
#define X(identifier, bit, letter, sentence) RF_ACCESS_##identifier = 1 << (bit),
	RF_ACCESSES(X)
#undef X
};

/* A set of enum rf_access. */
typedef __u8 rf_access_mask;

#define RF_N_ACCESSES 3
#define RF_ACCESS_ALL ((1 << RF_N_ACCESSES) - 1)

/*
 * X(IDENTIFIER, name, sentence), weakest first: where two rules stand equal, the later one wins.
 */
#define RF_VERDICTS(X)                                             \
	X(ALLOW, "allow", "the call goes on")                       \
	X(ASK, "ask", "a person decides while the call waits")      \
	X(HIDE, "hide", "the call fails as if nothing were there")  \
	X(DENY, "deny", "the call fails")

enum rf_verdict {
#define X(identifier, name, sentence) RF_VERDICT_##identifier,
	RF_VERDICTS(X)
#undef X
	RF_N_VERDICTS
};

/* X(IDENTIFIER, name, sentence): what a task tried, one per kind of request. */
#define RF_ACTIONS(X)                                                  \
	X(FILE_OPEN, "file.open", "open a file or directory")           \
	X(PROGRAM_EXECUTE, "program.execute", "execute a program")      \
	X(SOCKET_CONNECT, "socket.connect", "connect a socket")                     \
	X(FILE_CREATE, "file.create", "make a file, directory, link or node")       \
	X(FILE_REMOVE, "file.remove", "remove a file or directory")                 \
	X(FILE_RENAME, "file.rename", "give a file or directory another name")      \
	X(FILE_LINK, "file.link", "give a file one more name")                      \
	X(FILE_TRUNCATE, "file.truncate", "cut a file without opening it")          \
	X(FILE_CHANGE, "file.change", "change the mode or owner of a file")         \
	X(FILE_RECEIVE, "file.receive", "take over an open file")                   \
	X(FILE_MAP, "file.map", "map a file as executable")                         \
	X(SOCKET_SEND, "socket.send", "send to an address")

enum rf_action {
#define X(identifier, name, sentence) RF_ACTION_##identifier,
	RF_ACTIONS(X)
#undef X
	RF_N_ACTIONS
};

#endif
