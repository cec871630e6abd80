/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload streams: many files that grow at the same time. */
/* fstrial-libs: -lm */
#include <errno.h>

#include <fstrial/plugin.h>

#include "streams_report.h"

/* Longer without a completion is a stall. */
#define STREAMS_STALL_NS UINT64_C(1000000000)

struct streams_worker {
	uint64_t offset; /* of the next append, the same in all files of a turn */
	uint64_t file_size, bs;
	uint32_t first, end; /* this worker's files */
	uint32_t file;	     /* of the next append */
	uint64_t start_ns, last_ns;
	uint64_t stalls, longest_ns;
	struct streams_file *of; /* by number */
};

static int streams_check(struct fst_ctx *ctx)
{
	const struct streams_config *cfg = ctx->cfg;
	const struct fst_io_options *io = ctx->io;
	const uint64_t files = streams_files(ctx), size = streams_file_size(ctx);

	if (!size || !io->bs)
		return fst_error(ctx, 0, "file_size, or size, and bs must be at least 1");
	if (files < ctx->nworkers)
		return fst_error(ctx, 0, "files = %llu is less than numjobs = %u",
				 (unsigned long long)files, ctx->nworkers);
	if (files > UINT32_MAX / 2)
		return fst_error(ctx, 0, "files = %llu is more than there can be",
				 (unsigned long long)files);
	if (io->bs > size)
		return fst_error(ctx, 0, "bs = %llu bytes does not fit into a file of %llu bytes",
				 (unsigned long long)io->bs, (unsigned long long)size);
	if (cfg->dirs > files)
		return fst_error(ctx, 0, "dirs = %llu is more than files = %llu",
				 (unsigned long long)cfg->dirs, (unsigned long long)files);
	if (io->loops > 1)
		return fst_error(ctx, 0, "loops = %llu: a file is appended to once",
				 (unsigned long long)io->loops);
	if (io->bssplit)
		return fst_error(ctx, 0, "bssplit: all appends have the same size, bs");
	if (io->offset || io->offset_increment)
		return fst_error(ctx, 0, "offset: files grow from their beginning");
	if (cfg->extsize > UINT32_MAX)
		return fst_error(ctx, 0, "extsize must be below 4GiB");
	return 0;
}

static int streams_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	est->files = streams_files(ctx);
	est->bytes_written = est->files * streams_file_size(ctx);
	return 0;
}

static int streams_worker_init(struct fst_worker *w)
{
	const struct streams_state *st = w->ctx->state;
	struct streams_worker *s = w->state;

	s->file_size = streams_file_size(w->ctx);
	s->bs = w->ctx->io->bs;
	s->first = streams_first(w->ctx, w->index);
	s->end = streams_first(w->ctx, w->index + 1);
	s->file = s->first;
	s->of = st->file;
	return 0;
}

static int streams_next(struct fst_worker *w, struct fst_io *io)
{
	struct streams_worker *s = w->state;

	if (__builtin_expect(!s->start_ns, 0))
		s->start_ns = s->last_ns = fst_now(w->ctx);
	if (__builtin_expect(s->file == s->end, 0)) {
		s->file = s->first;
		s->offset += s->bs;
	}
	if (__builtin_expect(s->offset >= s->file_size, 0))
		return FST_NEXT_END;
	io->offset = s->offset;
	io->length = s->file_size - s->offset < s->bs ? s->file_size - s->offset : s->bs;
	io->file = s->file++;
	io->op = FST_IO_WRITE;
	return FST_NEXT_IO;
}

static int streams_done(struct fst_worker *w, struct fst_io *io)
{
	struct streams_worker *s = w->state;
	struct streams_file *f = &s->of[io->file];
	const uint64_t now = fst_now(w->ctx), gap = now - s->last_ns;

	f->bytes += io->length;
	f->end_ns = now - s->start_ns;
	s->last_ns = now;
	if (__builtin_expect(gap > s->longest_ns, 0))
		s->longest_ns = gap;
	if (__builtin_expect(gap > STREAMS_STALL_NS, 0))
		s->stalls++;
	return FST_DONE;
}

static void streams_worker_fini(struct fst_worker *w)
{
	const struct streams_worker *s = w->state;

	if (!s->start_ns)
		return;
	fst_worker_metric(w, "stalls", (double)s->stalls);
	fst_worker_metric(w, "longest_gap", (double)s->longest_ns);
}

static const struct fst_choice streams_preallocs[] = {
	{ "none", STREAMS_NONE, "Nothing: each append allocates, or delays to." },
	{ "fallocate", STREAMS_FALLOCATE, "fallocate(2): the file has its whole length at once." },
	{ "keep_size", STREAMS_KEEP_SIZE,
	  "fallocate(2) beyond the end of the file, which grows as it is written." },
};

static const struct fst_param streams_params[] = {
	{ .name = "files",
	  .type = FST_U64,
	  FST_AT(struct streams_config, files),
	  .def = "0",
	  .max = "10000000",
	  .unit = "files",
	  .doc = "Files of all workers together; 0: nrfiles of each." },
	{ .name = "file_size",
	  .type = FST_SIZE,
	  FST_AT(struct streams_config, file_size),
	  .def = "0",
	  .max = "1024PiB",
	  .doc = "Size that each file grows to; 0: what all workers' size gives each file." },
	{ .name = "dirs",
	  .type = FST_U64,
	  FST_AT(struct streams_config, dirs),
	  .def = "1",
	  .min = "1",
	  .max = "1000000",
	  .unit = "directories",
	  .doc = "Directories that the files are in, in turn; XFS puts each into another group." },
	{ .name = "prealloc",
	  .type = FST_ENUM,
	  FST_AT(struct streams_config, prealloc),
	  .def = "none",
	  FST_CHOICES(streams_preallocs),
	  .doc = "How the space of each file is allocated before it is written." },
	{ .name = "extsize",
	  .type = FST_SIZE,
	  FST_AT(struct streams_config, extsize),
	  .def = "0",
	  .doc = "Extent size hint of each file (XFS); 0: none." },
};

#define STREAMS_METRIC(n, u, b, d)                                  \
	{                                                           \
		.name = (n), .unit = (u), .better = (b), .doc = (d) \
	}

static const struct fst_metric streams_metrics[] = {
	{ .name = "throughput",
	  .unit = "bytes/s",
	  .better = FST_HIGHER,
	  .flags = FST_PRIMARY,
	  .doc = "Bytes of all files per second, to the end of end_fsync where that is given." },
	STREAMS_METRIC("write_mean", "ns", FST_LOWER, "Mean time of an append."),
	STREAMS_METRIC("write_p99", "ns", FST_LOWER, "99 of 100 appends took at most so long."),
	STREAMS_METRIC("fairness", "ratio", FST_HIGHER,
		       "Jain's index of the rates at which the files grew: 1 when all are equal."),
	{ .name = "stalls",
	  .unit = "count",
	  .better = FST_LOWER,
	  .agg = FST_SUM,
	  .doc = "Times that a worker saw no append complete for more than a second." },
	{ .name = "longest_gap",
	  .unit = "ns",
	  .better = FST_LOWER,
	  .agg = FST_MAX,
	  .doc = "Longest time in which a worker saw no append complete." },
	STREAMS_METRIC(
		"extents_mean", "count", FST_LOWER,
		"Extents per file while the files are open, with those past their ends; mean."),
	STREAMS_METRIC("extents_p50", "count", FST_LOWER, "Extents per file, median."),
	STREAMS_METRIC("extents_p99", "count", FST_LOWER, "99 of 100 files have at most so many."),
	STREAMS_METRIC("extents_max", "count", FST_LOWER, "Extents of the worst file."),
	STREAMS_METRIC("extents_closed", "count", FST_LOWER,
		       "Extents per file, mean, after the files were closed."),
	STREAMS_METRIC("extent_size", "bytes", FST_HIGHER, "Data per extent, mean."),
	STREAMS_METRIC("extents_per_gib", "count", FST_LOWER, "Extents per GiB of data."),
	STREAMS_METRIC("groups_used", "count", FST_NEUTRAL,
		       "Allocation groups of XFS that the files lie in."),
	STREAMS_METRIC("group_entropy", "ratio", FST_NEUTRAL,
		       "How evenly they lie in all groups: 1 evenly, 0 all in one."),
	STREAMS_METRIC("past_end_open", "ratio", FST_LOWER,
		       "Share of the files' space that lies past their ends while they are open."),
	STREAMS_METRIC("past_end_closed", "ratio", FST_LOWER, "The same after they were closed."),
	STREAMS_METRIC("files_complete", "count", FST_HIGHER, "Files that got their whole size."),
	STREAMS_METRIC("completion_first", "ns", FST_LOWER, "When the first file was complete."),
	STREAMS_METRIC("completion_p50", "ns", FST_LOWER, "When half of the files were."),
	STREAMS_METRIC("completion_last", "ns", FST_LOWER, "When the last one was."),
	STREAMS_METRIC("completion_spread", "ratio", FST_LOWER, "The last over the first."),
};

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "streams", .version = "1.0",
	       .summary =
		       "appends to about a thousand files at once: rate, fairness, stalls, extents",
	       .description =
		       "All files are open at once. Each of numjobs workers owns its share of them "
		       "and\n"
		       "appends a block of bs to each in turn until all have file_size bytes, or "
		       "until\n"
		       "the runtime is over. direct, sync, ioengine, iodepth and the like say "
		       "how.\n"
		       "Buffered appends end in memory: give end_fsync = true, which flushes each "
		       "file at\n"
		       "the end, within the measured time; the result's sync_boundary says what "
		       "was done.\n"
		       "After that the extents of all files are counted (FIEMAP), and which "
		       "allocation\n"
		       "groups they lie in. Space past the end of a file is what XFS takes in "
		       "advance of\n"
		       "appends, in extents of its own; it goes when the file is closed for the "
		       "first\n"
		       "time, so that extents and space are looked at before and after that.\n"
		       "Figures of groups are null on other file systems. When each append "
		       "allocates by\n"
		       "itself (direct), neighbours in a file are not neighbours on the device: "
		       "one\n"
		       "extent a write. An extent size hint or fallocate prevents that.\n"
		       "Traps: times of completion are those of the appends, not of the flush. The "
		       "files\n"
		       "are removed at the end. Each file needs a descriptor (ulimit -Hn).",
	       FST_PARAMS(streams_params), FST_METRICS(streams_metrics),
	       .cfg_size = sizeof(struct streams_config),
	       .state_size = sizeof(struct streams_state),
	       .worker_size = sizeof(struct streams_worker),
	       .flags = FST_NEEDS_DIR | FST_SIZES_ITSELF, .check = streams_check,
	       .estimate = streams_estimate, .prepare = streams_prepare,
	       .worker_init = streams_worker_init, .next = streams_next, .done = streams_done,
	       .worker_fini = streams_worker_fini, .verify = streams_verify,
	       .cleanup = streams_cleanup);
