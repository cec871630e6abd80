/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One `fstrial run`: all trials of a job, one results directory, one boot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/job/job.h"
#include "core/plugin/registry.h"

struct until_rule;

struct session_options {
	const char *out;  /* results directory, or NULL: fstrial-results/JOB/UTC-id */
	const char *resume; /* results directory of a session to go on with, or NULL */
	uint64_t seed;	  /* 0: the job's, else drawn */
	bool quiet;	  /* no progress */
	const char *const *destroy; /* --destroy, beside the job's own */
	size_t n_destroy;
	const struct until_rule *until; /* repeats by precision (core/run/until.h), or NULL: as many as the job says */
};

/*
 * Runs the job. Returns the exit code (core/util/exit.h), having said on stderr why it is not 0. *dir, the
 * caller's to free, is the results directory, or NULL when nothing was begun.
 */
int session_run(const struct job *job, struct registry *reg, const struct session_options *opt, char **dir);

/*
 * Calls every data that plugins' `check` callbacks want to see, in one child process: each distinct step once.
 * Adds what they find to d at the step's line, and to the job what becomes of its devices. 0 or -EINVAL.
 */
int preflight_check(struct job *job, struct diag *d) _must_check_;
