/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload whose numbers are known beforehand. Worker j of w does n operations and gives j +
 * 1 to each of the metrics sum, mean, max and min: w(w+1)/2, (w+1)/2, w and 1. Of its
 * operations, those with an even number move no bytes, those with an odd one 1024.
 */
#include "common.h"

#include <math.h>

struct counts_cfg {
	uint64_t n;
};

struct counts_worker {
	uint64_t done;
};

static const struct fst_param counts_params[] = {
	{ .name = "n",
	  .type = FST_U64,
	  FST_AT(struct counts_cfg, n),
	  .def = "1000",
	  .unit = "operations",
	  .doc = "Operations of each worker." },
};

static const struct fst_metric counts_metrics[] = {
	{ .name = "operations",
	  .unit = "count",
	  .better = FST_HIGHER,
	  .agg = FST_SUM,
	  .flags = FST_PRIMARY,
	  .doc = "Operations of all workers." },
	{ .name = "sum", .unit = "count", .agg = FST_SUM, .doc = "Sum of the workers' numbers." },
	{ .name = "mean",
	  .unit = "ratio",
	  .agg = FST_MEAN,
	  .doc = "Mean of the workers' numbers." },
	{ .name = "max",
	  .unit = "bytes",
	  .better = FST_LOWER,
	  .agg = FST_MAX,
	  .doc = "The largest number." },
	{ .name = "min",
	  .unit = "ns",
	  .better = FST_LOWER,
	  .agg = FST_MIN,
	  .doc = "The smallest number." },
	{ .name = "given_once",
	  .unit = "count",
	  .doc = "42, given by the step and not by a worker." },
	{ .name = "not_a_number", .unit = "ratio", .doc = "NaN: has no value." },
	{ .name = "not_given", .unit = "ratio", .doc = "Declared and never given: has no value." },
};

enum counts_op {
	COUNTS_EVEN,
	COUNTS_ODD,
};

static const struct fst_op_kind counts_ops[] = {
	[COUNTS_EVEN] = { .name = "even", .doc = "Has an even number, and moves nothing." },
	[COUNTS_ODD] = { .name = "odd", .doc = "Has an odd number, and moves 1024 bytes." },
};

static int counts_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct counts_cfg *cfg = ctx->cfg;

	est->bytes_written = cfg->n / 2 * 1024 * ctx->nworkers;
	return 0;
}

static int counts_run(struct fst_worker *w)
{
	const struct counts_cfg *cfg = w->ctx->cfg;
	struct counts_worker *state = w->state;

	while (state->done < cfg->n && !fst_stopping(w)) {
		const bool odd = state->done % 2;

		fst_op(w, odd ? COUNTS_ODD : COUNTS_EVEN, fst_now(w->ctx), odd ? 1024 : 0);
		state->done++;
	}
	return 0;
}

/* Everything a worker knows is given at its end; what fails here, fails the step by fst_error(). */
static void counts_worker_fini(struct fst_worker *w)
{
	static const char *const names[] = { "sum", "mean", "max", "min" };
	const struct counts_worker *state = w->state;

	fst_worker_metric(w, "operations", (double)state->done);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fst_worker_metric(w, names[i], w->index + 1.0);
}

static int counts_verify(struct fst_ctx *ctx)
{
	int ret = fst_set_metric(ctx, "given_once", 42);

	fst_note(ctx, "counted", "yes");
	return ret ? ret : fst_set_metric(ctx, "not_a_number", NAN);
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "counts", .version = "1", .summary = "Counts",
	       .description = "For tests: its numbers are known beforehand.",
	       FST_PARAMS(counts_params), FST_METRICS(counts_metrics), FST_OPS(counts_ops),
	       .cfg_size = sizeof(struct counts_cfg), .worker_size = sizeof(struct counts_worker),
	       .estimate = counts_estimate, .run = counts_run, .worker_fini = counts_worker_fini,
	       .verify = counts_verify);
