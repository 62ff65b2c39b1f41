// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets: may the current task connect there?
 *
 *   socket_connect   connect(2) and io_uring CONNECT, on every family.
 */
#include "decide.bpf.h"

#define AF_NETLINK 16

/* Decides on an IPv4 or IPv6 address under the policy in force. */
static __always_inline struct rf_decision decide_on_endpoint(struct rf_request *request)
{
	const struct rf_endpoint *endpoint = &request->object.endpoint;
	struct rf_prefix key = { .prefix_size = 128 };
	struct rf_tables tables;
	void *addresses;

	if (!open_policy(request, &tables))
		return rf_refuse(RF_REASON_NO_POLICY);
	addresses = bpf_map_lookup_elem(&rf_addresses, &request->subject.fence->policy_slot);
	if (!addresses)
		return rf_refuse(RF_REASON_NO_POLICY);
	__builtin_memcpy(key.address, endpoint->address, sizeof(key.address));
	return rf_decide_address(bpf_map_lookup_elem(addresses, &key), endpoint->port);
}

SEC("lsm/socket_connect")
int BPF_PROG(rf_connect, struct socket *socket, struct sockaddr *address, int size, int ret)
{
	struct rf_request request = { .action = RF_ACTION_SOCKET_CONNECT };
	struct rf_endpoint *endpoint = &request.object.endpoint;
	__u8 bytes[RF_SOCKADDR_INET6_SIZE];
	struct sock *sock;
	__u8 reason;

	if (ret)
		return ret;
	if (!subject_of_current(&request.subject))
		return 0;
	/* The kernel's own copy: at least this long whatever the task gave. */
	if (bpf_probe_read_kernel(bytes, sizeof(bytes), address))
		return -RF_EACCES;
	endpoint->type = socket->type;
	sock = socket->sk;
	endpoint->protocol = sock ? sock->sk_protocol : 0;
	reason = rf_endpoint_from_sockaddr(bytes, size < 0 ? 0 : size, endpoint);
	/* Reached: a disconnect; unix and netlink sockets, which no address rule is about. */
	if (endpoint->family == RF_AF_UNSPEC || endpoint->family == RF_AF_UNIX ||
	    endpoint->family == AF_NETLINK)
		return 0;
	request.decision = reason ? rf_refuse(reason) : decide_on_endpoint(&request);
	return conclude(&request, NULL, NULL);
}
