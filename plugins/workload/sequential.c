/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload sequential: reads or writes files from their beginning to their end. */
#include <errno.h>

#include <fstrial/plugin.h>

enum sequential_rw { SEQUENTIAL_READ, SEQUENTIAL_WRITE };

struct sequential_config {
	int rw;
};

struct sequential_worker {
	uint64_t offset; /* of the next I/O */
	uint64_t file_size;
	uint64_t bs;
	uint32_t first, end; /* this worker's files */
	uint32_t file;	     /* of the next I/O */
	uint16_t op;
	bool roundrobin;
	bool endless;
	uint64_t loops; /* left, this one included */
};

static int sequential_check(struct fst_ctx *ctx)
{
	const struct fst_io_options *io = ctx->io;

	if (!io->size || !io->bs || !io->nrfiles)
		return fst_error(ctx, EINVAL, "size, bs and nrfiles must be at least 1");
	if (io->bs > io->size / io->nrfiles)
		return fst_error(ctx, EINVAL,
				 "bs = %llu bytes does not fit into a file of size / nrfiles = "
				 "%llu bytes",
				 (unsigned long long)io->bs,
				 (unsigned long long)(io->size / io->nrfiles));
	return 0;
}

static int sequential_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct sequential_config *cfg = ctx->cfg;
	const struct fst_io_options *io = ctx->io;
	uint64_t bytes = io->size / io->nrfiles * io->nrfiles * ctx->nworkers;

	est->files = io->nrfiles * ctx->nworkers;
	if (!io->time_based)
		bytes *= io->loops ? io->loops : 1;
	if (cfg->rw == SEQUENTIAL_READ)
		est->bytes_read = bytes;
	else
		est->bytes_written = bytes;
	return 0;
}

static int sequential_prepare(struct fst_ctx *ctx)
{
	const struct sequential_config *cfg = ctx->cfg;

	if (cfg->rw == SEQUENTIAL_READ)
		return fst_files(ctx, FST_FILE_READ);
	return fst_files(ctx, ctx->io->overwrite ? FST_FILE_OVERWRITE : FST_FILE_CREATE);
}

static int sequential_worker_init(struct fst_worker *w)
{
	const struct sequential_config *cfg = w->ctx->cfg;
	const struct fst_io_options *io = w->ctx->io;
	struct sequential_worker *s = w->state;

	s->file_size = io->size / io->nrfiles;
	s->bs = io->bs;
	s->first = (uint32_t)(w->index * io->nrfiles);
	s->end = (uint32_t)(s->first + io->nrfiles);
	s->file = s->first;
	s->op = cfg->rw == SEQUENTIAL_READ ? FST_IO_READ : FST_IO_WRITE;
	s->roundrobin = io->file_service_type == FST_ROUNDROBIN_FILES && io->nrfiles > 1;
	s->endless = io->time_based;
	s->loops = io->loops ? io->loops : 1;
	return 0;
}

/* The end of a file, or in turns of all: on to the next, or over again. False: that was all. */
static bool sequential_wrap(struct sequential_worker *s)
{
	if (s->roundrobin || ++s->file == s->end) {
		if (!s->endless && --s->loops == 0)
			return false;
		s->file = s->first;
	}
	s->offset = 0;
	return true;
}

static int sequential_next(struct fst_worker *w, struct fst_io *io)
{
	struct sequential_worker *s = w->state;
	uint64_t left = s->file_size - s->offset;

	if (__builtin_expect(left == 0, 0)) {
		if (!sequential_wrap(s))
			return FST_NEXT_END;
		left = s->file_size;
	}
	io->offset = s->offset;
	io->length = left < s->bs ? left : s->bs;
	io->file = s->file;
	io->op = s->op;
	if (!s->roundrobin) {
		s->offset += io->length;
	} else if (++s->file == s->end) {
		s->file = s->first;
		s->offset += io->length;
	}
	return FST_NEXT_IO;
}

static const struct fst_choice sequential_rws[] = {
	{ "read", SEQUENTIAL_READ, "reads; files that are missing or too short are filled before" },
	{ "write", SEQUENTIAL_WRITE, "writes new files, or in place with overwrite = true" },
};

static const struct fst_param sequential_params[] = {
	{ .name = "rw", .alias = "readwrite", .type = FST_ENUM,
	  FST_AT(struct sequential_config, rw), .def = "read", FST_CHOICES(sequential_rws),
	  .doc = "Whether the files are read or written." },
};

static const struct fst_metric sequential_metrics[] = {
	{ .name = "throughput", .unit = "bytes/s", .better = FST_HIGHER, .flags = FST_PRIMARY,
	  .doc = "Bytes of all workers per second, from common start to last completion." },
	{ .name = "iops", .unit = "ops/s", .better = FST_HIGHER,
	  .doc = "Reads or writes of all workers per second; syncs do not count." },
};

FSTRIAL_PLUGIN(
	.kind = FST_WORKLOAD,
	.name = "sequential",
	.version = "1.0",
	.summary = "reads or writes files from beginning to end",
	.description =
		"Each worker has nrfiles files of size / nrfiles bytes and goes through them in\n"
		"blocks of bs, one file after the other or one block each in turn\n"
		"(file_service_type). With a runtime it starts over until the time is up,\n"
		"otherwise it does so `loops` times. The last block of a file is shorter where\n"
		"the size is not a multiple of bs.\n"
		"Measures the streaming rate of device and file system, and the latency of each\n"
		"block.\n"
		"Traps: size is for each worker, so numjobs = 4 moves four times as much.\n"
		"Buffered writes without end_fsync, fsync or direct end in memory: the rate may\n"
		"be that of the page cache. Buffered reads of what was just written come from\n"
		"memory too: put drop_caches between, or use direct. From the second pass on a\n"
		"write with a runtime overwrites blocks that are allocated already.",
	FST_PARAMS(sequential_params),
	FST_METRICS(sequential_metrics),
	.cfg_size = sizeof(struct sequential_config),
	.worker_size = sizeof(struct sequential_worker),
	.flags = FST_NEEDS_DIR,
	.check = sequential_check,
	.estimate = sequential_estimate,
	.prepare = sequential_prepare,
	.worker_init = sequential_worker_init,
	.next = sequential_next);
