/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engine pvsync2: one I/O at a time by preadv2(2) and pwritev2(2), with their flags. */
#include <errno.h>
#include <linux/fs.h>
#include <sys/uio.h>

#include <fstrial/plugin.h>

#include "file_ops.h"

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x00000080
#endif

enum pvsync2_sync { PVSYNC2_SYNC_NONE, PVSYNC2_SYNC_DSYNC, PVSYNC2_SYNC_SYNC };

struct pvsync2_config {
	bool hipri;
	bool nowait;
	bool uncached;
	int rwf_sync;
};

struct pvsync2_state {
	int read_flags;
	int write_flags;
};

static int pvsync2_check(struct fst_ctx *ctx)
{
	const struct pvsync2_config *cfg = ctx->cfg;

	if (cfg->hipri && !ctx->io->direct)
		return fst_error(ctx, 0, "hipri = true polls for direct I/O only: "
					 "direct = true is needed");
	if (cfg->uncached && ctx->io->direct)
		return fst_error(ctx, 0, "uncached = true is for I/O through the page cache, "
					 "and direct = true goes past it");
	return 0;
}

static int pvsync2_probe(struct fst_ctx *ctx)
{
	const struct pvsync2_config *cfg = ctx->cfg;

	return cfg->hipri ? file_ops_probe_poll(ctx) : 0;
}

static int pvsync2_open(struct fst_engine *e)
{
	const struct pvsync2_config *cfg = e->cfg;
	struct pvsync2_state *st = e->state;

	st->read_flags = (cfg->hipri ? RWF_HIPRI : 0) | (cfg->nowait ? RWF_NOWAIT : 0) |
			 (cfg->uncached ? RWF_DONTCACHE : 0);
	st->write_flags = st->read_flags;
	if (cfg->rwf_sync == PVSYNC2_SYNC_DSYNC)
		st->write_flags |= RWF_DSYNC;
	else if (cfg->rwf_sync == PVSYNC2_SYNC_SYNC)
		st->write_flags |= RWF_DSYNC | RWF_SYNC;
	return 0;
}

/* What the flags are the likely cause of is said here; the rest is the core's to say. */
static __attribute__((cold, noinline)) int64_t pvsync2_failed(struct fst_engine *e, int code)
{
	const struct pvsync2_config *cfg = e->cfg;

	if (code == EAGAIN && cfg->nowait)
		fst_error(e->worker->ctx, EAGAIN, "engine pvsync2: nowait = true, and the I/O would "
						  "have had to wait");
	else if (code == EOPNOTSUPP)
		fst_error(e->worker->ctx, EOPNOTSUPP,
			  "engine pvsync2: this kernel and file system do not take%s%s%s",
			  cfg->uncached ? " uncached = true" : "", cfg->nowait ? " nowait = true" : "",
			  cfg->uncached || cfg->nowait ? "" : " the flags of preadv2 and pwritev2");
	return -code;
}

static int pvsync2_queue(struct fst_engine *e, struct fst_io *io)
{
	const struct pvsync2_state *st = e->state;
	struct iovec v = { .iov_base = io->buf, .iov_len = io->length };
	int fd = e->files[io->file].fd;
	ssize_t n;

	if (io->op == FST_IO_READ) {
		n = preadv2(fd, &v, 1, (off_t)io->offset, st->read_flags);
	} else if (io->op == FST_IO_WRITE) {
		n = pwritev2(fd, &v, 1, (off_t)io->offset, st->write_flags);
	} else {
		io->result = file_ops_other(&e->files[io->file], io);
		return 1;
	}
	io->result = n < 0 ? pvsync2_failed(e, errno) : n;
	return 1;
}

static const struct fst_engine_ops pvsync2_ops = {
	.struct_size = sizeof(struct fst_engine_ops),
	.flags = FST_ENGINE_SYNC,
	.max_depth = 1,
	.open = pvsync2_open,
	.queue = pvsync2_queue,
};

static const struct fst_choice pvsync2_syncs[] = {
	{ "none", PVSYNC2_SYNC_NONE, "writes return when the kernel has taken the data" },
	{ "dsync", PVSYNC2_SYNC_DSYNC, "RWF_DSYNC: each write is on stable storage, as by fdatasync" },
	{ "sync", PVSYNC2_SYNC_SYNC, "RWF_SYNC: likewise, with all metadata, as by fsync" },
};

static const struct fst_param pvsync2_params[] = {
	{ .name = "hipri", .type = FST_BOOL, FST_AT(struct pvsync2_config, hipri), .def = "false",
	  .doc = "Polls the device for the completion (RWF_HIPRI) instead of waiting for its "
		 "interrupt; needs direct = true and a device with poll queues." },
	{ .name = "nowait", .type = FST_BOOL, FST_AT(struct pvsync2_config, nowait), .def = "false",
	  .doc = "An I/O that would have to wait fails with EAGAIN, and the step with it "
		 "(RWF_NOWAIT): proves that all reads come from memory." },
	{ .name = "uncached", .alias = "dontcache", .type = FST_BOOL,
	  FST_AT(struct pvsync2_config, uncached), .def = "false",
	  .doc = "Buffered I/O whose pages leave the cache again (RWF_DONTCACHE, Linux 6.14)." },
	{ .name = "rwf_sync", .type = FST_ENUM, FST_AT(struct pvsync2_config, rwf_sync),
	  .def = "none", FST_CHOICES(pvsync2_syncs),
	  .doc = "Whether each write waits until its data is on stable storage." },
};

FSTRIAL_PLUGIN(
	.kind = FST_ENGINE,
	.name = "pvsync2",
	.version = "1.0",
	.summary = "one I/O at a time by preadv2 and pwritev2, with their flags",
	.description =
		"Like psync, but by preadv2 and pwritev2, which take flags for each I/O: polling,\n"
		"refusing to wait, leaving the page cache, synchronous writes. iodepth is 1; more\n"
		"I/Os at once come from more workers (numjobs).\n"
		"Traps: hipri on a device without poll queues would quietly wait for interrupts;\n"
		"the step is skipped there.",
	FST_PARAMS(pvsync2_params),
	.cfg_size = sizeof(struct pvsync2_config),
	.state_size = sizeof(struct pvsync2_state),
	.probe = pvsync2_probe,
	.check = pvsync2_check,
	.engine = &pvsync2_ops);
