/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload prealloc: what the first write into preallocated space costs, against an overwrite. */
#include <errno.h>

#include <fstrial/plugin.h>

#include "prealloc_make.h"
#include "prealloc_report.h"
#include "prealloc_state.h"
#include "prealloc_tables.h"

enum { PREALLOC_ROUNDS = 4 }; /* of the permutation */

struct prealloc_worker {
	uint64_t issued, blocks; /* of this pass */
	uint64_t inflight;
	uint64_t bs, base, region;
	uint64_t start_ns, end_ns;
	uint64_t key[PREALLOC_ROUNDS];
	unsigned int half_bits;
	uint32_t first; /* number of this worker's first file */
	uint32_t step;	/* passes that are done, over all files */
	bool random, running, synced;
};

/* What prealloc_between() says when the pass goes on. */
enum { PREALLOC_GO = 1000 };

static int prealloc_check_space(struct fst_ctx *ctx, uint64_t end)
{
	const struct prealloc_config *cfg = ctx->cfg;

	if (!cfg->size)
		return 0;
	if (cfg->mode == PREALLOC_NONE)
		return fst_error(ctx, 0, "prealloc_size is given, but prealloc = none");
	if (cfg->size < end)
		return fst_error(ctx, 0,
				 "prealloc_size = %llu bytes is less than what is written: up to "
				 "%llu bytes in each file",
				 (unsigned long long)cfg->size, (unsigned long long)end);
	return 0;
}

static int prealloc_check(struct fst_ctx *ctx)
{
	const struct prealloc_config *cfg = ctx->cfg;
	const struct fst_io_options *io = ctx->io;

	if (!io->size || !io->bs || !io->nrfiles)
		return fst_error(ctx, 0, "size, bs and nrfiles must be at least 1");
	if (io->bs > prealloc_region(io))
		return fst_error(ctx, 0,
				 "bs = %llu bytes does not fit into what is written of a file, "
				 "size / nrfiles = %llu bytes",
				 (unsigned long long)io->bs,
				 (unsigned long long)prealloc_region(io));
	if (io->loops > 1)
		return fst_error(ctx, 0, "loops = %llu: there is one first write only",
				 (unsigned long long)io->loops);
	if (io->bssplit)
		return fst_error(ctx, 0, "bssplit: all writes have the same size, bs");
	if (cfg->extsize > UINT32_MAX)
		return fst_error(ctx, 0, "extsize must be below 4GiB");
	return prealloc_check_space(ctx, prealloc_base(ctx, ctx->nworkers ? ctx->nworkers - 1 : 0) +
						 prealloc_region(io));
}

static int prealloc_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct prealloc_config *cfg = ctx->cfg;
	const struct fst_io_options *io = ctx->io;

	est->files = io->nrfiles * ctx->nworkers;
	est->bytes_written = PREALLOC_PASSES * prealloc_region(io) * est->files;
	if (cfg->mode == PREALLOC_WRITE)
		est->bytes_written += est->files *
				      (cfg->size ? cfg->size : io->offset + prealloc_region(io));
	return 0;
}

static int prealloc_worker_init(struct fst_worker *w)
{
	const struct prealloc_config *cfg = w->ctx->cfg;
	const struct fst_io_options *io = w->ctx->io;
	struct prealloc_worker *s = w->state;

	s->bs = io->bs;
	s->base = prealloc_base(w->ctx, w->index);
	s->region = prealloc_region(io);
	s->blocks = (s->region + s->bs - 1) / s->bs;
	s->issued = s->blocks;
	s->first = (uint32_t)(w->index * io->nrfiles);
	s->random = cfg->order == PREALLOC_RANDOM;
	for (s->half_bits = 1; (uint64_t)1 << (2 * s->half_bits) < s->blocks;)
		s->half_bits++;
	for (int i = 0; i < PREALLOC_ROUNDS; i++)
		s->key[i] = fst_random(w);
	return 0;
}

/*
 * Every block once, in random order, the same in both passes, without memory: a Feistel network
 * over the next even number of bits, gone through again where it leads beyond the last block.
 */
static uint64_t prealloc_permute(const struct prealloc_worker *s, uint64_t block)
{
	const uint64_t mask = ((uint64_t)1 << s->half_bits) - 1;

	do {
		uint64_t left = block >> s->half_bits, right = block & mask;

		for (int i = 0; i < PREALLOC_ROUNDS; i++) {
			uint64_t f = (right + s->key[i]) * UINT64_C(0x9e3779b97f4a7c15);
			uint64_t old = right;

			right = left ^ ((f >> 32) & mask);
			left = old;
		}
		block = left << s->half_bits | right;
	} while (block >= s->blocks);
	return block;
}

/* ---- between two passes ---------------------------------------------------------------------- */

/* With the lock held, all being there or gone. */
static void prealloc_meet_over(struct prealloc_state *st)
{
	prealloc_counters_read(&st->sources, st->where);
	st->arrived = 0;
	st->meetings++;
	pthread_cond_broadcast(&st->all_there);
}

/* Waits until all workers are here with nothing in flight; then what was counted goes to where. */
static void prealloc_meet(struct fst_ctx *ctx, struct prealloc_counters *where)
{
	struct prealloc_state *st = ctx->state;
	uint64_t meeting;

	pthread_mutex_lock(&st->lock);
	st->where = where;
	meeting = st->meetings;
	if (++st->arrived + st->gone >= ctx->nworkers)
		prealloc_meet_over(st);
	while (meeting == st->meetings)
		pthread_cond_wait(&st->all_there, &st->lock);
	pthread_mutex_unlock(&st->lock);
}

/* The pass that is going on, or was when the time was up. */
static void prealloc_keep_pass(struct fst_worker *w, uint64_t end_ns)
{
	const struct prealloc_worker *s = w->state;
	const struct prealloc_state *st = w->ctx->state;
	const uint64_t writes = s->issued - (s->inflight < s->issued ? s->inflight : s->issued);
	const uint64_t bytes = writes * s->bs;

	if (!writes)
		return;
	st->file[s->first + s->step / PREALLOC_PASSES].pass[s->step % PREALLOC_PASSES] =
		(struct prealloc_pass){
			.ns = end_ns > s->start_ns ? end_ns - s->start_ns : 1,
			.writes = writes,
			.bytes = bytes < s->region ? bytes : s->region,
		};
}

/* A worker that ends, for whatever reason, is not waited for. */
static void prealloc_worker_fini(struct fst_worker *w)
{
	const struct prealloc_worker *s = w->state;
	struct prealloc_state *st = w->ctx->state;

	if (s->running)
		prealloc_keep_pass(w, fst_now(w->ctx));
	pthread_mutex_lock(&st->lock);
	st->gone++;
	if (st->arrived && st->arrived + st->gone >= w->ctx->nworkers)
		prealloc_meet_over(st);
	pthread_mutex_unlock(&st->lock);
}

static int prealloc_end_pass(struct fst_worker *w)
{
	struct prealloc_worker *s = w->state;
	struct prealloc_state *st = w->ctx->state;
	const uint32_t file = s->step / PREALLOC_PASSES, pass = s->step % PREALLOC_PASSES;

	prealloc_keep_pass(w, s->end_ns);
	st->file[s->first + file].pass[pass].whole = true;
	s->running = false;
	s->step++;
	prealloc_meet(w->ctx, &st->round[file].end[pass]);
	return prealloc_look_at(w->ctx, s->first + file,
				pass == PREALLOC_FIRST ? PREALLOC_AFTER_FIRST
						       : PREALLOC_AFTER_OVER);
}

static void prealloc_begin_pass(struct fst_worker *w)
{
	struct prealloc_worker *s = w->state;
	struct prealloc_state *st = w->ctx->state;

	prealloc_meet(w->ctx,
		      &st->round[s->step / PREALLOC_PASSES].begin[s->step % PREALLOC_PASSES]);
	s->issued = 0;
	s->synced = false;
	s->running = true;
	s->start_ns = fst_now(w->ctx);
}

/* Every write of the pass was given: what now? */
static __attribute__((noinline)) int prealloc_between(struct fst_worker *w, struct fst_io *io)
{
	struct prealloc_worker *s = w->state;
	const struct prealloc_state *st = w->ctx->state;
	int r;

	if (s->running && s->inflight)
		return FST_NEXT_WAIT;
	if (s->running && st->pass_sync && !s->synced) {
		s->synced = true;
		s->inflight++;
		io->offset = 0;
		io->length = 0;
		io->file = s->first + s->step / PREALLOC_PASSES;
		io->op = FST_IO_FSYNC;
		return FST_NEXT_IO;
	}
	if (s->running) {
		r = prealloc_end_pass(w);
		if (r < 0)
			return r;
	}
	if (s->step == PREALLOC_PASSES * st->n_rounds || fst_stopping(w))
		return FST_NEXT_END;
	prealloc_begin_pass(w);
	return fst_stopping(w) ? FST_NEXT_END : PREALLOC_GO;
}

static int prealloc_next(struct fst_worker *w, struct fst_io *io)
{
	struct prealloc_worker *s = w->state;
	uint64_t at;

	if (__builtin_expect(s->issued == s->blocks, 0)) {
		int r = prealloc_between(w, io);

		if (r != PREALLOC_GO)
			return r;
	}
	at = (s->random ? prealloc_permute(s, s->issued) : s->issued) * s->bs;
	s->issued++;
	s->inflight++;
	io->offset = s->base + at;
	io->length = s->region - at < s->bs ? s->region - at : s->bs;
	io->file = s->first + s->step / PREALLOC_PASSES;
	io->op = FST_IO_WRITE;
	io->kind = (uint16_t)(s->step % PREALLOC_PASSES + 1);
	return FST_NEXT_IO;
}

static int prealloc_done(struct fst_worker *w, struct fst_io *io)
{
	struct prealloc_worker *s = w->state;

	(void)io;
	if (--s->inflight == 0 && s->issued == s->blocks)
		s->end_ns = fst_now(w->ctx);
	return FST_DONE;
}

/* Also after a failure: what was measured until then is said. */
static int prealloc_cleanup(struct fst_ctx *ctx)
{
	struct prealloc_state *st = ctx->state;
	int r;

	if (st->meet_ready)
		prealloc_report(ctx);
	r = prealloc_remove(ctx);
	prealloc_end(st);
	return r;
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "prealloc", .version = "1.0",
	       .summary = "first write into preallocated files against an overwrite, extents, log, "
			  "positions",
	       .description = "Each worker has nrfiles files. Their space is allocated before the "
			      "clock starts\n"
			      "(prealloc, prealloc_size, extsize). Then, one file after the other, "
			      "the first\n"
			      "size / nrfiles bytes from `offset` are written in blocks of bs, and "
			      "once more the\n"
			      "same blocks. Before, between and after both passes the extents are "
			      "read (FIEMAP),\n"
			      "and the counters of XFS and of the device, with nothing in flight. "
			      "With numjobs\n"
			      "above 1 each worker does so with a file of its own at the same "
			      "time; they wait for\n"
			      "each other between passes. With nrfiles = 3 and numjobs = 1 it is "
			      "three files in\n"
			      "turn.\n"
			      "The difference between the passes is what converting unwritten "
			      "space costs: with\n"
			      "direct = true and sync = dsync each first write has to force the "
			      "log, on a disk a\n"
			      "seek to the log and back. data_log_distance says how far that is.\n"
			      "Figures of each file are in the notes, file.N.*; figures of XFS are "
			      "null on other\n"
			      "file systems. Throughputs leave out the time between passes.\n"
			      "Traps: without sync or direct the fsync at the end of a pass "
			      "(pass_sync) carries\n"
			      "the whole cost. The counters are of the whole file system and disk: "
			      "nothing else\n"
			      "may write there meanwhile. runtime can only cut the work short, and "
			      "ramp_time\n"
			      "would hide first writes. The files are removed at the end.",
	       FST_PARAMS(prealloc_params), FST_METRICS(prealloc_metrics), FST_OPS(prealloc_ops),
	       .cfg_size = sizeof(struct prealloc_config),
	       .state_size = sizeof(struct prealloc_state),
	       .worker_size = sizeof(struct prealloc_worker), .flags = FST_NEEDS_DIR,
	       .check = prealloc_check, .estimate = prealloc_estimate, .prepare = prealloc_prepare,
	       .worker_init = prealloc_worker_init, .next = prealloc_next, .done = prealloc_done,
	       .worker_fini = prealloc_worker_fini, .cleanup = prealloc_cleanup);
