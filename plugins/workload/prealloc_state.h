/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the workload prealloc share. */
#pragma once

#include <pthread.h>
#include <stdio.h>

#include <fstrial/plugin.h>

#include "own_files.h"
#include "prealloc_counters.h"

enum prealloc_mode {
	PREALLOC_NONE,
	PREALLOC_FALLOCATE,
	PREALLOC_KEEP_SIZE,
	PREALLOC_ZERO_RANGE,
	PREALLOC_WRITE,
};

enum prealloc_order { PREALLOC_SEQUENTIAL, PREALLOC_RANDOM };
enum prealloc_sync { PREALLOC_SYNC_AUTO, PREALLOC_SYNC_ALWAYS, PREALLOC_SYNC_NEVER };

struct prealloc_config {
	int mode;
	uint64_t size;
	uint64_t extsize;
	int order;
	int pass_sync;
};

enum { PREALLOC_FIRST, PREALLOC_OVER, PREALLOC_PASSES };
/* When a file's extents are looked at. */
enum { PREALLOC_BEFORE, PREALLOC_AFTER_FIRST, PREALLOC_AFTER_OVER, PREALLOC_LOOKS };

/* Group numbers that a file's note names. */
enum { PREALLOC_NAMED_GROUPS = 8 };

struct prealloc_look {
	bool known;
	uint64_t extents, unwritten;
	/* Of what is written within the region: */
	uint64_t bytes;
	double position, distance; /* sums over bytes */
	uint32_t n_groups;
	uint32_t groups[PREALLOC_NAMED_GROUPS];
};

struct prealloc_pass {
	uint64_t ns, writes, bytes; /* ns 0: it was not begun */
	bool whole;
};

struct prealloc_file {
	uint64_t alloc_ns;
	struct prealloc_look look[PREALLOC_LOOKS];
	struct prealloc_pass pass[PREALLOC_PASSES];
};

/* One file of each worker at the same time. */
struct prealloc_round {
	struct prealloc_counters begin[PREALLOC_PASSES], end[PREALLOC_PASSES];
};

struct prealloc_state {
	struct prealloc_file *file;   /* worker * nrfiles + file */
	struct prealloc_round *round; /* by a worker's file */
	uint32_t n_made;   /* files that prepare made, from the first */
	uint32_t n_files, n_rounds;
	bool pass_sync;
	bool no_map; /* FIEMAP is not known here; that was said */
	struct extents_groups groups;
	unsigned char *group_used; /* by group: holds data */
	struct prealloc_sources sources;
	/* Workers wait for each other between passes, so that counters belong to one. */
	bool meet_ready;
	pthread_mutex_t lock;
	pthread_cond_t all_there;
	uint32_t arrived, gone;
	uint64_t meetings;
	struct prealloc_counters *where; /* what the last to arrive counts into */
};

/* Where in a file the region begins that is written. */
static inline uint64_t prealloc_base(const struct fst_ctx *ctx, uint32_t worker)
{
	return ctx->io->offset + worker * ctx->io->offset_increment;
}

static inline uint64_t prealloc_region(const struct fst_io_options *io)
{
	return io->size / io->nrfiles;
}

static inline void prealloc_name(char *buf, size_t size, const struct fst_ctx *ctx, uint32_t file)
{
	snprintf(buf, size, "prealloc.%u.%u", file / (uint32_t)ctx->io->nrfiles,
		 file % (uint32_t)ctx->io->nrfiles);
}

/* ---- extents --------------------------------------------------------------------------------- */

struct prealloc_looker {
	struct prealloc_state *st;
	struct prealloc_look *look;
	uint64_t from, to; /* the region */
};

static inline void prealloc_look_group(struct prealloc_looker *l, uint64_t at)
{
	struct prealloc_look *look = l->look;
	uint64_t group = l->st->groups.agcount ? at / l->st->groups.agsize : UINT64_MAX;

	if (group >= l->st->groups.agcount)
		return;
	/* Workers look at their files at the same time. */
	__atomic_store_n(&l->st->group_used[group], 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < look->n_groups && i < PREALLOC_NAMED_GROUPS; i++)
		if (look->groups[i] == group)
			return;
	if (look->n_groups < PREALLOC_NAMED_GROUPS)
		look->groups[look->n_groups] = (uint32_t)group;
	look->n_groups++;
}

static inline void prealloc_look_run(const struct extents_run *run, void *arg)
{
	struct prealloc_looker *l = arg;
	const struct extents_groups *g = &l->st->groups;
	uint64_t from = run->logical > l->from ? run->logical : l->from;
	uint64_t to = run->logical + run->length;
	double middle;

	l->look->extents++;
	l->look->unwritten += run->unwritten;
	to = to < l->to ? to : l->to;
	if (run->unwritten || !run->placed || from >= to)
		return;
	middle = (double)(run->physical + (from - run->logical)) + (double)(to - from) / 2;
	l->look->bytes += to - from;
	l->look->position += middle * (double)(to - from);
	l->look->distance += fabs(middle - ((double)g->log_at + (double)g->log_size / 2)) *
			     (double)(to - from);
	prealloc_look_group(l, run->physical + (from - run->logical));
}

/* Extents of the whole file, past its end too. 0, or -errno where a map should be had and is not. */
static inline int prealloc_look_at(struct fst_ctx *ctx, uint32_t file, int when)
{
	struct prealloc_state *st = ctx->state;
	const uint64_t base = prealloc_base(ctx, file / (uint32_t)ctx->io->nrfiles);
	struct prealloc_look *look = &st->file[file].look[when];
	struct prealloc_looker l = {
		.st = st, .look = look, .from = base, .to = base + prealloc_region(ctx->io)
	};
	char path[PATH_MAX];
	int fd, r;

	if (st->no_map)
		return 0;
	own_file_path(path, ctx, prealloc_name, file);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fst_error(ctx, errno, "open %s", path);
	memset(look, 0, sizeof(*look));
	r = extents_each(fd, 0, INT64_MAX, prealloc_look_run, &l);
	close(fd);
	look->known = r == 0;
	if (r == 0 || when == PREALLOC_BEFORE)
		return r;
	return fst_error(ctx, -r, "extents of %s", path);
}
