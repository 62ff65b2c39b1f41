/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the kernel knows about one of our descriptors. */
#include "kernel/identify.h"

#include <errno.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/loader.h"
#include "ringfence.skel.h"

int identify_fd(struct loader *loader, int fd, struct rf_identify *ret_answer)
{
	struct rf_identify answer = { .fd = (__u32)fd };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &answer, .ctx_size_in = sizeof(answer));
	int program_fd = bpf_program__fd(loader_skeleton(loader)->progs.rf_identify);
	int r;

	r = bpf_prog_test_run_opts(program_fd, &options);
	if (r < 0)
		return r;
	if (!answer.is_found)
		return -EBADF;
	*ret_answer = answer;
	return 0;
}
