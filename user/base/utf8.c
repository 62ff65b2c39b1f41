/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* UTF-8, and which characters a terminal may see when somebody hostile chose them. */
#include "base/utf8.h"

#include "base/cleanup.h"
#include "base/strbuf.h"

/* Bytes of the form that starts with @first, 0 if none does. */
static size_t form_size(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

/* Whether a form of @size bytes is the shortest for @character, and that is a character. */
static bool is_well_formed(uint32_t character, size_t size)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return character >= smallest[size] && character <= 0x10ffff &&
	       (character < 0xd800 || character > 0xdfff);
}

size_t utf8_decode(const void *bytes, size_t size, uint32_t *ret_character)
{
	const unsigned char *byte = bytes;
	size_t needed = size ? form_size(byte[0]) : 0;
	uint32_t character;

	if (!needed || needed > size)
		return 0;
	character = needed == 1 ? byte[0] : byte[0] & (0x7fU >> needed);
	for (size_t i = 1; i < needed; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (byte[i] & 0x3fU);
	}
	if (!is_well_formed(character, needed))
		return 0;
	*ret_character = character;
	return needed;
}

bool utf8_is_plain(uint32_t character)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x00, 0x1f },	    /* C0 controls */
		{ 0x7f, 0x9f },	    /* DEL; C1 controls, among them the one-byte CSI */
		{ 0xad, 0xad },	    /* soft hyphen, not shown */
		{ 0x61c, 0x61c },   /* Arabic letter mark */
		{ 0x200b, 0x200f }, /* zero width, and marks of direction */
		{ 0x2028, 0x202e }, /* line and paragraph separator, overrides of direction */
		{ 0x2060, 0x206f }, /* invisible operators, isolates of direction */
		{ 0xfeff, 0xfeff }, /* byte order mark, not shown */
		{ 0xfff9, 0xfffb }, /* interlinear annotation */
		{ 0xe0000, 0xe007f }, /* tags, not shown */
	};

	for (size_t i = 0; i < ELEMENTSOF(ranges); i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return false;
	return true;
}

bool utf8_is_plain_text(const void *bytes, size_t size)
{
	const char *next = bytes;
	uint32_t character = 0;

	while (size > 0) {
		size_t used = utf8_decode(next, size, &character);

		if (!used || !utf8_is_plain(character))
			return false;
		next += used;
		size -= used;
	}
	return true;
}

static void append_hex(struct strbuf *out, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		strbuf_printf(out, "\\x%02x", bytes[i]);
}

void utf8_append_escaped(struct strbuf *out, const void *bytes, size_t size)
{
	const unsigned char *next = bytes;
	uint32_t character = 0;

	while (size > 0) {
		size_t used = utf8_decode(next, size, &character);

		if (used && character == '\\')
			strbuf_append(out, "\\\\", 2);
		else if (used && utf8_is_plain(character))
			strbuf_append(out, next, used);
		else
			append_hex(out, next, used ? used : 1);
		next += used ? used : 1;
		size -= used ? used : 1;
	}
}
