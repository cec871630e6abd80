/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial run */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/analyse/verdict.h"
#include "core/cli/command.h"
#include "core/cli/format.h"
#include "core/cli/load.h"
#include "core/cli/plan.h"
#include "core/record/result.h"
#include "core/report/show.h"
#include "core/run/session.h"
#include "core/run/until.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/log.h"
#include "core/util/units.h"

struct run_args {
	struct load_args load;
	const char *out, *resume;
	uint64_t seed;
	int until;
	uint32_t max_repeats;
	const char *max_time;
	bool dry_run;
	bool quiet;
	int format;
};

enum { UNTIL_REPEATS, UNTIL_HALF_WIDTH };
static const char *const run_until_names[] = { "repeats", "half-width", NULL };

static const struct arg run_args_table[] = {
	{ "out", "DIR",
	  "Results directory; made by the run. Else fstrial-results/JOB/TIME-ID in the current "
	  "directory.",
	  ARG_TEXT, offsetof(struct run_args, out), NULL },
	{ "resume", "DIR",
	  "Go on with the session whose results directory this is, where its journal ends: after a crash, an interruption "
	  "or a stop. Job and kernel must be the same.",
	  ARG_TEXT, offsetof(struct run_args, resume), NULL },
	{ "dry-run", NULL, "Print what \"fstrial plan\" prints and touch nothing.", ARG_FLAG,
	  offsetof(struct run_args, dry_run), NULL },
	{ "until", "RULE",
	  "Repeat until numbers are precise: half-width stops a variant when half of the 95 % interval of each of its "
	  "primary metrics is within half of compare's margin. What the job says is the fewest repeats, at least 5.",
	  ARG_CHOICE, offsetof(struct run_args, until), run_until_names },
	{ "max-repeats", "N", "With --until: no more repeats than that (20).", ARG_U32,
	  offsetof(struct run_args, max_repeats), NULL },
	{ "max-time", "TIME", "With --until: no block begins later than that (\"2h\").", ARG_TEXT,
	  offsetof(struct run_args, max_time), NULL },
	FORMAT_ARG(run_args,
		   "What standard output gets: the summary table, or the result document and "
		   "nothing else."),
	{ "quiet", NULL, "No progress on standard error.", ARG_FLAG,
	  offsetof(struct run_args, quiet), NULL },
	{ "seed", "N", "Seed of the order of trials and of random offsets, instead of one drawn.",
	  ARG_U64, offsetof(struct run_args, seed), NULL },
	LOAD_ARGS_JOB(run_args),
};

/* The summary, or the document. A result that cannot be shown is still on disk. */
static int run_report(const char *dir, int format)
{
	_cleanup_json_ json_t *doc = NULL;
	struct err e = { 0 };
	int r;

	if (format == FORMAT_JSON) {
		r = result_print(dir, stdout, &e);
	} else {
		r = result_load(dir, &doc, &e);
		if (r == 0)
			show_result(doc, &(struct show_options){ .all = false }, stdout);
	}
	if (r < 0)
		log_error("%s", e.text);
	return r;
}

/* Half of the margin that compare has for the metric; what it does not judge does not decide here. */
static double run_half_width(const char *metric)
{
	return verdict_margin(metric) / 2;
}

/* 0, or the exit code after a message. */
static int run_until(const struct run_args *a, const struct job *job, struct until_rule *u)
{
	struct err e = { 0 };

	if (a->resume && (a->out || a->seed)) {
		log_error("--resume goes on in the same directory with the same seed: it takes no %s", a->out ? "--out" : "--seed");
		return EXIT_USAGE;
	}
	*u = (struct until_rule){ .min_repeats = MAX(job->repeats, (uint32_t)VERDICT_MIN_N),
				  .max_repeats = a->max_repeats ? a->max_repeats : 20,
				  .wanted = run_half_width };
	if (a->until == UNTIL_REPEATS && (a->max_repeats || a->max_time)) {
		log_error("%s goes with --until half-width", a->max_time ? "--max-time" : "--max-repeats");
		return EXIT_USAGE;
	}
	if (a->max_time && units_parse_time(a->max_time, &u->max_time_ns, &e) < 0) {
		log_error("--max-time: %s", e.text);
		return EXIT_USAGE;
	}
	if (a->max_time && !u->max_time_ns) {
		log_error("--max-time %s: no time at all", a->max_time);
		return EXIT_USAGE;
	}
	if (a->until == UNTIL_REPEATS || u->max_repeats >= u->min_repeats)
		return 0;
	log_error("--max-repeats %u: there are %u repeats at least", u->max_repeats, u->min_repeats);
	return EXIT_USAGE;
}

static int run_session(const struct run_args *a, const struct job *job, struct registry *reg)
{
	struct until_rule until = { 0 };
	const struct session_options opt = {
		.out = a->out,
		.resume = a->resume,
		.seed = a->seed,
		.quiet = a->quiet,
		.destroy = a->load.destroy.v,
		.n_destroy = a->load.destroy.n,
		.until = a->until == UNTIL_HALF_WIDTH ? &until : NULL,
	};
	_cleanup_free_ char *dir = NULL;
	int code = run_until(a, job, &until);

	if (code == EXIT_GOOD)
		code = session_run(job, reg, &opt, &dir);
	if (!dir)
		return code;
	if (run_report(dir, a->format) < 0 && code == EXIT_GOOD)
		code = EXIT_FAILED;
	if (!a->quiet)
		log_info("results are in %s", dir);
	return code;
}

static int run_job(const char *path, const struct run_args *a)
{
	struct registry reg;
	struct job job;
	int code = load_registry(&a->load, &reg);

	if (code == 0) {
		code = load_job(path, &a->load, &reg, &job);
		if (code == 0)
			code = a->dry_run ? plan_show(&job, a->format == FORMAT_JSON)
					  : run_session(a, &job, &reg);
		job_release(&job);
	}
	registry_release(&reg);
	return code;
}

static int run_run(int argc, char **argv)
{
	struct run_args a = { 0 };
	struct arg_list operands;
	int code = command_args(&command_run, argc, argv, &a, &operands);

	if (code < 0)
		code = run_job(operands.v[0], &a);
	args_free_list(&operands);
	load_free(&a.load);
	return code;
}

const struct command command_run = {
	.name = "run",
	.usage = "JOB [options]",
	.summary = "run a job and print a summary",
	.help = "Checks the job, runs all its trials, puts the machine back after each, and writes "
		"the results "
		"to a directory: result.json, journal.jsonl (one line a trial, written as it ends) "
		"and "
		"commands.log (every program that was run). Progress goes to standard error.\n\n"
		"Ctrl-C ends the step that runs, undoes what was changed and writes what was "
		"measured so "
		"far.\n\n"
		"Exit codes: 0 good; 1 a trial failed, an expectation was not met, or the run was "
		"interrupted; 2 wrong usage or a wrong "
		"job; 5 refused, because the device may not be destroyed or leftovers of another "
		"run are to "
		"be recovered first.",
	.args = ARG_TABLE(run_args_table),
	.min_operands = 1,
	.max_operands = 1,
	.run = run_run,
};
