/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A workload that misbehaves in the way a job asks for. */
#include "common.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum misbehaves_mode {
	MISBEHAVES_OK,
	MISBEHAVES_SEGFAULT,
	MISBEHAVES_HANG,
	MISBEHAVES_EXIT0,
	MISBEHAVES_ERROR_IN_CHECK,
	MISBEHAVES_ERROR_IN_PREPARE,
	MISBEHAVES_ERROR_IN_RUN,
	MISBEHAVES_ERROR_IN_VERIFY,
	MISBEHAVES_IGNORE_STOP,
	MISBEHAVES_UNDECLARED_METRIC,
	MISBEHAVES_SKIP,
};

struct misbehaves_cfg {
	int mode;
	uint64_t n;
};

static const struct fst_choice misbehaves_modes[] = {
	{ "ok", MISBEHAVES_OK, "All goes well." },
	{ "segfault", MISBEHAVES_SEGFAULT, "The last worker dies of SIGSEGV half way." },
	{ "hang", MISBEHAVES_HANG, "The last worker sleeps for ever half way." },
	{ "exit0", MISBEHAVES_EXIT0, "The last worker calls exit(0) half way." },
	{ "error_in_check", MISBEHAVES_ERROR_IN_CHECK, "EINVAL in check." },
	{ "error_in_prepare", MISBEHAVES_ERROR_IN_PREPARE, "EIO in prepare." },
	{ "error_in_run", MISBEHAVES_ERROR_IN_RUN,
	  "EIO of the last worker half way; the others go on until they are stopped, ten seconds "
	  "at most." },
	{ "error_in_verify", MISBEHAVES_ERROR_IN_VERIFY, "EILSEQ in verify." },
	{ "ignore_stop", MISBEHAVES_IGNORE_STOP, "Never ends, whatever the host says." },
	{ "undeclared_metric", MISBEHAVES_UNDECLARED_METRIC,
	  "Gives a metric that is in no table." },
	{ "skip", MISBEHAVES_SKIP, "probe says that it cannot work here." },
};

static const struct fst_param misbehaves_params[] = {
	{ .name = "mode",
	  .type = FST_ENUM,
	  FST_AT(struct misbehaves_cfg, mode),
	  .def = "ok",
	  FST_CHOICES(misbehaves_modes),
	  .doc = "What goes wrong." },
	{ .name = "n",
	  .type = FST_U64,
	  FST_AT(struct misbehaves_cfg, n),
	  .def = "1000",
	  .min = "1",
	  .unit = "operations",
	  .doc = "Operations of each worker." },
};

static const struct fst_metric misbehaves_metrics[] = {
	{ .name = "declared",
	  .unit = "count",
	  .agg = FST_SUM,
	  .flags = FST_PRIMARY,
	  .doc = "Operations done." },
};

static const struct fst_op_kind misbehaves_ops[] = {
	{ .name = "nothing", .doc = "Does nothing." },
};

static int misbehaves_probe(struct fst_ctx *ctx)
{
	const struct misbehaves_cfg *cfg = ctx->cfg;

	if (cfg->mode == MISBEHAVES_SKIP)
		return fst_error(ctx, EOPNOTSUPP, "misbehaves was told to be impossible");
	return 0;
}

static int misbehaves_check(struct fst_ctx *ctx)
{
	const struct misbehaves_cfg *cfg = ctx->cfg;

	if (cfg->mode == MISBEHAVES_ERROR_IN_CHECK)
		return fst_error(ctx, EINVAL, "misbehaves was told to fail in check");
	return 0;
}

static int misbehaves_prepare(struct fst_ctx *ctx)
{
	const struct misbehaves_cfg *cfg = ctx->cfg;

	if (cfg->mode == MISBEHAVES_ERROR_IN_PREPARE)
		return fst_error(ctx, EIO, "misbehaves was told to fail in prepare");
	return 0;
}

/* Half way, in the last worker: what the job asked for. */
static int misbehaves_now(struct fst_worker *w, int mode)
{
	switch (mode) {
	case MISBEHAVES_SEGFAULT:
		/* Even where a sanitizer has taken the signal. */
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
		return 0;
	case MISBEHAVES_HANG:
		for (;;)
			pause();
	case MISBEHAVES_EXIT0:
		exit(0);
	case MISBEHAVES_ERROR_IN_RUN:
		return fst_error(w->ctx, EIO, "worker %u was told to fail", w->index);
	default:
		return 0;
	}
}

static bool misbehaves_goes_on(const struct fst_worker *w, const struct misbehaves_cfg *cfg,
			       uint64_t i, uint64_t begun)
{
	if (cfg->mode == MISBEHAVES_IGNORE_STOP)
		return true;
	if (fst_stopping(w))
		return false;
	if (cfg->mode == MISBEHAVES_ERROR_IN_RUN)
		return fst_now(w->ctx) - begun < 10000000000ull;
	return i < cfg->n;
}

static int misbehaves_run(struct fst_worker *w)
{
	const struct misbehaves_cfg *cfg = w->ctx->cfg;
	const bool last = w->index + 1 == w->ctx->nworkers;
	const uint64_t begun = fst_now(w->ctx);
	uint64_t i;
	int ret;

	for (i = 0; misbehaves_goes_on(w, cfg, i, begun); i++) {
		uint64_t start = fst_now(w->ctx);

		fst_op(w, 0, start, 0);
		if (last && i == cfg->n / 2) {
			ret = misbehaves_now(w, cfg->mode);
			if (ret)
				return ret;
		}
	}
	if (cfg->mode == MISBEHAVES_UNDECLARED_METRIC)
		return fst_worker_metric(w, "undeclared", 1);
	return fst_worker_metric(w, "declared", (double)i);
}

static int misbehaves_verify(struct fst_ctx *ctx)
{
	const struct misbehaves_cfg *cfg = ctx->cfg;

	if (cfg->mode == MISBEHAVES_ERROR_IN_VERIFY)
		return fst_error(ctx, EILSEQ, "misbehaves was told to find wrong data");
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "misbehaves", .version = "1",
	       .summary = "Fails as told",
	       .description = "For tests: misbehaves in one of its callbacks.",
	       FST_PARAMS(misbehaves_params), FST_METRICS(misbehaves_metrics),
	       FST_OPS(misbehaves_ops), .cfg_size = sizeof(struct misbehaves_cfg),
	       .probe = misbehaves_probe, .check = misbehaves_check, .prepare = misbehaves_prepare,
	       .run = misbehaves_run, .verify = misbehaves_verify);
