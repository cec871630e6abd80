/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a session says while it runs, to stderr: on a terminal one live line, otherwise a line a trial.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/io/live.h"
#include "core/util/macro.h"

struct progress {
	bool quiet, terminal;
	uint64_t trials, done; /* of the session */
	uint64_t started_ns;
	char *trial;	       /* "block 2/5, v03 agcount=4" */
	const char *step;
	struct live *const *lives; /* of the running workloads: borrowed, n_lives of them */
	size_t n_lives;
	uint64_t last_bytes, last_ops, last_ns;
	bool line_shown;
};

void progress_begin(struct progress *p, bool quiet, uint64_t trials);
/* Takes text. */
void progress_trial(struct progress *p, char *text);
/* lives of n workloads that run at the same time; until the next call, lives must stay. */
void progress_step(struct progress *p, const char *name, struct live *const *lives, size_t n);
/* About four times a second; struct progress *. */
void progress_tick(void *arg);
/* The trial is over; status "ok", "failed" ...; what follows it is free text. */
void progress_trial_end(struct progress *p, const char *status, const char *text);
void progress_end(struct progress *p);
