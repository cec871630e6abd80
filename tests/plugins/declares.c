/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A workload whose metrics are what its parameter `names` says, each with its place in that list as its value. */
#include "common.h"

struct declares_cfg {
	struct fst_list names;
	const char *unit;
};

static const struct fst_param declares_params[] = {
	{ .name = "names", .type = FST_LIST, FST_AT(struct declares_cfg, names), .doc = "Names of metrics." },
	{ .name = "unit", .type = FST_STR, FST_AT(struct declares_cfg, unit), .def = "count", .doc = "Their unit." },
};

static const struct fst_metric declares_metrics[] = {
	{ .name = "fixed", .unit = "ratio", .doc = "1, always there; a declared one may take its place." },
};

static int declares_check(struct fst_ctx *ctx)
{
	const struct declares_cfg *cfg = ctx->cfg;
	int r = 0;

	for (size_t i = 0; r == 0 && i < cfg->names.n; i++) {
		const struct fst_metric m = { .name = cfg->names.v[i],
					      .unit = cfg->unit,
					      .better = FST_LOWER,
					      .flags = i ? 0 : FST_PRIMARY,
					      .doc = "Declared." };

		r = fst_declare_metric(ctx, &m);
	}
	return r;
}

static int declares_run(struct fst_worker *w)
{
	const struct declares_cfg *cfg = w->ctx->cfg;
	int r = fst_worker_metric(w, "fixed", 1);

	for (size_t i = 0; r == 0 && i < cfg->names.n; i++)
		r = fst_worker_metric(w, cfg->names.v[i], (double)i + 1);
	return r;
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "declares", .version = "1",
	       .summary = "declares metrics by its parameters", .description = "For the tests of the core.",
	       FST_PARAMS(declares_params), FST_METRICS(declares_metrics), .cfg_size = sizeof(struct declares_cfg),
	       .flags = FST_DECLARES_METRICS, .max_workers = 1, .check = declares_check, .run = declares_run);
