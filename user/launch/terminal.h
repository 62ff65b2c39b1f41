/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A terminal of the program's own, relayed to and from the caller's.
 *
 * With the caller's terminal itself, the program could type into it (TIOCSTI) and read what is
 * meant for others. Its own one has the same modes and size; the caller's is raw while the program is in
 * the foreground, so that keys get their meaning in the program's.
 */
#ifndef LAUNCH_TERMINAL_H
#define LAUNCH_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct event_loop;
struct terminal;

/* Returns 0 and NULL if none of descriptors 0, 1 and 2 is a terminal. @owner: of the new one. */
int terminal_open(uid_t owner, struct terminal **ret_terminal);
/* Gives the caller's terminal back. Accepts NULL, returns NULL. */
struct terminal *terminal_free(struct terminal *terminal);
DEFINE_CLEANUP(struct terminal, terminal_free)

/* Whether the program starts in the foreground: not so in a pipeline or a background job. */
bool terminal_starts_in_foreground(const struct terminal *terminal);
/* Whether ringfence is in the foreground of the caller's terminal. */
bool terminal_is_in_foreground(const struct terminal *terminal);

/* ---- For the processes that are started ---- */

/* Makes it the controlling terminal of the calling session leader. */
int terminal_acquire(struct terminal *terminal);
/* Makes @group the foreground process group. SIGTTOU has to be blocked. */
int terminal_set_group(const struct terminal *terminal, pid_t group);
/* Puts it in place of those of descriptors 0, 1 and 2 that are terminals. */
int terminal_install_stdio(const struct terminal *terminal);

/* ---- For the process that relays. SIGTTIN and SIGTTOU have to be blocked. ---- */

/* Starts to relay. @on_hangup is called once when the caller's terminal is gone. */
int terminal_attach(struct terminal *terminal, struct event_loop *loop, void (*on_hangup)(void *),
		    void *owner);
/*
 * Takes the caller's terminal, if ringfence is in the foreground there: makes it raw and reads from
 * it. Returns whether that is so. To be called again when ringfence was stopped and goes on.
 */
bool terminal_take(struct terminal *terminal);
/* Passes on the output so far and gives the caller's terminal back as terminal_take() found it. */
void terminal_give_back(struct terminal *terminal);
void terminal_copy_size(const struct terminal *terminal);
/*
 * The program has ended: passes on its last output, then gives the caller's terminal back. What
 * others write later is not shown.
 */
void terminal_finish(struct terminal *terminal);
/* Whether that is done. */
bool terminal_is_finished(const struct terminal *terminal);

#endif
