/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial check */
#include <stdio.h>

#include "core/cli/command.h"
#include "core/cli/load.h"
#include "core/util/exit.h"

struct check_args {
	struct load_args load;
};

static const struct arg check_args_table[] = { LOAD_ARGS_JOB(check_args) };

static int check_job(const char *path, const struct load_args *a, const struct registry *reg)
{
	struct job job;
	int code = load_job(path, a, reg, &job);
	unsigned long long trials = (unsigned long long)job.n_variants * job.repeats;

	if (code == 0)
		printf("%s: ok, %u variant%s, %llu trial%s\n", path, job.n_variants,
		       job.n_variants == 1 ? "" : "s", trials, trials == 1 ? "" : "s");
	job_release(&job);
	return code;
}

/* All of them, whatever is wrong with the first. */
static int check_jobs(const struct arg_list *jobs, const struct load_args *a,
		      const struct registry *reg)
{
	int code = EXIT_GOOD;

	for (size_t i = 0; i < jobs->n; i++) {
		int one = check_job(jobs->v[i], a, reg);

		code = one ? one : code;
		fflush(stdout); /* results and errors in the order of the jobs */
	}
	return code;
}

static int check_run(int argc, char **argv)
{
	struct check_args a = { 0 };
	struct arg_list operands;
	struct registry reg;
	int code = command_args(&command_check, argc, argv, &a, &operands);

	if (code < 0) {
		code = load_registry(&a.load, &reg);
		if (code == 0)
			code = check_jobs(&operands, &a.load, &reg);
		registry_release(&reg);
	}
	args_free_list(&operands);
	load_free(&a.load);
	return code;
}

const struct command command_check = {
	.name = "check",
	.usage = "JOB... [options]",
	.summary = "check job files without running anything",
	.help = "Reads each job, checks every step of every variant, and lets the plugins check "
		"whether their "
		"parameters fit each other. Touches nothing and needs no root. All that is wrong "
		"is listed "
		"as file:line: message.\n\n"
		"Exit codes: 0 all jobs are good; 2 at least one is not; 5 a step wants a device that is "
		"none of the target's.",
	.args = ARG_TABLE(check_args_table),
	.min_operands = 1,
	.run = check_run,
};
