/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload seeks: random reads by several seekers, some of them followed by a write in place. */
#include <stdio.h>

#include <fstrial/plugin.h>

#include "io_metrics.h"
#include "io_pattern.h"

enum { SEEKS_SEEK = 1, SEEKS_UPDATE = 2 }; /* as fst_io.kind */

struct seeks_config {
	uint64_t update; /* percent */
	uint64_t seeks;
	bool shared;
};

struct seeks_worker {
	struct pattern p;
	uint64_t update_below; /* draws below it are updated */
	uint64_t left;	       /* seeks; with bounded only */
	bool bounded;
};

static int seeks_check(struct fst_ctx *ctx)
{
	const struct seeks_config *cfg = ctx->cfg;
	int r;

	if (cfg->seeks && cfg->seeks < ctx->nworkers)
		return fst_error(ctx, 0, "seeks = %llu is less than one for each of %u seekers",
				 (unsigned long long)cfg->seeks, ctx->nworkers);
	r = pattern_check(ctx);
	return r < 0 ? r : pattern_claim(ctx, cfg->update != 0);
}

static int seeks_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct seeks_config *cfg = ctx->cfg;

	est->files = pattern_files(ctx) / (cfg->shared ? ctx->nworkers : 1);
	est->bytes_read = cfg->seeks ? cfg->seeks * ctx->io->bs : pattern_bytes(ctx);
	est->bytes_written = est->bytes_read / 100 * cfg->update;
	return 0;
}

/* The files of worker 0 for all, under the names that they have when each worker has its own. */
static int seeks_share_files(struct fst_ctx *ctx)
{
	const struct fst_io_options *io = ctx->io;
	const struct seeks_config *cfg = ctx->cfg;
	uint64_t end = io->offset + io->offset_increment * (ctx->nworkers - 1) + io->size / io->nrfiles;

	for (uint64_t i = 0; i < io->nrfiles; i++) {
		char name[32];
		const struct fst_file file = {
			.name = name,
			.size = end,
			.mode = cfg->update ? FST_FILE_OVERWRITE : FST_FILE_READ,
			.worker = FST_EVERY_WORKER,
		};
		uint32_t number;
		int r;

		snprintf(name, sizeof(name), "data.0.%llu", (unsigned long long)i);
		r = fst_file_add(ctx, &file, &number);
		if (r < 0)
			return r;
	}
	return 0;
}

static int seeks_prepare(struct fst_ctx *ctx)
{
	const struct seeks_config *cfg = ctx->cfg;

	if (cfg->shared && !fst_on_device(ctx))
		return seeks_share_files(ctx);
	return fst_files(ctx, cfg->update ? FST_FILE_OVERWRITE : FST_FILE_READ);
}

static int seeks_worker_init(struct fst_worker *w)
{
	const struct seeks_config *cfg = w->ctx->cfg;
	struct seeks_worker *s = w->state;
	uint32_t n = w->ctx->nworkers;

	pattern_init_random(&s->p, w, cfg->shared ? 0 : w->index);
	s->update_below = cfg->update * PATTERN_ONE / 100;
	s->bounded = cfg->seeks != 0;
	s->left = cfg->seeks / n + (w->index < cfg->seeks % n);
	return 0;
}

/* With a number of seeks that is the bound, and blocks come again when all were visited. */
static bool seeks_go_on(struct seeks_worker *s)
{
	if (!s->bounded)
		return pattern_goes_on(&s->p);
	if (!s->left)
		return false;
	s->left--;
	return true;
}

static int seeks_next(struct fst_worker *w, struct fst_io *io)
{
	struct seeks_worker *s = w->state;
	const struct pattern_share *share = NULL;
	uint64_t draw;

	if (!seeks_go_on(s))
		return FST_NEXT_END;
	draw = fst_random(w);
	if (s->p.n_shares)
		share = pattern_draw(&s->p, (uint32_t)draw);
	pattern_random(&s->p, w, share, io);
	pattern_count(&s->p, io);
	io->op = FST_IO_READ;
	io->kind = SEEKS_SEEK;
	/* Here and not when it completes, so that the order of completions changes nothing. */
	io->tag = draw >> 32 < s->update_below;
	return FST_NEXT_IO;
}

static int seeks_done(struct fst_worker *w, struct fst_io *io)
{
	(void)w;
	if (io->op != FST_IO_READ || !io->tag)
		return FST_DONE;
	pattern_dirty(io);
	io->op = FST_IO_WRITE;
	io->kind = SEEKS_UPDATE;
	return FST_DONE_AGAIN;
}

static const struct fst_op_kind seeks_ops[] = {
	{ .name = "seek", .doc = "Read of a random block." },
	{ .name = "update", .doc = "Write of the block just read, to where it came from.",
	  .flags = FST_OP_INNER },
};

static const struct fst_param seeks_params[] = {
	{ .name = "update", .type = FST_U64, FST_AT(struct seeks_config, update), .def = "10",
	  .max = "100", .unit = "percent",
	  .doc = "Share of the blocks that are changed and written back." },
	{ .name = "seeks", .type = FST_U64, FST_AT(struct seeks_config, seeks), .def = "0",
	  .unit = "seeks",
	  .doc = "Ends after so many, over all seekers; 0: when the time is up, or without a runtime "
		 "when each seeker has moved `size` bytes." },
	{ .name = "shared", .type = FST_BOOL, FST_AT(struct seeks_config, shared), .def = "true",
	  .doc = "All seekers work on the files of the first worker; false: each on its own." },
};

static const struct fst_metric seeks_metrics[] = {
	{ .name = "seek_rate", .unit = "ops/s", .better = FST_HIGHER, .flags = FST_PRIMARY,
	  .doc = "Seeks of all seekers per second, from common start to last completion; an update is "
		 "part of its seek." },
	IO_METRIC_LATENCY("seek", "reads"),
	IO_METRIC_LATENCY("update", "writes of updates"),
	IO_METRIC_SYNC,
};

FSTRIAL_PLUGIN(
	.kind = FST_WORKLOAD,
	.name = "seeks",
	.version = "1.0",
	.summary = "random reads by several seekers, a share rewritten in place",
	.description =
		"numjobs seekers read random blocks of bs from files that they share, those of the\n"
		"first worker of an earlier step; `update` percent of the blocks are changed and\n"
		"written back at once. `size` is that of the shared files. Files that are missing or\n"
		"too short are filled before.\n"
		"The rate is taken from a window that is common to all seekers: from the moment they\n"
		"are let go together to the last one's last completion.\n"
		"For bonnie's seeks take numjobs = 3 (bonnie++ 2.00: 5), bs = \"8KiB\" (the default of\n"
		"bs is 4 KiB, as everywhere), update = 10. A time is better than bonnie's 8192 seeks.\n"
		"A seeker takes every block once before it takes one again, unless norandommap.\n"
		"Traps: on files smaller than the memory, buffered seeks measure the page cache; see\n"
		"direct, drop_caches, and `cache` in the result. Buffered updates end in memory, unless\n"
		"fsync = 1.",
	FST_PARAMS(seeks_params),
	FST_METRICS(seeks_metrics),
	FST_OPS(seeks_ops),
	.cfg_size = sizeof(struct seeks_config),
	.worker_size = sizeof(struct seeks_worker),
	.flags = FST_NEEDS_DIR | FST_ON_DEVICE,
	.check = seeks_check,
	.estimate = seeks_estimate,
	.prepare = seeks_prepare,
	.worker_init = seeks_worker_init,
	.next = seeks_next,
	.done = seeks_done);
