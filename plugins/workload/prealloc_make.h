/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the files of the workload prealloc, and removes them. */
#pragma once

#include "prealloc_state.h"

enum { PREALLOC_CHUNK = 1 << 20 };

static int prealloc_write_zeros(struct fst_ctx *ctx, int fd, const char *path, uint64_t size)
{
	char *zeros = calloc(1, PREALLOC_CHUNK);
	int r = zeros ? 0 : fst_error(ctx, ENOMEM, "zeros for %s", path);

	for (uint64_t at = 0; at < size && r == 0;) {
		uint64_t len = size - at < PREALLOC_CHUNK ? size - at : PREALLOC_CHUNK;
		ssize_t n = pwrite(fd, zeros, len, (off_t)at);

		if (n > 0)
			at += (uint64_t)n;
		else
			r = fst_error(ctx, n < 0 ? errno : EIO, "write zeros to %s at offset %llu",
				      path, (unsigned long long)at);
	}
	free(zeros);
	if (r == 0 && fsync(fd) < 0)
		r = fst_error(ctx, errno, "fsync %s", path);
	return r;
}

static int prealloc_give_space(struct fst_ctx *ctx, int fd, const char *path, uint64_t size)
{
	static const struct {
		int flags;
		const char *name;
	} calls[] = {
		[PREALLOC_FALLOCATE] = { 0, "fallocate" },
		[PREALLOC_KEEP_SIZE] = { FALLOC_FL_KEEP_SIZE, "fallocate beyond the end of" },
		[PREALLOC_ZERO_RANGE] = { FALLOC_FL_ZERO_RANGE, "zero a range of" },
	};
	const struct prealloc_config *cfg = ctx->cfg;

	if (cfg->mode == PREALLOC_NONE)
		return 0;
	if (cfg->mode == PREALLOC_WRITE)
		return prealloc_write_zeros(ctx, fd, path, size);
	if (fallocate(fd, calls[cfg->mode].flags, 0, (off_t)size) == 0)
		return 0;
	/* Not a reason to skip the step, as -EOPNOTSUPP would be in probe. */
	return fst_error(ctx, errno, "%s %s, %llu bytes", calls[cfg->mode].name, path,
			 (unsigned long long)size);
}

static int prealloc_allocate(struct fst_ctx *ctx, const struct own_file *f, int fd, const char *path)
{
	const struct prealloc_config *cfg = ctx->cfg;
	struct prealloc_state *st = ctx->state;
	const uint64_t start = fst_now(ctx);
	int r = prealloc_give_space(ctx, fd, path, cfg->size ? cfg->size : f->size);

	if (r == 0 && cfg->mode != PREALLOC_NONE)
		st->file[f->number].alloc_ns = fst_now(ctx) - start;
	return r;
}

static int prealloc_make_one(struct fst_ctx *ctx, uint32_t file)
{
	const struct prealloc_config *cfg = ctx->cfg;
	struct prealloc_state *st = ctx->state;
	const uint32_t worker = file / (uint32_t)ctx->io->nrfiles;
	const struct own_file f = { .number = file, .worker = worker,
				    .size = prealloc_base(ctx, worker) + prealloc_region(ctx->io),
				    .extsize = cfg->extsize, .allocate = prealloc_allocate };

	return own_file_make(ctx, &f, prealloc_name, &st->n_made);
}

static int prealloc_look_before(struct fst_ctx *ctx)
{
	struct prealloc_state *st = ctx->state;
	int r = 0;

	for (uint32_t i = 0; i < st->n_files && !st->no_map; i++) {
		r = prealloc_look_at(ctx, i, PREALLOC_BEFORE);
		if (r < 0) {
			st->no_map = true;
			fst_warning(ctx,
				    "no extents in the result: the file system of %s does not "
				    "map them (%s)",
				    ctx->dir, strerror(-r));
		}
	}
	return 0;
}

static int prealloc_begin(struct fst_ctx *ctx)
{
	struct prealloc_state *st = ctx->state;
	int dir = open(ctx->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return fst_error(ctx, errno, "open %s", ctx->dir);
	extents_groups_read(dir, &st->groups);
	close(dir);
	prealloc_sources_find(ctx->dir, &st->sources);
	st->n_rounds = (uint32_t)ctx->io->nrfiles;
	st->n_files = st->n_rounds * ctx->nworkers;
	st->file = calloc(st->n_files, sizeof(*st->file));
	st->round = calloc(st->n_rounds, sizeof(*st->round));
	st->group_used = calloc(st->groups.agcount + 1u, 1);
	if (!st->file || !st->round || !st->group_used)
		return fst_error(ctx, ENOMEM, "%u files", st->n_files);
	for (uint32_t i = 0; i < st->n_rounds; i++) {
		for (int p = 0; p < PREALLOC_PASSES; p++) {
			prealloc_counters_none(&st->round[i].begin[p]);
			prealloc_counters_none(&st->round[i].end[p]);
		}
	}
	pthread_mutex_init(&st->lock, NULL);
	pthread_cond_init(&st->all_there, NULL);
	st->meet_ready = true;
	return 0;
}

/* What stands in the place of a file is left alone: it is not known whose it is. */
static int prealloc_prepare(struct fst_ctx *ctx)
{
	const struct prealloc_config *cfg = ctx->cfg;
	struct prealloc_state *st = ctx->state;
	int r = prealloc_begin(ctx);

	for (uint32_t i = 0; i < st->n_files && r == 0; i++)
		r = prealloc_make_one(ctx, i);
	if (r < 0)
		return r;
	st->pass_sync = cfg->pass_sync == PREALLOC_SYNC_ALWAYS ||
			(cfg->pass_sync == PREALLOC_SYNC_AUTO && !ctx->io->direct);
	return prealloc_look_before(ctx);
}

static int prealloc_remove(struct fst_ctx *ctx)
{
	const struct prealloc_state *st = ctx->state;

	return own_files_remove(ctx, prealloc_name, st->n_made);
}

static void prealloc_end(struct prealloc_state *st)
{
	if (st->meet_ready) {
		pthread_cond_destroy(&st->all_there);
		pthread_mutex_destroy(&st->lock);
	}
	free(st->file);
	free(st->round);
	free(st->group_used);
	st->meet_ready = false;
	st->file = NULL;
	st->round = NULL;
	st->group_used = NULL;
}
