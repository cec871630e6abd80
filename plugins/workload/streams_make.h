/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the files of the workload streams, and removes them. */
#pragma once

#include <sys/stat.h>

#include "streams_state.h"

static int streams_allocate(struct fst_ctx *ctx, const struct own_file *f, int fd, const char *path)
{
	const struct streams_config *cfg = ctx->cfg;
	const int flags = cfg->prealloc == STREAMS_KEEP_SIZE ? FALLOC_FL_KEEP_SIZE : 0;

	if (cfg->prealloc != STREAMS_NONE && fallocate(fd, flags, 0, (off_t)f->size) < 0)
		return fst_error(ctx, errno, "fallocate %s, %llu bytes", path, (unsigned long long)f->size);
	return 0;
}

static int streams_make_files(struct fst_ctx *ctx, uint32_t worker)
{
	const struct streams_config *cfg = ctx->cfg;
	struct streams_state *st = ctx->state;
	int r = 0;

	for (uint32_t i = streams_first(ctx, worker); i < streams_first(ctx, worker + 1) && r == 0; i++) {
		const struct own_file f = { .number = i, .worker = worker, .size = streams_file_size(ctx),
					    .extsize = cfg->extsize, .allocate = streams_allocate };

		r = own_file_make(ctx, &f, streams_name, &st->n_made);
	}
	return r;
}

/* Directories first, each of which XFS puts into another group; what is there already is not ours. */
static int streams_prepare(struct fst_ctx *ctx)
{
	const struct streams_config *cfg = ctx->cfg;
	struct streams_state *st = ctx->state;
	char path[PATH_MAX];
	int r = 0;

	st->file = calloc(streams_files(ctx), sizeof(*st->file));
	if (!st->file)
		return fst_error(ctx, ENOMEM, "%llu files", (unsigned long long)streams_files(ctx));
	for (uint32_t i = 0; i < cfg->dirs; i++) {
		streams_dir_path(path, sizeof(path), ctx, i);
		if (mkdir(path, 0755) < 0)
			return fst_error(ctx, errno, "mkdir %s", path);
		st->n_dirs = i + 1;
	}
	for (uint32_t j = 0; j < ctx->nworkers && r == 0; j++)
		r = streams_make_files(ctx, j);
	return r;
}

static int streams_remove(struct fst_ctx *ctx)
{
	struct streams_state *st = ctx->state;
	char path[PATH_MAX];
	int r = own_files_remove(ctx, streams_name, st->n_made);

	for (uint32_t i = 0; i < st->n_dirs; i++) {
		streams_dir_path(path, sizeof(path), ctx, i);
		if (rmdir(path) < 0 && errno != ENOENT)
			r = fst_error(ctx, errno, "remove directory %s", path);
	}
	return r;
}
