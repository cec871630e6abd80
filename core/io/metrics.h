/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics that a workload declares: given by it, or made from what was counted. */
#pragma once

#include <jansson.h>

#include "core/io/hist.h"
#include "core/io/step.h"

/* What all workers did together. */
struct measured {
	uint64_t window_ns; /* from the ramp's end to the last completion; 0: nothing measured */
	uint64_t ops;	    /* without syncs and parts of other operations */
	uint64_t bytes;
	uint64_t *kind_bytes; /* by kind of operation */
	struct hist *hist;    /* likewise; NULL before the workers ran */
	struct hist *parts; /* LOOP_PARTS for each of the core's own kinds; NULL: nothing is queued */
	uint64_t op_count[LOOP_KINDS], op_bytes[LOOP_KINDS]; /* of the loop's I/Os, of any kind */
	double kind_ns;	    /* time of I/Os of the plugin's own kinds */
	double clock_drift; /* share of the time by which the clock went wrong */
	uint64_t busy_ns;   /* sum of the workers' own times */
	uint32_t max_inflight;
	uint32_t batch; /* of the worker that handed over most at once; 0: nothing is queued */
	int batch_by;	/* enum pace_state */
	bool partial;
	bool too_short;
};

/* fst_set_metric() and fst_worker_metric(). */
int metrics_set(struct io_step *s, const char *name, double value);
int metrics_set_worker(struct io_worker *w, const char *name, double value);
/*
 * {name: {value, unit, better, primary}} of all declared. One that the plugin gave no value is made
 * by its name: throughput, iops; for a kind of operation K: K_rate, K_throughput, K_mean, K_max,
 * K_p50, K_p90, K_p95, K_p99, K_p999. Otherwise null. New reference.
 */
json_t *metrics_json(const struct io_step *s, const struct measured *m);
