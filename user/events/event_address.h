/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Names for the parts of a struct rf_endpoint. */
#ifndef EVENTS_EVENT_ADDRESS_H
#define EVENTS_EVENT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ringfence/events.h"

/* Room for an IPv6 address as text, and so for every other name. */
#define EVENT_ADDRESS_SIZE 46

/*
 * "inet", "stream", "tcp" and the like; a number that has no name is written as digits into @buf.
 * Each returns the name or @buf.
 */
const char *event_family_name(uint16_t family, char buf[EVENT_ADDRESS_SIZE]);
const char *event_socket_type_name(uint16_t type, char buf[EVENT_ADDRESS_SIZE]);
const char *event_protocol_name(uint16_t protocol, char buf[EVENT_ADDRESS_SIZE]);

/* Whether sockets of @family have an address and a port as in struct rf_endpoint. */
bool event_family_has_address(uint16_t family);

/* Writes the address into @buf and returns it. The family must have one. */
const char *event_address_text(const struct rf_endpoint *endpoint, char buf[EVENT_ADDRESS_SIZE]);

#endif
