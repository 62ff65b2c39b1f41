/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* UTF-8, and which characters a terminal may see when somebody hostile chose them. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * Reads the character at the start of @bytes. Returns its size in bytes, or 0 if there is none:
 * no bytes, an overlong form, a surrogate, a value above U+10FFFF, or a form that is cut short.
 */
size_t utf8_decode(const void *bytes, size_t size, uint32_t *ret_character);

/*
 * Whether @character is only what it looks like: no control character of either range, no line or
 * paragraph separator, and none that reorders or hides the text around it.
 */
bool utf8_is_plain(uint32_t character);

/* Whether @bytes are UTF-8 and every character is plain. */
bool utf8_is_plain_text(const void *bytes, size_t size);

/*
 * Appends @bytes for a person to read: plain characters as they are, a backslash doubled, every
 * byte of anything else as \xNN.
 */
void utf8_append_escaped(struct strbuf *out, const void *bytes, size_t size);

#endif
