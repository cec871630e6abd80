/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata: the directories, and files that one step leaves to the next. */
#pragma once

#include "metadata_state.h"

#define METADATA_SHAPE ".fstrial-metadata"

/* What a later step must know of the files, and agree with. */
struct metadata_shape {
	char magic[16];
	uint64_t workers, files, dirs, shared, depth, width, spread, names, name_length;
	uint64_t seed; /* not compared: taken over */
};

static struct metadata_shape metadata_shape_of(const struct metadata_state *s)
{
	const struct metadata_cfg *cfg = s->ctx->cfg;

	return (struct metadata_shape){
		.magic = "fstrial-files-2",
		.workers = s->ctx->nworkers,
		.files = cfg->files,
		.dirs = cfg->dirs,
		.shared = cfg->shared,
		.depth = cfg->depth,
		.width = cfg->width,
		.spread = (uint64_t)cfg->spread,
		.names = (uint64_t)cfg->names,
		.name_length = cfg->name_length,
		.seed = s->seed,
	};
}

static int metadata_shape_open(const struct metadata_state *s, int flags)
{
	return openat(s->basefd, METADATA_SHAPE, flags | O_CLOEXEC | O_NOFOLLOW, 0644);
}

static int metadata_keep(struct metadata_state *s)
{
	struct metadata_shape shape = metadata_shape_of(s);
	const size_t size = s->ctx->nworkers * sizeof(*s->set);
	int fd = metadata_shape_open(s, O_WRONLY | O_CREAT | O_TRUNC);
	int ret = 0;

	if (fd < 0 || write(fd, &shape, sizeof(shape)) != (ssize_t)sizeof(shape) ||
	    write(fd, s->set, size) != (ssize_t)size)
		ret = fst_error(s->ctx, errno, "write %s/%s", s->base, METADATA_SHAPE);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* The files of an earlier step; -ENOENT when there are none. */
static int metadata_find(struct metadata_state *s)
{
	struct metadata_shape shape, mine = metadata_shape_of(s);
	const size_t size = s->ctx->nworkers * sizeof(*s->set);
	int fd = metadata_shape_open(s, O_RDONLY);
	int ret = 0;

	if (fd < 0)
		return fst_error(s->ctx, errno, "%s is there, and holds no files that an earlier step left",
				 s->base);
	if (read(fd, &shape, sizeof(shape)) != (ssize_t)sizeof(shape) ||
	    memcmp(&shape, &mine, offsetof(struct metadata_shape, seed)) != 0)
		ret = fst_error(s->ctx, 0,
				"set %s was made with another numjobs, files, dirs, shared_dirs, depth, width, "
				"spread, names or name_length",
				s->base);
	else if (read(fd, s->set, size) != (ssize_t)size)
		ret = fst_error(s->ctx, EIO, "read %s/%s", s->base, METADATA_SHAPE);
	close(fd);
	s->seed = shape.seed;
	s->found = !ret;
	return ret;
}

static int metadata_base(struct metadata_state *s)
{
	const struct metadata_cfg *cfg = s->ctx->cfg;
	bool there = false;
	int ret = 0;

	if (!cfg->set) {
		ret = files_make_own(s->ctx, "metadata", s->base);
	} else {
		int n = snprintf(s->base, sizeof(s->base), "%s/%s", s->ctx->dir, cfg->set);

		if (n < 0 || n >= FILES_PATH - 1500)
			return fst_error(s->ctx, ENAMETOOLONG, "directory %s", s->ctx->dir);
		if (mkdir(s->base, 0755)) {
			there = errno == EEXIST;
			if (!there)
				return fst_error(s->ctx, errno, "make directory %s", s->base);
		}
	}
	if (ret)
		return ret;
	s->made = !there;
	s->basefd = open(s->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->basefd < 0)
		return fst_error(s->ctx, errno, "open %s", s->base);
	ret = there ? metadata_find(s) : 0;
	s->made |= s->found;
	return ret;
}

/* Makes the directories above path's last one, where they are not there. */
static int metadata_make_path(struct metadata_state *s, char *path)
{
	for (char *at = path + strlen(s->base) + 1; (at = strchr(at, '/')) != NULL; at++) {
		int ret;

		*at = '\0';
		ret = mkdir(path, 0755) && errno != EEXIST
			      ? fst_error(s->ctx, errno, "make directory %s", path)
			      : 0;
		*at = '/';
		if (ret)
			return ret;
	}
	return mkdir(path, 0755) && errno != EEXIST ? fst_error(s->ctx, errno, "make directory %s", path)
						    : 0;
}

static int metadata_make_dirs(struct metadata_state *s)
{
	const struct metadata_cfg *cfg = s->ctx->cfg;
	char path[FILES_PATH];
	int ret;

	s->n_dirs = cfg->shared ? cfg->dirs : cfg->dirs * s->ctx->nworkers;
	ret = files_allow_open(s->ctx, s->n_dirs);
	s->dir = malloc(s->n_dirs * sizeof(*s->dir));
	if (!s->dir)
		return fst_error(s->ctx, ENOMEM, "%llu directories", (unsigned long long)s->n_dirs);
	for (uint64_t j = 0; j < s->n_dirs; j++)
		s->dir[j] = -1;
	for (uint64_t j = 0; j < s->n_dirs && !ret; j++) {
		metadata_dir_path(cfg, s->base, j, path, sizeof(path));
		ret = s->found ? 0 : metadata_make_path(s, path);
		if (ret)
			break;
		s->dir[j] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (s->dir[j] < 0)
			ret = fst_error(s->ctx, errno, "open %s", path);
	}
	return ret;
}
