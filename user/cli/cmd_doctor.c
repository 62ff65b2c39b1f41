/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* ringfence doctor: what this kernel can enforce. */
#include "cli/command.h"

#include "kernel/support.h"

int cmd_doctor(int argc, char **argv)
{
	struct support support;

	(void)argc;
	(void)argv;
	support_probe(&support);
	return support_is_complete(&support) ? EXIT_YES : EXIT_CANNOT_ENFORCE;
}
