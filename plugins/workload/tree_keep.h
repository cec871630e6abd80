/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree: the directory, and trees that one step leaves to the next. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree_state.h"

#define TREE_KEPT ".fstrial-tree"

/* What a later step takes over, and must agree with. */
struct tree_kept {
	char magic[16];
	uint64_t workers, directories, files, symlinks, fanout, size, size_max, age_percent;
	double spread, sigma;
	uint64_t seed, rounds, copied; /* not compared: taken over */
};

static struct tree_kept tree_kept_of(const struct tree_state *s)
{
	const struct tree_cfg *cfg = s->ctx->cfg;

	return (struct tree_kept){ .magic = "fstrial-tree-1", .workers = s->ctx->nworkers,
				   .directories = cfg->directories, .files = cfg->files,
				   .symlinks = cfg->symlinks, .fanout = cfg->fanout, .size = cfg->size,
				   .size_max = cfg->size_max, .age_percent = cfg->age_percent,
				   .spread = cfg->spread, .sigma = cfg->sigma, .seed = s->shape.seed,
				   .rounds = s->shape.rounds, .copied = s->copied };
}

static int tree_keep(struct tree_state *s)
{
	const struct tree_kept kept = tree_kept_of(s);
	int fd = openat(s->basefd, TREE_KEPT, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	int ret = 0;

	if (fd < 0 || write(fd, &kept, sizeof(kept)) != (ssize_t)sizeof(kept))
		ret = fst_error(s->ctx, errno, "write %s/%s", s->base, TREE_KEPT);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int tree_find(struct tree_state *s, uint64_t *seed)
{
	struct tree_kept kept, mine = tree_kept_of(s);
	int fd = openat(s->basefd, TREE_KEPT, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return fst_error(s->ctx, errno, "%s is there, and holds no tree that an earlier step left",
				 s->base);
	n = read(fd, &kept, sizeof(kept));
	close(fd);
	if (n != (ssize_t)sizeof(kept) || memcmp(&kept, &mine, offsetof(struct tree_kept, seed)) != 0)
		return fst_error(s->ctx, 0, "the trees in %s were made with another numjobs or another shape",
				 s->base);
	*seed = kept.seed;
	s->shape.rounds = kept.rounds;
	s->copied = kept.copied;
	s->found = true;
	return 0;
}

static int tree_base(struct tree_state *s, uint64_t *seed)
{
	const struct tree_cfg *cfg = s->ctx->cfg;
	int ret = 0;

	if (!cfg->set) {
		ret = files_make_own(s->ctx, "tree", s->base);
		s->made = !ret;
	} else if (snprintf(s->base, sizeof(s->base), "%s/%s", s->ctx->dir, cfg->set) >=
		   FILES_PATH - TREE_ROOM) {
		ret = fst_error(s->ctx, ENAMETOOLONG, "directory %s", s->ctx->dir);
	} else {
		s->made = mkdir(s->base, 0755) == 0;
		if (!s->made && errno != EEXIST)
			ret = fst_error(s->ctx, errno, "make directory %s", s->base);
	}
	if (ret)
		return ret;
	s->basefd = open(s->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->basefd < 0)
		return fst_error(s->ctx, errno, "open %s", s->base);
	if (s->made)
		return 0;
	ret = tree_find(s, seed);
	s->made = !ret; /* by that step, which left it to this one */
	return ret;
}
