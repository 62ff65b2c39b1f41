/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the running kernel offers. */
#include "kernel/support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "base/cleanup.h"
#include "base/log.h"

const struct hook support_hooks[] = {
	{ "file_open", "rf_file_open", 1, "opening files" },
	{ "bprm_check_security", "rf_bprm_check", 1, "executing programs" },
	{ "path_mknod", "rf_mknod", 4, "making files" },
	{ "path_mkdir", "rf_mkdir", 3, "making directories" },
	{ "path_symlink", "rf_symlink", 3, "making symbolic links" },
	{ "path_unlink", "rf_unlink", 2, "removing files" },
	{ "path_rmdir", "rf_rmdir", 2, "removing directories" },
	{ "path_rename", "rf_rename", 5, "renaming" },
	{ "path_link", "rf_link", 3, "making hard links" },
	{ "path_truncate", "rf_truncate", 1, "truncating files by name" },
	{ "path_chmod", "rf_chmod", 2, "changing modes" },
	{ "path_chown", "rf_chown", 3, "changing owners" },
	{ "file_receive", "rf_receive", 1, "taking over open files" },
	{ "mmap_file", "rf_mmap", 4, "mapping programs" },
	{ "file_mprotect", "rf_mprotect", 3, "making mappings executable" },
	{ "socket_connect", "rf_connect", 3, "connecting sockets" },
	{ "socket_sendmsg", "rf_send", 3, "sending to addresses" },
	{ "task_alloc", "rf_task_alloc", 2, "leaving the fence by fork" },
};
const size_t support_n_hooks = ELEMENTSOF(support_hooks);

_Static_assert(ELEMENTSOF(support_hooks) <= ELEMENTSOF(((struct support *)0)->hooks),
	       "a state for each hook");

static enum hook_state probe_hook(const struct btf *btf, const struct hook *hook)
{
	const struct btf_type *type;
	char function[64];
	int id;

	(void)snprintf(function, sizeof(function), "bpf_lsm_%s", hook->name);
	id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	if (id < 0)
		return HOOK_MISSING;
	type = btf__type_by_id(btf, (unsigned int)id);
	type = btf__type_by_id(btf, type->type);
	return btf_vlen(type) == hook->n_params ? HOOK_PRESENT : HOOK_CHANGED;
}

/* An unreadable list says nothing: securityfs need not be mounted. */
static bool probe_lsm_list(void)
{
	_cleanup_fclose_ FILE *file = fopen("/sys/kernel/security/lsm", "re");
	char list[512];
	char *name, *rest = list;

	if (!file || !fgets(list, sizeof(list), file))
		return true;
	while ((name = strsep(&rest, ",\n")))
		if (strcmp(name, "bpf") == 0)
			return true;
	return false;
}

void support_probe(struct support *ret_support)
{
	struct btf *btf = btf__load_vmlinux_btf();

	*ret_support = (struct support){ .has_lsm = probe_lsm_list() };
	if (!btf) {
		ret_support->error = -errno;
		return;
	}
	for (size_t i = 0; i < support_n_hooks; i++)
		ret_support->hooks[i] = probe_hook(btf, &support_hooks[i]);
	btf__free(btf);
}

bool support_is_complete(const struct support *support)
{
	bool is_complete = true;

	if (support->error) {
		log_error("cannot read this kernel's types from /sys/kernel/btf/vmlinux: %s; a kernel with "
			  "CONFIG_DEBUG_INFO_BTF=y is needed",
			  strerror(-support->error));
		return false;
	}
	if (!support->has_lsm) {
		log_error("this kernel was started without \"bpf\" in its list of security modules; add "
			  "it to the list of the \"lsm=\" boot parameter (cat /sys/kernel/security/lsm) "
			  "and restart");
		is_complete = false;
	}
	for (size_t i = 0; i < support_n_hooks; i++) {
		if (support->hooks[i] == HOOK_PRESENT)
			continue;
		log_error("this kernel's hook %s is %s, so a fence could not stop: %s",
			  support_hooks[i].name,
			  support->hooks[i] == HOOK_MISSING ? "missing" : "of an unknown form",
			  support_hooks[i].class);
		is_complete = false;
	}
	return is_complete;
}
