/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Keys of `egress`: HOST, ADDRESS, PREFIX, "localhost" or "*", with ports. */
#ifndef COMPILER_EGRESS_KEY_H
#define COMPILER_EGRESS_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/diag.h"
#include "compiler/policy.h"
#include "ringfence/limits.h"

struct egress_ports {
	uint16_t first;
	uint16_t last;
};

/**
 * struct egress_key - One key, taken apart
 * @kind, @host, @address, @prefix_size: As in struct egress_rule; @host is owned.
 * @ports, @n_ports: At least one range.
 */
struct egress_key {
	enum egress_kind kind;
	char *host;
	uint8_t address[16];
	uint8_t prefix_size;
	struct egress_ports ports[RF_MAX_PORT_RANGES];
	size_t n_ports;
};

/* Returns 0, -EINVAL with a message in @diag, or -ENOMEM. */
int egress_key_parse(const char *text, const struct position *position, struct diag *diag,
		     struct egress_key *ret_key);

/* Whether the key is "*", or every address of IPv4 or of IPv6. */
bool egress_key_is_open(const struct egress_key *key);

#endif
