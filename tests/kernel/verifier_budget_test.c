/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What the verifier goes through for each program, held against verifier_budget.txt: it is what
 * starting a fence costs, and its growth is how a kernel's limit comes near.
 *
 * Usage: verifier_budget_test FILE. Prints the measured numbers as lines for FILE; those of a program
 * that has become cheaper belong there too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <bpf/bpf.h>

#include "kernel/loader.h"
#include "lib/harness.h"
#include "ringfence.skel.h"

#define MAX_GROWTH_PERCENT 10

/* struct budget - A line of the file, and whether the program is there. */
struct budget {
	char kernel[32];
	char program[64];
	uint64_t instructions;
	bool is_met;
};

static struct budget budgets[256];
static size_t n_budgets;

static void read_budgets(const char *path)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	char line[256];

	if (!file)
		harness_give_up("cannot read %s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		struct budget *budget = &budgets[n_budgets];

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (n_budgets == ELEMENTSOF(budgets) ||
		    sscanf(line, "%31s %63s %" SCNu64, budget->kernel, budget->program,
			   &budget->instructions) != 3)
			harness_give_up("cannot read this line of %s: %s", path, line);
		n_budgets++;
	}
}

/* "6.1" of 6.1.0-40-amd64; "newest" if the file has nothing for that kernel. */
static void get_kernel(char ret_kernel[32])
{
	struct utsname name;
	unsigned int major, minor;

	if (uname(&name) < 0 || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		harness_give_up("cannot tell which kernel this is");
	(void)snprintf(ret_kernel, 32, "%u.%u", major, minor);
	for (size_t i = 0; i < n_budgets; i++)
		if (strcmp(budgets[i].kernel, ret_kernel) == 0)
			return;
	(void)snprintf(ret_kernel, 32, "newest");
}

static struct budget *find_budget(const char *kernel, const char *program)
{
	for (size_t i = 0; i < n_budgets; i++)
		if (strcmp(budgets[i].kernel, kernel) == 0 &&
		    strcmp(budgets[i].program, program) == 0)
			return &budgets[i];
	return NULL;
}

static uint64_t measure(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);
	int r = bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size);

	if (r < 0)
		harness_give_up("cannot ask about a program: %s", strerror(-r));
	return info.verified_insns;
}

static void check(const char *kernel, const struct bpf_program *program)
{
	const char *name = bpf_program__name(program);
	uint64_t instructions = measure(program);
	struct budget *budget = find_budget(kernel, name);

	harness_note("%s\t%s\t%" PRIu64, kernel, name, instructions);
	if (!budget) {
		harness_ok(false, "%s has a budget for %s", name, kernel);
		return;
	}
	budget->is_met = true;
	harness_ok(instructions * 100 <= budget->instructions * (100 + MAX_GROWTH_PERCENT),
		   "%s stays within %" PRIu64 " verified instructions and %d %%", name,
		   budget->instructions, MAX_GROWTH_PERCENT);
}

int main(int argc, char **argv)
{
	const struct loader_options options = { .max_fences = 1, .max_policies = 1 };
	_cleanup_(loader_closep) struct loader *loader = NULL;
	struct bpf_program *program = NULL;
	char kernel[32];

	if (argc != 2)
		harness_give_up("usage: verifier_budget_test FILE");
	read_budgets(argv[1]);
	get_kernel(kernel);
	if (loader_open(&options, &loader) < 0)
		harness_give_up("cannot load the programs");
	while ((program = bpf_object__next_program(loader_skeleton(loader)->obj, program)))
		check(kernel, program);
	for (size_t i = 0; i < n_budgets; i++)
		if (strcmp(budgets[i].kernel, kernel) == 0)
			harness_ok(budgets[i].is_met, "the budget of %s is for a program that is there",
				   budgets[i].program);
	return harness_end();
}
