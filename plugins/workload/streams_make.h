/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the files of the workload streams, and removes them. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "streams_state.h"

static int streams_set_up(struct fst_ctx *ctx, int fd, const char *path)
{
	const struct streams_config *cfg = ctx->cfg;
	const uint64_t size = streams_file_size(ctx);
	int r;

	if (cfg->extsize) {
		r = extents_set_hint(fd, cfg->extsize);
		if (r < 0)
			return fst_error(ctx, -r, "extsize = %llu bytes for %s",
					 (unsigned long long)cfg->extsize, path);
	}
	if (cfg->prealloc != STREAMS_NONE &&
	    fallocate(fd, cfg->prealloc == STREAMS_KEEP_SIZE ? FALLOC_FL_KEEP_SIZE : 0, 0,
		      (off_t)size) < 0)
		return fst_error(ctx, errno, "fallocate %s, %llu bytes", path,
				 (unsigned long long)size);
	return 0;
}

static int streams_make_one(struct fst_ctx *ctx, uint32_t file, uint32_t worker)
{
	struct streams_state *st = ctx->state;
	struct fst_file f = { .size = streams_file_size(ctx),
			      .mode = FST_FILE_AS_IS,
			      .worker = worker };
	char path[PATH_MAX], name[48];
	uint32_t number;
	int fd, r;

	streams_path(path, sizeof(path), ctx, file);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return fst_error(ctx, errno, "create %s", path);
	st->n_made = file + 1;
	r = streams_set_up(ctx, fd, path);
	if (close(fd) < 0 && r == 0)
		r = fst_error(ctx, errno, "close %s", path);
	if (r < 0)
		return r;
	streams_name(name, sizeof(name), ctx, file);
	f.name = name;
	r = fst_file_add(ctx, &f, &number);
	if (r == 0 && number != file)
		r = fst_error(ctx, EINVAL, "file %u got number %u", file, number);
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
		for (uint32_t i = streams_first(ctx, j); i < streams_first(ctx, j + 1) && r == 0;
		     i++)
			r = streams_make_one(ctx, i, j);
	return r;
}

static int streams_remove(struct fst_ctx *ctx)
{
	struct streams_state *st = ctx->state;
	char path[PATH_MAX];
	int r = 0;

	for (uint32_t i = 0; i < st->n_made; i++) {
		streams_path(path, sizeof(path), ctx, i);
		if (unlink(path) < 0 && errno != ENOENT)
			r = fst_error(ctx, errno, "remove %s", path);
	}
	for (uint32_t i = 0; i < st->n_dirs; i++) {
		streams_dir_path(path, sizeof(path), ctx, i);
		if (rmdir(path) < 0 && errno != ENOENT)
			r = fst_error(ctx, errno, "remove directory %s", path);
	}
	return r;
}
