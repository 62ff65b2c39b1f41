/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The half that runs in the fence. */
#ifndef ESCAPE_INSIDE_H
#define ESCAPE_INSIDE_H

#include "escape/tree.h"

/* Tries every case and tells the outsider what came of it. Returns what main() is to return. */
int inside_run(enum pass pass);

#endif
