/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload rewrite: reads each block, changes it, writes it back in place. */
#include <fstrial/plugin.h>

#include "io_metrics.h"
#include "io_pattern.h"

enum { REWRITE_LOAD = 1 }; /* as fst_io.kind; the write is the core's own kind */

struct rewrite_worker {
	struct pattern p;
	struct pattern_cursor cursor;
};

static int rewrite_check(struct fst_ctx *ctx)
{
	int r = pattern_check(ctx);

	return r < 0 ? r : pattern_claim(ctx, true);
}

static int rewrite_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	est->files = pattern_files(ctx);
	est->bytes_read = est->bytes_written = pattern_bytes(ctx);
	return 0;
}

static int rewrite_prepare(struct fst_ctx *ctx)
{
	return fst_files(ctx, FST_FILE_OVERWRITE);
}

static int rewrite_worker_init(struct fst_worker *w)
{
	struct rewrite_worker *s = w->state;

	pattern_init(&s->p, w, w->index);
	pattern_cursor_init(&s->cursor, &s->p);
	return 0;
}

static int rewrite_next(struct fst_worker *w, struct fst_io *io)
{
	struct rewrite_worker *s = w->state;
	uint64_t bs = s->p.bs;

	if (__builtin_expect(!pattern_goes_on(&s->p), 0))
		return FST_NEXT_END;
	if (s->p.n_shares)
		bs = pattern_draw(&s->p, (uint32_t)fst_random(w))->bs;
	pattern_sequential(&s->p, &s->cursor, bs, io);
	pattern_count(&s->p, io);
	io->op = FST_IO_READ;
	io->kind = REWRITE_LOAD;
	return FST_NEXT_IO;
}

static int rewrite_done(struct fst_worker *w, struct fst_io *io)
{
	(void)w;
	if (io->op != FST_IO_READ)
		return FST_DONE;
	pattern_dirty(io);
	io->op = FST_IO_WRITE;
	io->kind = 0;
	return FST_DONE_AGAIN;
}

static const struct fst_op_kind rewrite_ops[] = {
	{ .name = "load", .doc = "Read of a block that is then changed and written back.",
	  .flags = FST_OP_INNER },
};

static const struct fst_metric rewrite_metrics[] = {
	{ .name = "throughput", .unit = "bytes/s", .better = FST_HIGHER, .flags = FST_PRIMARY,
	  .doc = "Bytes rewritten by all workers per second; read and written they count once." },
	{ .name = "iops", .unit = "ops/s", .better = FST_HIGHER,
	  .doc = "Blocks rewritten by all workers per second." },
	IO_METRIC_LATENCY("load", "reads"),
	IO_METRIC_LATENCY("write", "writes"),
	IO_METRIC_SYNC,
};

FSTRIAL_PLUGIN(
	.kind = FST_WORKLOAD,
	.name = "rewrite",
	.version = "1.0",
	.summary = "reads each block, changes it, writes it back in place",
	.description =
		"Each worker goes through its nrfiles files as `sequential` does, reads a block of bs,\n"
		"changes a byte in each 4 KiB of it and writes it to where it came from: two system\n"
		"calls a block. Files that are missing or too short are filled before. With a\n"
		"runtime it starts over until the time is up, otherwise it does so `loops` times.\n"
		"Measures what bonnie calls rewrite: a stream that is read and written at once. Files\n"
		"keep their blocks, unless the file system copies on write.\n"
		"Traps: buffered, the writes end in memory, and on small files the reads come from\n"
		"there too: see direct, end_fsync and drop_caches.",
	FST_METRICS(rewrite_metrics),
	FST_OPS(rewrite_ops),
	.worker_size = sizeof(struct rewrite_worker),
	.flags = FST_NEEDS_DIR | FST_ON_DEVICE,
	.check = rewrite_check,
	.estimate = rewrite_estimate,
	.prepare = rewrite_prepare,
	.worker_init = rewrite_worker_init,
	.next = rewrite_next,
	.done = rewrite_done);
