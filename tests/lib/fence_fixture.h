/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A fence made by `ringfence run`, with a probe in it that answers.
 *
 *	test ──pipes──▶ ringfence run ──▶ session leader ──▶ probe
 *
 * The program in the fence is the test itself, run again with FENCE_FIXTURE_PROBE as its only
 * argument; main() has to call probe_serve() then.
 */
#ifndef TESTS_LIB_FENCE_FIXTURE_H
#define TESTS_LIB_FENCE_FIXTURE_H

#include "base/cleanup.h"
#include "lib/probe.h"

#define FENCE_FIXTURE_PROBE "--probe"

struct fence_fixture;

/**
 * struct fence_fixture_options - What to run
 * @policy:    File.
 * @events:    File.
 * @directory: Where the probe starts; NULL: where the test is.
 */
struct fence_fixture_options {
	const char *policy;
	const char *events;
	const char *directory;
};

/* Returns 0 or -errno; that the fence works shows with the first probe. */
int fence_fixture_start(const struct fence_fixture_options *options,
			struct fence_fixture **ret_fixture);

/* What probe() returns inside; -ECONNRESET if there is nobody to ask. */
int fence_fixture_probe(struct fence_fixture *fixture, enum probe probe, const char *path);

/* Ends the probe. Returns the exit status of `ringfence run`, 128 + n after signal n. */
int fence_fixture_stop(struct fence_fixture *fixture);

/* Accepts NULL, returns NULL. */
struct fence_fixture *fence_fixture_free(struct fence_fixture *fixture);
DEFINE_CLEANUP(struct fence_fixture, fence_fixture_free)

#endif
