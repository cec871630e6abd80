/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload sequential: reads or writes files from their beginning to their end. */
#include <fstrial/plugin.h>

#include "io_metrics.h"
#include "io_pattern.h"

enum sequential_rw { SEQUENTIAL_READ, SEQUENTIAL_WRITE };
enum sequential_unit { SEQUENTIAL_BLOCK, SEQUENTIAL_CHAR };

struct sequential_config {
	int rw;
	int unit;
};

struct sequential_worker {
	struct pattern p;
	struct pattern_cursor cursor;
	uint64_t unread; /* bytes in the buffer that are still to be taken out one by one */
	uint16_t op;
	bool chars;
};

static int sequential_check(struct fst_ctx *ctx)
{
	const struct sequential_config *cfg = ctx->cfg;
	int r;

	if (cfg->unit == SEQUENTIAL_CHAR && ctx->io->iodepth > 1)
		return fst_error(ctx, 0,
				 "unit = \"char\" is a stream with one buffer, so iodepth = %u is "
				 "not possible",
				 ctx->io->iodepth);
	r = pattern_check(ctx);
	return r < 0 ? r : pattern_claim(ctx, cfg->rw == SEQUENTIAL_WRITE);
}

static int sequential_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct sequential_config *cfg = ctx->cfg;

	est->files = pattern_files(ctx);
	*(cfg->rw == SEQUENTIAL_READ ? &est->bytes_read : &est->bytes_written) = pattern_bytes(ctx);
	return 0;
}

static int sequential_prepare(struct fst_ctx *ctx)
{
	const struct sequential_config *cfg = ctx->cfg;

	if (cfg->unit == SEQUENTIAL_CHAR)
		fst_note(ctx, "cpu_bound", "per character: the rate is that of a loop on the CPU");
	if (cfg->rw == SEQUENTIAL_READ)
		return fst_files(ctx, FST_FILE_READ);
	return fst_files(ctx, ctx->io->overwrite ? FST_FILE_OVERWRITE : FST_FILE_CREATE);
}

static int sequential_worker_init(struct fst_worker *w)
{
	const struct sequential_config *cfg = w->ctx->cfg;
	struct sequential_worker *s = w->state;

	pattern_init(&s->p, w, w->index);
	pattern_cursor_init(&s->cursor, &s->p);
	s->op = cfg->rw == SEQUENTIAL_READ ? FST_IO_READ : FST_IO_WRITE;
	s->chars = cfg->unit == SEQUENTIAL_CHAR;
	return 0;
}

/*
 * As a program does that calls putc_unlocked() for each byte: here the byte comes from the buffer
 * itself, so that the data stays what `buffers` says. The empty asm hides each byte from the
 * compiler, which would make one copy of it all.
 */
static void sequential_put(unsigned char *p, uint64_t n)
{
	for (const unsigned char *end = p + n; p != end; p++) {
		unsigned char c = *p;

		__asm__ volatile("" : "+r"(c));
		*p = c;
	}
}

/* Likewise getc_unlocked(). */
static void sequential_get(const unsigned char *p, uint64_t n)
{
	for (const unsigned char *end = p + n; p != end; p++) {
		unsigned char c = *p;

		__asm__ volatile("" : "+r"(c));
	}
}

/* What the last read brought is taken out before the next one. */
static __attribute__((noinline)) void sequential_chars(struct sequential_worker *s,
						       const struct fst_io *io, uint64_t length)
{
	if (s->op == FST_IO_WRITE) {
		sequential_put(io->buf, length);
		return;
	}
	sequential_get(io->buf, s->unread);
	s->unread = length;
}

static int sequential_next(struct fst_worker *w, struct fst_io *io)
{
	struct sequential_worker *s = w->state;
	uint64_t bs = s->p.bs;

	if (__builtin_expect(!pattern_goes_on(&s->p), 0)) {
		if (s->chars)
			sequential_chars(s, io, 0);
		return FST_NEXT_END;
	}
	if (s->p.n_shares)
		bs = pattern_draw(&s->p, (uint32_t)fst_random(w))->bs;
	pattern_sequential(&s->p, &s->cursor, bs, io);
	pattern_count(&s->p, io);
	io->op = s->op;
	if (__builtin_expect(s->chars, 0))
		sequential_chars(s, io, io->length);
	return FST_NEXT_IO;
}

static const struct fst_choice sequential_rws[] = {
	{ "read", SEQUENTIAL_READ, "reads; files that are missing or too short are filled before" },
	{ "write", SEQUENTIAL_WRITE, "writes new files, or in place with overwrite = true" },
};

static const struct fst_choice sequential_units[] = {
	{ "block", SEQUENTIAL_BLOCK, "blocks of bs, which nothing looks at" },
	{ "char", SEQUENTIAL_CHAR,
	  "bytes, one by one into or out of a buffer of bs, as with putc and getc; CPU-bound" },
};

static const struct fst_param sequential_params[] = {
	{ .name = "rw", .alias = "readwrite", .type = FST_ENUM,
	  FST_AT(struct sequential_config, rw), .def = "read", FST_CHOICES(sequential_rws),
	  .doc = "Whether the files are read or written." },
	{ .name = "unit", .type = FST_ENUM, FST_AT(struct sequential_config, unit), .def = "block",
	  FST_CHOICES(sequential_units),
	  .doc = "How the program handles the data: in blocks, or byte by byte as with stdio." },
};

static const struct fst_metric sequential_metrics[] = {
	{ .name = "throughput", .unit = "bytes/s", .better = FST_HIGHER, .flags = FST_PRIMARY,
	  .doc = "Bytes of all workers per second, from common start to last completion." },
	{ .name = "iops", .unit = "ops/s", .better = FST_HIGHER,
	  .doc = "Reads or writes of all workers per second; syncs do not count." },
	IO_METRIC_LATENCY("read", "reads"),
	IO_METRIC_LATENCY("write", "writes"),
	IO_METRIC_SYNC,
};

FSTRIAL_PLUGIN(
	.kind = FST_WORKLOAD,
	.name = "sequential",
	.version = "1.1",
	.summary = "reads or writes files from beginning to end",
	.description =
		"Each worker has nrfiles files of size / nrfiles bytes and goes through them in\n"
		"blocks of bs, one file after the other or one block each in turn\n"
		"(file_service_type). With a runtime it starts over until the time is up,\n"
		"otherwise it does so `loops` times. The last block of a file is shorter where\n"
		"the size is not a multiple of bs.\n"
		"Measures the streaming rate of device and file system, and the latency of each\n"
		"block.\n"
		"unit = \"char\" is the per-character pass of bonnie: each byte goes by itself into\n"
		"a buffer of bs, or out of it, and the buffer is written or read whole; take\n"
		"bs = \"256KiB\". It measures the CPU more than any file system, and is here for\n"
		"comparison with old numbers.\n"
		"Traps: size is for each worker, so numjobs = 4 moves four times as much.\n"
		"Buffered writes without end_fsync, fsync or direct end in memory: the rate may\n"
		"be that of the page cache. Buffered reads of what was just written come from\n"
		"memory too: put drop_caches between, or use direct. From the second pass on a\n"
		"write with a runtime overwrites blocks that are allocated already.",
	FST_PARAMS(sequential_params),
	FST_METRICS(sequential_metrics),
	.cfg_size = sizeof(struct sequential_config),
	.worker_size = sizeof(struct sequential_worker),
	.flags = FST_NEEDS_DIR | FST_ON_DEVICE,
	.check = sequential_check,
	.estimate = sequential_estimate,
	.prepare = sequential_prepare,
	.worker_init = sequential_worker_init,
	.next = sequential_next);
