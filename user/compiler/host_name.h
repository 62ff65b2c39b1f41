/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Host names of `egress` keys, in their canonical form.
 *
 * `a.b.c` is that name alone; `*.b.c` one or more labels below b.c, not b.c itself; `**.b.c` both;
 * `=*.b.c` exactly one label below.
 */
#ifndef COMPILER_HOST_NAME_H
#define COMPILER_HOST_NAME_H

#include "compiler/diag.h"

/*
 * Checks @text and writes it in lower case without a final dot. What some resolver would read as a
 * numeric address is refused. Returns 0 and an owned name, -EINVAL with a message in @diag, or
 * -ENOMEM.
 */
int host_name_parse(const char *text, const struct position *position, struct diag *diag,
		    char **ret_name);

#endif
