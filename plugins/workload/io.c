/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload io: what one section of a fio job does. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <fstrial/plugin.h>

#include "io_metrics.h"
#include "io_pattern.h"

enum io_rw {
	IO_READ,
	IO_WRITE,
	IO_RANDREAD,
	IO_RANDWRITE,
	IO_RW,
	IO_RANDRW,
	IO_TRIM,
	IO_RANDTRIM,
};

struct io_config {
	int rw;
};

/* What each rw means. The second operation is that of a mix. */
static const struct io_mode {
	bool random, mixed;
	uint16_t op[2];
} io_modes[] = {
	[IO_READ] = { false, false, { FST_IO_READ, FST_IO_READ } },
	[IO_WRITE] = { false, false, { FST_IO_WRITE, FST_IO_WRITE } },
	[IO_RANDREAD] = { true, false, { FST_IO_READ, FST_IO_READ } },
	[IO_RANDWRITE] = { true, false, { FST_IO_WRITE, FST_IO_WRITE } },
	[IO_RW] = { false, true, { FST_IO_READ, FST_IO_WRITE } },
	[IO_RANDRW] = { true, true, { FST_IO_READ, FST_IO_WRITE } },
	[IO_TRIM] = { false, false, { FST_IO_TRIM, FST_IO_TRIM } },
	[IO_RANDTRIM] = { true, false, { FST_IO_TRIM, FST_IO_TRIM } },
};

struct io_worker {
	struct pattern p;
	struct pattern_cursor cursor[2]; /* reads and writes of a mix go on by themselves */
	uint64_t first_below;		 /* draws below it are the first operation */
	uint16_t op[2];
	bool random;
	bool draws; /* there is something to choose */
};

static const struct io_mode *io_mode(const struct fst_ctx *ctx)
{
	const struct io_config *cfg = ctx->cfg;

	return &io_modes[cfg->rw];
}

static bool io_trims(const struct fst_ctx *ctx)
{
	return io_mode(ctx)->op[0] == FST_IO_TRIM;
}

static int io_check_trim(struct fst_ctx *ctx)
{
	const struct fst_io_options *io = ctx->io;
	uint64_t odd = io->bs | io->size | io->offset | io->offset_increment;

	for (uint32_t i = 0; i < io->n_bssplit; i++)
		odd |= io->bssplit[i].bs;
	if (fst_on_device(ctx) && odd % 512)
		return fst_error(ctx, 0,
				 "a device is trimmed in sectors: block sizes, size and offsets must be multiples of "
				 "512 bytes");
	return 0;
}

static int io_check(struct fst_ctx *ctx)
{
	const struct io_mode *m = io_mode(ctx);
	int r = pattern_check(ctx);

	if (r == 0 && io_trims(ctx))
		r = io_check_trim(ctx);
	return r < 0 ? r : pattern_claim(ctx, m->op[0] != FST_IO_READ || m->op[1] != FST_IO_READ);
}

/* Where the trial's device forgets nothing, a trim has no number. */
static int io_probe(struct fst_ctx *ctx)
{
	const char *device = fst_on_device(ctx);
	char path[512], text[32] = "";
	FILE *f;

	if (!device || strcmp(device, "target") != 0 || !io_trims(ctx) || !ctx->sysfs)
		return 0;
	snprintf(path, sizeof(path), "%s/queue/discard_max_bytes", ctx->sysfs);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	if (strcmp(text, "0\n") == 0)
		return fst_error(ctx, EOPNOTSUPP, "%s cannot be trimmed (%s is 0)", ctx->device, path);
	return 0;
}

static int io_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct io_mode *m = io_mode(ctx);
	uint64_t bytes = pattern_bytes(ctx);

	est->files = pattern_files(ctx);
	if (m->mixed) {
		est->bytes_read = bytes / 100 * ctx->io->rwmixread;
		est->bytes_written = bytes - est->bytes_read;
	} else if (m->op[0] == FST_IO_READ) {
		est->bytes_read = bytes;
	} else if (m->op[0] == FST_IO_WRITE) {
		est->bytes_written = bytes;
	}
	return 0;
}

static int io_prepare(struct fst_ctx *ctx)
{
	const struct io_mode *m = io_mode(ctx);

	if (m->op[1] == FST_IO_READ)
		return fst_files(ctx, FST_FILE_READ);
	if (m->op[0] == FST_IO_WRITE && !ctx->io->overwrite)
		return fst_files(ctx, FST_FILE_CREATE);
	return fst_files(ctx, FST_FILE_OVERWRITE);
}

static int io_worker_init(struct fst_worker *w)
{
	const struct io_mode *m = io_mode(w->ctx);
	struct io_worker *s = w->state;

	if (m->random)
		pattern_init_random(&s->p, w, w->index);
	else
		pattern_init(&s->p, w, w->index);
	pattern_cursor_init(&s->cursor[0], &s->p);
	pattern_cursor_init(&s->cursor[1], &s->p);
	s->op[0] = m->op[0];
	s->op[1] = m->op[1];
	s->random = m->random;
	s->first_below = m->mixed ? w->ctx->io->rwmixread * PATTERN_ONE / 100 : PATTERN_ONE;
	s->draws = m->mixed || s->p.n_shares;
	return 0;
}

static int io_next(struct fst_worker *w, struct fst_io *io)
{
	struct io_worker *s = w->state;
	const struct pattern_share *share = NULL;
	uint32_t second = 0;

	if (__builtin_expect(!pattern_goes_on(&s->p), 0))
		return FST_NEXT_END;
	if (s->draws) {
		uint64_t draw = fst_random(w);

		second = draw >> 32 >= s->first_below;
		if (s->p.n_shares)
			share = pattern_draw(&s->p, (uint32_t)draw);
	}
	if (s->random)
		pattern_random(&s->p, w, share, io);
	else
		pattern_sequential(&s->p, &s->cursor[second], share ? share->bs : s->p.bs, io);
	pattern_count(&s->p, io);
	io->op = s->op[second];
	return FST_NEXT_IO;
}

static const struct fst_choice io_rws[] = {
	{ "read", IO_READ, "sequential reads" },
	{ "write", IO_WRITE, "sequential writes" },
	{ "randread", IO_RANDREAD, "random reads" },
	{ "randwrite", IO_RANDWRITE, "random writes" },
	{ "rw", IO_RW,
	  "sequential reads and writes, rwmixread of them reads, each from a place of its own" },
	{ "randrw", IO_RANDRW, "random reads and writes, rwmixread of them reads" },
	{ "trim", IO_TRIM, "sequential trims: holes are punched into the files, blocks of a device discarded" },
	{ "randtrim", IO_RANDTRIM, "random trims" },
	{ "readwrite", IO_RW, "the same as rw" },
};

static const struct fst_param io_params[] = {
	{ .name = "rw", .alias = "readwrite", .type = FST_ENUM, FST_AT(struct io_config, rw),
	  .def = "read", FST_CHOICES(io_rws), .doc = "What is done, and in which order." },
};

/*
 * iops is what verdicts look at: it is the figure that fio's users compare, and of jobs with the
 * same sizes throughput says the same again, so that both would count one finding twice.
 */
static const struct fst_metric io_metrics[] = {
	{ .name = "iops", .unit = "ops/s", .better = FST_HIGHER, .flags = FST_PRIMARY,
	  .doc = "Reads, writes and trims of all workers per second; syncs do not count." },
	{ .name = "throughput", .unit = "bytes/s", .better = FST_HIGHER,
	  .doc = "Bytes of all workers per second, from common start to last completion." },
	IO_METRIC_RATE("read", "Reads", "read"),
	IO_METRIC_LATENCY("read", "reads"),
	IO_METRIC_RATE("write", "Writes", "written"),
	IO_METRIC_LATENCY("write", "writes"),
	IO_METRIC_RATE("trim", "Trims", "trimmed"),
	IO_METRIC_LATENCY("trim", "trims"),
	IO_METRIC_SYNC,
};

FSTRIAL_PLUGIN(
	.kind = FST_WORKLOAD,
	.name = "io",
	.version = "1.0",
	.summary = "what one section of a fio job does",
	.description =
		"Reads, writes or trims nrfiles files of each worker, sequentially or at random, by\n"
		"fio's names: bs, bssplit, rwmixread, random_distribution, norandommap, offset,\n"
		"nrfiles, file_service_type, loops, size, time_based. A loop is over when `size` bytes\n"
		"were moved.\n"
		"Random I/O takes every block once before it takes one again, unless norandommap.\n"
		"Its offsets are multiples of the I/O's size, counted from `offset`; with bssplit\n"
		"that is the size drawn, so that a block can be part of several I/Os of different\n"
		"sizes. It goes to all files alike, or to one after the other with\n"
		"file_service_type = \"roundrobin\".\n"
		"With filename = \"target\" it works on the bare device instead, as a control beside file\n"
		"systems or for its own sake: of size bytes, or all of it. Writes and trims destroy what\n"
		"is there, so that the guard decides; it must not be mounted, and is held meanwhile, so\n"
		"that of steps that run in parallel only one can write it. What was never written, or\n"
		"was trimmed, many devices read without their medium: write it before it is read.\n"
		"Traps: unlike with fio a file that is written is new unless overwrite = true, so\n"
		"that write and randwrite measure allocation too, and with a runtime first that and\n"
		"then overwriting. Mixes and trims always work in place. A trimmed block reads as\n"
		"zeros without touching the device, so a trim after the first loop does little.\n"
		"Buffered I/O ends in memory; see direct, fsync, end_fsync, and drop_caches.",
	FST_PARAMS(io_params),
	FST_METRICS(io_metrics),
	.cfg_size = sizeof(struct io_config),
	.worker_size = sizeof(struct io_worker),
	.flags = FST_NEEDS_DIR | FST_ON_DEVICE,
	.probe = io_probe,
	.check = io_check,
	.estimate = io_estimate,
	.prepare = io_prepare,
	.worker_init = io_worker_init,
	.next = io_next);
