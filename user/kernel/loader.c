/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The programs in the kernel: open, configure, load, attach, pin. */
#include "kernel/loader.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/bpf_log.h"
#include "kernel/pins.h"
#include "kernel/support.h"
#include "ringfence.skel.h"

struct loader {
	struct ringfence_bpf *skeleton;
	char *pin_name; /* NULL: not pinned */
};

struct loader *loader_close(struct loader *loader)
{
	if (!loader)
		return NULL;
	if (loader->pin_name)
		pins_remove(loader->pin_name);
	free(loader->pin_name);
	ringfence_bpf__destroy(loader->skeleton);
	free(loader);
	return NULL;
}

struct ringfence_bpf *loader_skeleton(struct loader *loader)
{
	return loader->skeleton;
}

static int set_capacities(struct ringfence_bpf *skeleton, const struct loader_options *options)
{
	struct bpf_map *const by_policy[] = {
		skeleton->maps.rf_edges,       skeleton->maps.rf_classes,
		skeleton->maps.rf_short_names, skeleton->maps.rf_long_names,
		skeleton->maps.rf_identities,  skeleton->maps.rf_rules,
		skeleton->maps.rf_addresses,   skeleton->maps.rf_policies,
	};
	struct bpf_map *const by_fence[] = {
		skeleton->maps.rf_fences,
		skeleton->maps.rf_cgroups,
		skeleton->maps.rf_counters,
	};
	int r = options->max_policies <= RF_MAX_POLICY_SLOTS ? 0 : -ERANGE;

	for (size_t i = 0; i < ELEMENTSOF(by_policy) && r == 0; i++)
		r = bpf_map__set_max_entries(by_policy[i], options->max_policies);
	for (size_t i = 0; i < ELEMENTSOF(by_fence) && r == 0; i++)
		r = bpf_map__set_max_entries(by_fence[i], options->max_fences);
	return r;
}

static int log_load_error(int r)
{
	if (r == -EPERM)
		log_error("this kernel refuses to load LSM programs although it has them; it may be "
			  "locked down, or a container or another policy may forbid bpf(2)");
	else
		log_error("cannot load the programs into this kernel: %s; set RINGFENCE_DEBUG=1 to see "
			  "what the verifier says",
			  strerror(-r));
	return r == -ENOMEM ? r : -EOPNOTSUPP;
}

static int load(struct loader *loader, const struct loader_options *options)
{
	int r;

	loader->skeleton = ringfence_bpf__open();
	if (!loader->skeleton)
		return log_load_error(-errno);
	r = set_capacities(loader->skeleton, options);
	if (r == 0)
		r = ringfence_bpf__load(loader->skeleton);
	if (r < 0)
		return log_load_error(r);
	r = ringfence_bpf__attach(loader->skeleton);
	if (r < 0) {
		log_error("cannot attach the programs to this kernel's hooks: %s; run \"ringfence doctor\"",
			  strerror(-r));
		return -EOPNOTSUPP;
	}
	return 0;
}

int loader_open(const struct loader_options *options, struct loader **ret_loader)
{
	_cleanup_(loader_closep) struct loader *loader = NULL;
	struct support support;
	int r;

	bpf_log_install();
	if (geteuid() != 0) {
		log_error("loading programs into the kernel needs root; run it with sudo");
		return -EPERM;
	}
	support_probe(&support);
	if (!support_is_complete(&support))
		return -EOPNOTSUPP;
	loader = calloc(1, sizeof(*loader));
	if (!loader)
		return -ENOMEM;
	r = load(loader, options);
	if (r < 0)
		return r;
	*ret_loader = TAKE_PTR(loader);
	return 0;
}

/* The skeleton names its links one by one; in memory they are an array. */
static int pin_links(struct ringfence_bpf *skeleton, const char *name)
{
	struct bpf_link *const *links = (struct bpf_link *const *)&skeleton->links;
	size_t n_links = sizeof(skeleton->links) / sizeof(*links);
	int r = 0;

	for (size_t i = 0; i < n_links && r == 0; i++)
		if (links[i]) /* Programs that are only run by hand have none. */
			r = pins_add(name, i, links[i]);
	return r;
}

int loader_pin(struct loader *loader, const char *name)
{
	int r;

	loader->pin_name = strdup(name);
	if (!loader->pin_name)
		return -ENOMEM;
	r = pins_create(name);
	if (r == 0)
		r = pin_links(loader->skeleton, name);
	if (r < 0)
		log_error("cannot pin the programs below " PIN_DIR ": %s; is a bpf file system mounted on "
			  "/sys/fs/bpf?",
			  strerror(-r));
	return r;
}
