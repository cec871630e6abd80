/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the workload streams share. */
#pragma once

#include "own_files.h"

enum streams_prealloc { STREAMS_NONE, STREAMS_FALLOCATE, STREAMS_KEEP_SIZE };

struct streams_config {
	uint64_t files;
	uint64_t file_size;
	uint64_t dirs;
	int prealloc;
	uint64_t extsize;
};

struct streams_file {
	uint64_t bytes;	 /* appended */
	uint64_t end_ns; /* of the last append that completed, from the worker's first one */
};

struct streams_state {
	struct streams_file *file; /* each is one worker's only */
	uint32_t n_made;	   /* files that prepare made, from the first */
	uint32_t n_dirs;	   /* likewise directories */
};

static inline uint64_t streams_files(const struct fst_ctx *ctx)
{
	const struct streams_config *cfg = ctx->cfg;

	return cfg->files ? cfg->files : ctx->io->nrfiles * ctx->nworkers;
}

static inline uint64_t streams_file_size(const struct fst_ctx *ctx)
{
	const struct streams_config *cfg = ctx->cfg;
	uint64_t files = streams_files(ctx);

	if (cfg->file_size)
		return cfg->file_size;
	return files ? ctx->io->size * ctx->nworkers / files : 0;
}

/* The first file of a worker: shares differ by one at most. */
static inline uint32_t streams_first(const struct fst_ctx *ctx, uint32_t worker)
{
	return (uint32_t)(streams_files(ctx) * worker / ctx->nworkers);
}

static inline void streams_dir_path(char *buf, size_t size, const struct fst_ctx *ctx, uint32_t dir)
{
	snprintf(buf, size, "%s/streams.%u", ctx->dir, dir);
}

/* Relative to the directory of the trial. */
static inline void streams_name(char *buf, size_t size, const struct fst_ctx *ctx, uint32_t file)
{
	const struct streams_config *cfg = ctx->cfg;

	snprintf(buf, size, "streams.%u/%u", (uint32_t)(file % cfg->dirs), file);
}
