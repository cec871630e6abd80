/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Carries out one workload step in this process: prepare, N workers released together, the core's
 * one I/O loop (or the plugin's run), verify, cleanup; times, counts and says what was measured.
 */
#pragma once

#include <fstrial/plugin.h>
#include <jansson.h>

#include "core/io/device.h"
#include "core/io/live.h"
#include "core/io/options.h"
#include "core/util/err.h"

struct workload {
	struct fst_ctx *ctx;		     /* complete, its host table from host_io_fill() */
	const struct fstrial_plugin *desc;   /* zero-extended copy */
	const struct fst_metric *declared;   /* by its check, beside those of desc; or NULL */
	uint32_t n_declared;
	const struct fstrial_plugin *engine; /* of a data workload, or NULL */
	const void *engine_cfg;
	const struct step_options *opt;
	const struct io_params *io; /* of a data workload, or NULL */
	const struct io_device *device; /* what io names instead of files, or NULL */
	struct live *live;	    /* for at least numjobs workers */
	struct err *err;	    /* the step's; plugin errors land here by the host too */
	void *priv;		    /* core/io's own, NULL at start */
};

/*
 * Runs w from prepare to cleanup. What was measured is added to record even when it fails; latency,
 * series and measured are absent when it did not come to the workers:
 *   metrics:  {name: {value, unit, better, primary}} for every declared metric, value null when it
 *             has none
 *   latency:  {op: hist_json()}; data workloads those of "read", "write", "trim", "sync" that
 *             happened; and all op kinds of the plugin's. With each its parts: {submission: from the
 *             call of queue() (where nothing lies between two I/Os, from the completion that freed
 *             the slot) until the submit() that handed it over had returned, completion: from there
 *             until it was seen}, each hist_json(); both together are the whole, and in a
 *             "response_time" (below) the lag comes on top. An engine that lets reap() make the
 *             system call, as io_uring does without a polling thread, has that in completion.
 *             Null at depth 1 and with synchronous engines, whose submission is the whole, and of the
 *             plugin's own op kinds
 *   series:   {interval_ns, ops: [...], bytes: [...]} whole intervals of 1 s from the end of the ramp
 *   measured: {started_ns (monotonic), elapsed_ns, ramp_ns, ops, bytes, workers, partial: bool,
 *             too_short: bool, sync_boundary: text, clock: {source: "tsc" or "clock_gettime",
 *             drift: share of the time by which it went wrong},
 *             latency_is: "service_time" (from its begin) or, where a rate is asked for,
 *             "response_time" (from when it should have begun), then with
 *             schedule: {process, unit: "bytes/s" or "ops/s", asked, achieved, missed: due before the end
 *             and never begun, service_time, lag: hist_json() of what latencies consist of}, cpu: {user_ns, system_ns} of this process in
 *             the window}; times are null when nothing was measured
 *   engine:   {name, depth_asked, depth_max, depth_mean, batch}     data workloads
 *   data:     {kind: "random" "zero", direct: bool, verified_bytes (at the end, or null), dataset_bytes, laid_out_bytes, passes
 *             (bytes read and written / dataset), ram_bytes,
 *             dataset_to_ram, device: {filename, path, size_bytes} or null, resident_before: 0..1 or null, cache: "direct" "cold" "partly cached"
 *             "cached" "written" or null}      data workloads
 *   warnings: appended to an existing array
 * 0 or -errno with w->err set (file, offset, what).
 */
int workload_execute(struct workload *w, json_t *record) _must_check_;

/*
 * The part of the host table that is core/io's: metric, worker_metric, files, file_add, now, op,
 * random, random_block. workload_of finds the workload of a context.
 */
void host_io_fill(struct fst_host *table, struct workload *(*workload_of)(struct fst_ctx *ctx));
