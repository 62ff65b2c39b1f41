/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Keys of `egress`: HOST, ADDRESS, PREFIX, "localhost" or "*", with ports. */
#include "compiler/egress_key.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "compiler/host_name.h"
#include "compiler/prefix.h"

#define MAX_PORT 65535
#define HTTPS_PORT 443
/* IPv4 addresses stand as ::ffff:a.b.c.d. */
static const uint8_t mapped_prefix[PREFIX_MAPPED_SIZE / 8] = { [10] = 0xff, [11] = 0xff };

/**
 * struct key_text - A key, split
 * @whole: As written, standing at @position; for messages.
 * @name:  The part before the ports, without brackets.
 * @ports: The part after the ':', or NULL.
 */
struct key_text {
	const char *whole;
	const struct position *position;
	struct diag *diag;
	char *name;
	const char *ports;
	bool has_brackets;
};

#define fail(text, ...)                                                       \
	({                                                                    \
		diag_error((text)->diag, (text)->position, __VA_ARGS__);      \
		-EINVAL;                                                      \
	})

/* Reads a decimal number of at most @max. Returns what follows, or NULL. */
static const char *read_number(const char *text, unsigned int max, unsigned int *ret_number)
{
	unsigned int number = 0;
	const char *next = text;

	for (; *next >= '0' && *next <= '9'; next++) {
		number = number * 10 + (unsigned int)(*next - '0');
		if (number > max)
			return NULL;
	}
	if (next == text || (*text == '0' && next > text + 1))
		return NULL;
	*ret_number = number;
	return next;
}

/* ---- Ports ---- */

/* Reads PORT or FIRST-LAST. Returns what follows, or NULL. */
static const char *read_range(const char *text, struct egress_ports *ret_range)
{
	unsigned int first, last;
	const char *next = read_number(text, MAX_PORT, &first);

	last = first;
	if (next && *next == '-')
		next = read_number(next + 1, MAX_PORT, &last);
	if (!next || first == 0 || last < first)
		return NULL;
	*ret_range = (struct egress_ports){ (uint16_t)first, (uint16_t)last };
	return next;
}

static int parse_ports(const struct key_text *text, struct egress_key *key)
{
	const char *next = text->ports;

	if (!next || strcmp(next, "*") == 0) {
		bool is_default = !next && key->kind == EGRESS_HOST;

		key->ports[0] = is_default ? (struct egress_ports){ HTTPS_PORT, HTTPS_PORT } :
					     (struct egress_ports){ 0, MAX_PORT };
		key->n_ports = 1;
		return 0;
	}
	for (;; next++) {
		if (key->n_ports == RF_MAX_PORT_RANGES)
			return fail(text, "\"%s\": more than %d ports", text->whole,
				    RF_MAX_PORT_RANGES);
		next = read_range(next, &key->ports[key->n_ports++]);
		if (!next || (*next != ',' && *next != '\0'))
			return fail(text,
				    "\"%s\": after ':' stand ports from 1 to 65535 as in \"443\", "
				    "\"443,22\", \"3000-3999\" or \"*\"",
				    text->whole);
		if (*next == '\0')
			return 0;
	}
}

/* ---- Addresses ---- */

/* Clears what stands beyond the prefix; whether there was anything. */
static bool clear_host_bits(uint8_t address[16], unsigned int prefix_size)
{
	bool had_bits = false;

	for (unsigned int bit = prefix_size; bit < 128; bit++) {
		uint8_t mask = (uint8_t)(0x80 >> bit % 8);

		had_bits |= address[bit / 8] & mask;
		address[bit / 8] &= (uint8_t)~mask;
	}
	return had_bits;
}

static int fail_host_bits(const struct key_text *text, const struct egress_key *key, int family)
{
	char address[INET6_ADDRSTRLEN];
	bool is_v4 = family == AF_INET;

	if (!inet_ntop(family, key->address + (is_v4 ? 12 : 0), address, sizeof(address)))
		return -EINVAL;
	return fail(text, "\"%s\" has bits set beyond its prefix; write \"%s/%u\"", text->name,
		    address, key->prefix_size - (is_v4 ? PREFIX_MAPPED_SIZE : 0));
}

/* Returns AF_INET or AF_INET6, or -1 if @text is no address. */
static int read_address(const struct key_text *text, const char *address, uint8_t bytes[16])
{
	memcpy(bytes, mapped_prefix, sizeof(mapped_prefix));
	if (!text->has_brackets &&
	    inet_pton(AF_INET, address, bytes + sizeof(mapped_prefix)) == 1)
		return AF_INET;
	return inet_pton(AF_INET6, address, bytes) == 1 ? AF_INET6 : -1;
}

/* Reads the address and the prefix length from @text->name; -ENOENT if it is no address. */
static int parse_address(const struct key_text *text, struct egress_key *key)
{
	_cleanup_free_ char *address = strndup(text->name, strcspn(text->name, "/"));
	const char *slash = strchr(text->name, '/'), *end;
	unsigned int size;
	int family;

	if (!address)
		return -ENOMEM;
	family = read_address(text, address, key->address);
	if (family < 0)
		return -ENOENT;
	size = family == AF_INET ? 32 : 128;
	if (slash) {
		end = read_number(slash + 1, size, &size);
		if (!end || *end)
			return fail(text, "\"%s\": after '/' stands a length of up to %u bits",
				    text->name, size);
	}
	key->kind = EGRESS_ADDRESS;
	key->prefix_size = (uint8_t)(size + (family == AF_INET ? PREFIX_MAPPED_SIZE : 0));
	if (clear_host_bits(key->address, key->prefix_size))
		return fail_host_bits(text, key, family);
	return 0;
}

/* ---- Keys ---- */

static int fail_url(const struct key_text *text)
{
	const char *host = strstr(text->whole, "://") + strlen("://");

	return fail(text, "\"%s\" is a URL; write the host alone: \"%.*s\"", text->whole,
		    (int)strcspn(host, "/?#"), host);
}

/* Takes the key apart. An IPv6 address needs brackets only where ports follow it. */
static int split(struct key_text *text)
{
	char *name = text->name, *colon = strchr(name, ':'), *close;

	if (strstr(text->whole, "://"))
		return fail_url(text);
	if (name[strcspn(name, " \t%@")])
		return fail(text, "\"%s\": spaces, '%%' and '@' have no place in a host",
			    text->whole);
	if (name[0] == '[') {
		close = strchr(name, ']');
		if (!close || (close[1] != '\0' && close[1] != ':'))
			return fail(text, "\"%s\": write \"[ADDRESS]:PORT\"", text->whole);
		text->has_brackets = true;
		text->ports = close[1] ? close + 2 : NULL;
		*close = '\0';
		text->name++;
	} else if (colon && !strchr(colon + 1, ':')) {
		text->ports = colon + 1;
		*colon = '\0';
	}
	return 0;
}

static int parse_host(const struct key_text *text, struct egress_key *key)
{
	memset(key->address, 0, sizeof(key->address));
	if (strcmp(text->name, "*") == 0) {
		if (text->ports)
			return fail(text, "\"*\" takes no ports");
		key->kind = EGRESS_ANY;
		return 0;
	}
	if (strcasecmp(text->name, "localhost") == 0) {
		key->kind = EGRESS_LOCALHOST;
		return 0;
	}
	if (strchr(text->name, '/'))
		return fail(text, "\"%s\" is neither an address nor a host; no path follows a host",
			    text->whole);
	if (text->has_brackets || strchr(text->name, ':'))
		return fail(text, "\"%s\" is not an IPv6 address", text->name);
	key->kind = EGRESS_HOST;
	return host_name_parse(text->name, text->position, text->diag, &key->host);
}

int egress_key_parse(const char *whole, const struct position *position, struct diag *diag,
		     struct egress_key *ret_key)
{
	_cleanup_free_ char *name = strdup(whole);
	struct key_text text = {
		.whole = whole,
		.position = position,
		.diag = diag,
		.name = name,
	};
	struct egress_key key = { 0 };
	int r;

	if (!name)
		return -ENOMEM;
	r = split(&text);
	if (r < 0)
		return r;
	r = parse_address(&text, &key);
	if (r == -ENOENT)
		r = parse_host(&text, &key);
	if (r == 0)
		r = parse_ports(&text, &key);
	if (r < 0) {
		free(key.host);
		return r;
	}
	*ret_key = key;
	return 0;
}

bool egress_key_is_open(const struct egress_key *key)
{
	if (key->kind != EGRESS_ADDRESS)
		return key->kind == EGRESS_ANY;
	return key->prefix_size == 0 ||
	       (key->prefix_size == PREFIX_MAPPED_SIZE &&
		memcmp(key->address, mapped_prefix, sizeof(mapped_prefix)) == 0);
}
