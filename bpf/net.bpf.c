// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets: may the current task connect there, or send there?
 *
 *   socket_connect   connect(2) and io_uring CONNECT, on every family.
 *   socket_sendmsg   Sending to an address that comes with the message: sendto(2), sendmsg(2),
 *                    MSG_FASTOPEN, which connects without socket_connect. Without one the socket is
 *                    connected, which was decided then.
 */
#include "decide.bpf.h"

#define AF_NETLINK 16

/* Decides on a port of an address; a global function, so that the verifier checks its loop once. */
__noinline int rf_decide_port(const struct rf_address_rules *rules, __u32 port,
			      struct rf_decision *ret_decision)
{
	if (ret_decision)
		*ret_decision = rf_decide_address(rules, port);
	return 0;
}

/* Decides on an address under the policy in force. @reason: why it cannot be read, if so. */
static __always_inline struct rf_decision decide_on_endpoint(struct rf_request *request,
							     const struct rf_endpoint *endpoint,
							     __u8 reason)
{
	struct rf_decision decision = rf_refuse(RF_REASON_NO_POLICY);
	struct rf_prefix key = { .prefix_size = 128 };
	const struct rf_address_rules *rules;
	const struct rf_policy *policy;
	void *addresses;

	policy = find_policy(request);
	if (!policy)
		return rf_refuse(RF_REASON_NO_POLICY);
	if (reason != RF_REASON_NONE)
		return rf_refuse(reason);
	addresses = bpf_map_lookup_elem(&rf_addresses, &policy->slot);
	if (!addresses)
		return rf_refuse(RF_REASON_NO_POLICY);
	__builtin_memcpy(key.address, endpoint->address, sizeof(key.address));
	rules = bpf_map_lookup_elem(addresses, &key);
	if (!rules)
		return rf_refuse(RF_REASON_UNLISTED_ADDRESS);
	rf_decide_port(rules, endpoint->port, &decision);
	return decision;
}

/* Reached: a disconnect; unix and netlink sockets, which no address rule is about. */
static __always_inline int is_without_address(__u16 family)
{
	return family == RF_AF_UNSPEC || family == RF_AF_UNIX || family == AF_NETLINK;
}

/* Decides on the kernel's copy of an address: at least so long, whatever the task gave. */
static __always_inline int answer_for_address(struct rf_request *request, struct socket *socket,
					      const void *address, int size)
{
	struct rf_endpoint endpoint = { .type = socket->type };
	__u8 bytes[RF_SOCKADDR_INET6_SIZE];
	struct sock *sock = socket->sk;
	__u8 reason;

	if (bpf_probe_read_kernel(bytes, sizeof(bytes), address))
		return -RF_EACCES;
	if (sock) {
		endpoint.protocol = sock->sk_protocol;
		/* UDP over IPv4 sends to an address without a family as if it had its own. */
		if (request->report.action == RF_ACTION_SOCKET_SEND && !(bytes[0] | bytes[1]) &&
		    sock->__sk_common.skc_family == RF_AF_INET)
			bytes[0] = RF_AF_INET;
	}
	reason = rf_endpoint_from_sockaddr(bytes, size < 0 ? 0 : size, &endpoint);
	if (is_without_address(endpoint.family))
		return 0;
	request->report.decision = decide_on_endpoint(request, &endpoint, reason);
	if (request->subject.task)
		request->subject.task->object = (struct rf_object){ .endpoint = endpoint };
	return conclude(request, 0, 0);
}

SEC("lsm/socket_connect")
int BPF_PROG(rf_connect, struct socket *socket, struct sockaddr *address, int size, int ret)
{
	struct rf_request request = { .report.action = RF_ACTION_SOCKET_CONNECT };

	if (ret)
		return ret;
	if (!subject_of_current(&request.subject))
		return 0;
	return answer_for_address(&request, socket, address, size);
}

/* Servers send all the time, on connected sockets; that costs them no look-up. */
SEC("lsm/socket_sendmsg")
int BPF_PROG(rf_send, struct socket *socket, struct msghdr *message, int size, int ret)
{
	struct rf_request request = { .report.action = RF_ACTION_SOCKET_SEND };
	const void *address = message->msg_name;

	if (ret || !address)
		return ret;
	if (!subject_of_current(&request.subject))
		return 0;
	return answer_for_address(&request, socket, address, message->msg_namelen);
}
