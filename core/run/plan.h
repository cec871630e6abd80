/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job will do, before it does it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/job/job.h"

struct plan {
	uint32_t variants;
	uint32_t repeats;
	uint64_t trials;
	uint64_t steps;	      /* active steps over all trials */
	uint64_t bytes_written, bytes_read; /* over all trials, layout included */
	uint64_t files;
	uint64_t time_ns;     /* lower bound: what is bounded by time, plus a guess for the rest */
	uint64_t peak_bytes;  /* largest data set of one trial */
	bool destroys;	      /* what is on the target's devices is lost */
	json_t *devices, *changes; /* plan_devices(), plan_changes() */
	char **warnings;      /* "mkfs.xfs needs at least 300 MiB, scratch is 200 MiB" */
};

/* Plugins' `estimate` callbacks run in one child. 0 or -errno. */
int plan_make(const struct job *job, struct plan *p, struct err *e) _must_check_;
void plan_release(struct plan *p);
json_t *plan_json(const struct job *job, const struct plan *p);
