// SPDX-License-Identifier: GPL-2.0-only
/*
 * All programs as one object.
 *
 * One translation unit, because bpftool's linker (libbpf 1.1) loses maps of maps that several objects
 * share; and the decision, a subprogram, is then in the object once and not once for each family.
 */
#include "exec.bpf.c"
#include "file.bpf.c"
#include "identify.bpf.c"
#include "lifecycle.bpf.c"
#include "net.bpf.c"
#include "tree.bpf.c"

char LICENSE[] SEC("license") = "GPL";
