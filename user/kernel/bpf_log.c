/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What libbpf says, kept apart from what ringfence says. */
#include "kernel/bpf_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/log.h"

/* A verifier log is long; it goes out as it is, line by line would tear it apart. */
static int print_message(enum libbpf_print_level level, const char *format, va_list args)
{
	if (log_get_level() < LOG_LEVEL_DEBUG || level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, args);
}

void bpf_log_install(void)
{
	(void)libbpf_set_print(print_message);
}
