// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs: may the current task execute this file?
 *
 *   bprm_check_security   Every round of execve: the program, then each interpreter of a script or
 *                         of binfmt_misc. file_open has seen the same files before; this one also
 *                         sees those that were opened otherwise, as by execveat on a descriptor.
 */
#include "decide_file.bpf.h"

SEC("lsm/bprm_check_security")
int BPF_PROG(rf_bprm_check, struct linux_binprm *bprm, int ret)
{
	struct rf_request request = {
		.report.action = RF_ACTION_PROGRAM_EXECUTE,
		.report.access = RF_ACCESS_EXECUTE,
	};

	if (ret)
		return ret;
	if (!subject_of_current(&request.subject))
		return 0;
	return answer_for_file(&request, bprm->file);
}
