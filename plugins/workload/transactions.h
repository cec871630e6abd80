/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transactions on a pool of files: each is a short list of actions on files taken at random. mailpool and
 * fileserver are this with other defaults. A worker has files of its own, so that none disappears under
 * another's hands; in the same directories if that is asked for.
 */
#pragma once

#include <stdlib.h>

#include "transactions_ops.h"

static int transactions_check(struct fst_ctx *ctx)
{
	const struct transactions_cfg *cfg = ctx->cfg;

	if (!cfg->transactions && !fst_is_set(ctx, "runtime"))
		return fst_error(ctx, 0, "transactions = 0 has no end without a runtime");
	if (cfg->sizes != FILES_FIXED && cfg->size_max && cfg->size_max < cfg->size_min)
		return fst_error(ctx, 0, "size_max is less than size_min");
	if (cfg->sizes == FILES_UNIFORM && !cfg->size_max)
		return fst_error(ctx, 0, "size_distribution = uniform needs size_max");
	return files_check_mean(ctx, cfg->sizes, cfg->size, cfg->size_min, cfg->size_max);
}

static int transactions_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct transactions_cfg *cfg = ctx->cfg;
	const uint64_t mean = cfg->sizes == FILES_UNIFORM ? (cfg->size_min + cfg->size_max) / 2 : cfg->size;

	est->files = cfg->files * ctx->nworkers;
	est->bytes_written = (est->files + cfg->transactions * ctx->nworkers) * mean;
	est->bytes_read = cfg->transactions * ctx->nworkers * mean;
	return 0;
}

static int transactions_open_dirs(struct transactions_state *s)
{
	char path[FILES_PATH];
	int ret = files_allow_open(s->ctx, s->n_dirs);

	for (uint64_t i = 0; i < s->n_dirs; i++)
		s->dir[i] = -1;
	for (uint64_t i = 0; i < s->n_dirs && !ret; i++) {
		if (snprintf(path, sizeof(path), "%s/d%llu", s->base, (unsigned long long)i) >=
		    (int)sizeof(path))
			return fst_error(s->ctx, ENAMETOOLONG, "directory %s", s->base);
		if (mkdir(path, 0755))
			return fst_error(s->ctx, errno, "make directory %s", path);
		s->dir[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (s->dir[i] < 0)
			ret = fst_error(s->ctx, errno, "open %s", path);
	}
	return ret;
}

static int transactions_prepare(struct fst_ctx *ctx)
{
	const struct transactions_cfg *cfg = ctx->cfg;
	struct transactions_state *s = ctx->state;
	int ret;

	s->ctx = ctx;
	s->n_dirs = cfg->shared ? cfg->dirs : cfg->dirs * ctx->nworkers;
	files_namer_init(&s->namer, FILES_RANDOM, TRANSACTIONS_NAME, ctx->seed);
	s->size = (struct files_size){ .kind = cfg->sizes, .size = cfg->size, .min = cfg->size_min,
				       .max = cfg->size_max, .sigma = cfg->sigma, .seed = ctx->seed };
	s->dir = malloc(s->n_dirs * sizeof(*s->dir));
	if (!s->dir)
		return fst_error(ctx, ENOMEM, "%llu directories", (unsigned long long)s->n_dirs);
	ret = files_make_own(ctx, "transactions", s->base);
	s->made = !ret;
	return ret ? ret : transactions_open_dirs(s);
}

static int transactions_worker_init(struct fst_worker *w)
{
	struct transactions_worker *t = w->state;
	int ret;

	t->w = w;
	t->s = w->ctx->state;
	t->cfg = w->ctx->cfg;
	t->pool = malloc((2 * t->cfg->files + 1) * sizeof(*t->pool));
	if (!t->pool)
		return fst_error(w->ctx, ENOMEM, "a pool of %llu files", (unsigned long long)t->cfg->files);
	ret = files_data_init(w, &t->data, TRANSACTIONS_BUFFER, 1);
	if (ret)
		return ret;
	files_own_table();
	while (t->n < t->cfg->files && !ret && !fst_stopping(w))
		ret = transactions_create(t);
	return ret;
}

static void transactions_worker_fini(struct fst_worker *w)
{
	struct transactions_worker *t = w->state;

	fst_worker_metric(w, "files_at_end", (double)t->n);
	free(t->pool);
	files_data_release(&t->data);
}

static int transactions_cleanup(struct fst_ctx *ctx)
{
	const struct transactions_cfg *cfg = ctx->cfg;
	struct transactions_state *s = ctx->state;

	fst_note(ctx, "sync_boundary",
		 cfg->fsync ? "fsync of each created or appended file before its close, inside its transaction"
			    : "none: dirty data and metadata may remain in memory");
	for (uint64_t i = 0; s->made && i < s->n_dirs; i++)
		if (s->dir[i] >= 0)
			close(s->dir[i]);
	free(s->dir);
	return s->made ? files_remove_tree(ctx, s->base) : 0;
}

/* What both plugins have. */
#define TRANSACTIONS_CALLBACKS                                                                    \
	FST_METRICS(transactions_metrics), FST_OPS(transactions_ops),                             \
	.cfg_size = sizeof(struct transactions_cfg),                                              \
	.state_size = sizeof(struct transactions_state),                                          \
	.worker_size = sizeof(struct transactions_worker), .flags = FST_NEEDS_DIR,                \
	.check = transactions_check, .estimate = transactions_estimate,                           \
	.prepare = transactions_prepare, .worker_init = transactions_worker_init,                 \
	.run = transactions_run, .worker_fini = transactions_worker_fini,                         \
	.cleanup = transactions_cleanup
