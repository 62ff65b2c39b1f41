/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Names for the parts of a struct rf_endpoint. */
#include "events/event_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"

_Static_assert(EVENT_ADDRESS_SIZE >= INET6_ADDRSTRLEN, "every address fits");

struct number_name {
	uint16_t number;
	const char *name;
};

static const struct number_name families[] = {
	{ AF_UNSPEC, "unspec" },   { AF_UNIX, "unix" },
	{ AF_INET, "inet" },	   { AF_INET6, "inet6" },
	{ AF_NETLINK, "netlink" }, { AF_PACKET, "packet" },
	{ AF_ALG, "alg" },	   { AF_VSOCK, "vsock" },
	{ AF_XDP, "xdp" },	   { AF_BLUETOOTH, "bluetooth" },
	{ AF_KEY, "key" },	   { AF_TIPC, "tipc" },
	{ AF_CAN, "can" },	   { AF_RDS, "rds" },
};

static const struct number_name socket_types[] = {
	{ SOCK_STREAM, "stream" }, { SOCK_DGRAM, "dgram" },	    { SOCK_RAW, "raw" },
	{ SOCK_RDM, "rdm" },	   { SOCK_SEQPACKET, "seqpacket" }, { SOCK_PACKET, "packet" },
};

/* The kernel's own record of a protocol has 16 bits since MPTCP. */
static const struct number_name protocols[] = {
	{ IPPROTO_ICMP, "icmp" },     { IPPROTO_TCP, "tcp" },	{ IPPROTO_UDP, "udp" },
	{ IPPROTO_ICMPV6, "icmpv6" }, { IPPROTO_SCTP, "sctp" }, { IPPROTO_UDPLITE, "udplite" },
	{ IPPROTO_RAW, "raw" },	      { 262, "mptcp" },
};

static const char *find_name(const struct number_name *names, size_t n_names, uint16_t number,
			     char buf[EVENT_ADDRESS_SIZE])
{
	for (size_t i = 0; i < n_names; i++)
		if (names[i].number == number)
			return names[i].name;
	(void)snprintf(buf, EVENT_ADDRESS_SIZE, "%u", number);
	return buf;
}

const char *event_family_name(uint16_t family, char buf[EVENT_ADDRESS_SIZE])
{
	return find_name(families, ELEMENTSOF(families), family, buf);
}

const char *event_socket_type_name(uint16_t type, char buf[EVENT_ADDRESS_SIZE])
{
	return find_name(socket_types, ELEMENTSOF(socket_types), type, buf);
}

const char *event_protocol_name(uint16_t protocol, char buf[EVENT_ADDRESS_SIZE])
{
	return find_name(protocols, ELEMENTSOF(protocols), protocol, buf);
}

bool event_family_has_address(uint16_t family)
{
	return family == AF_INET || family == AF_INET6;
}

static const uint8_t mapped_prefix[12] = { [10] = 0xff, [11] = 0xff };

const char *event_address_text(const struct rf_endpoint *endpoint, char buf[EVENT_ADDRESS_SIZE])
{
	const uint8_t *address = endpoint->address;
	bool is_mapped = memcmp(address, mapped_prefix, sizeof(mapped_prefix)) == 0;

	/* Only an unknown family or too little room could fail. */
	if (endpoint->family == AF_INET && is_mapped)
		(void)inet_ntop(AF_INET, address + sizeof(mapped_prefix), buf, EVENT_ADDRESS_SIZE);
	else
		(void)inet_ntop(AF_INET6, address, buf, EVENT_ADDRESS_SIZE);
	return buf;
}
