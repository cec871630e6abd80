/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial-libs: liburing */
/* Engine io_uring: several I/Os in flight, handed over and reaped in one system call. */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

#include <fstrial/plugin.h>

#include "file_ops.h"

/* Limits of the kernel: of one registered buffer, and of their number. */
#define URING_BUFFER_MAX (1ull << 30)
#define URING_BUFFERS_MAX 16384u
#define URING_DEPTH_MAX 32768u

struct uring_config {
	bool hipri;
	bool fixedbufs;
	bool registerfiles;
	bool sqthread_poll;
	int64_t sqthread_poll_cpu;
};

struct uring_state {
	struct io_uring ring;
	uint8_t read_op, write_op;
	uint8_t sqe_flags;
	bool fixed_files;
	bool fixed_bufs;
	bool poll_thread;   /* the kernel's: submit is all it takes */
	bool sync_apart;    /* a ring that polls takes reads and writes only */
	bool pending;	    /* queued, not yet handed over */
	uint64_t per_piece; /* buffers in one registered piece */
	bool up;
};

static int uring_check(struct fst_ctx *ctx)
{
	const struct uring_config *cfg = ctx->cfg;

	if (cfg->hipri && !ctx->io->direct)
		return fst_error(ctx, 0, "hipri = true polls for direct I/O only: "
					 "direct = true is needed");
	if (cfg->sqthread_poll_cpu >= 0 && !cfg->sqthread_poll)
		return fst_error(ctx, 0, "sqthread_poll_cpu = %lld places a thread that there is not: "
					 "sqthread_poll = true is needed",
				 (long long)cfg->sqthread_poll_cpu);
	return 0;
}

/* A kernel that has io_uring may still refuse it: sysctl, seccomp. */
static int uring_probe(struct fst_ctx *ctx)
{
	const struct uring_config *cfg = ctx->cfg;
	struct io_uring_params p = { 0 };
	struct io_uring ring;
	int r = io_uring_queue_init_params(1, &ring, &p);

	if (r == 0) {
		io_uring_queue_exit(&ring);
		return cfg->hipri ? file_ops_probe_poll(ctx) : 0;
	}
	if (r == -ENOSYS)
		return fst_error(ctx, EOPNOTSUPP, "engine io_uring: this kernel has no io_uring");
	if (r == -EPERM || r == -EACCES)
		return fst_error(ctx, EOPNOTSUPP,
				 "engine io_uring is forbidden here (see /proc/sys/kernel/"
				 "io_uring_disabled, or the container's seccomp filter)");
	return fst_error(ctx, -r, "engine io_uring: io_uring_setup");
}

/*
 * The best way that the kernel takes: completions are run only when this thread asks for them, so
 * that they neither interrupt it nor cost an interrupt between processors.
 */
static int uring_setup(struct fst_engine *e)
{
	static const unsigned int ways[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_COOP_TASKRUN,
		0,
	};
	const struct uring_config *cfg = e->cfg;
	struct uring_state *st = e->state;
	unsigned int flags = cfg->hipri ? IORING_SETUP_IOPOLL : 0;
	struct io_uring_params p;
	int r = -EINVAL;

	if (cfg->sqthread_poll) {
		memset(&p, 0, sizeof(p));
		p.flags = flags | IORING_SETUP_SQPOLL;
		p.sq_thread_idle = 1000;
		if (cfg->sqthread_poll_cpu >= 0) {
			p.flags |= IORING_SETUP_SQ_AFF;
			p.sq_thread_cpu = (unsigned int)cfg->sqthread_poll_cpu;
		}
		/* The thread says late which places are free: as many may be done and reaped by then. */
		return io_uring_queue_init_params(
			e->depth < URING_DEPTH_MAX / 2 ? 2 * e->depth : URING_DEPTH_MAX, &st->ring,
			&p);
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && r == -EINVAL; i++) {
		memset(&p, 0, sizeof(p));
		p.flags = flags | ways[i];
		r = io_uring_queue_init_params(e->depth, &st->ring, &p);
	}
	return r;
}

/* Pinned once instead of in each I/O. The slab is one piece, or as many as the kernel's limit asks for. */
static void uring_register_buffers(struct fst_engine *e)
{
	struct uring_state *st = e->state;
	uint64_t per = URING_BUFFER_MAX / e->buffer_size, n, at = 0;
	struct iovec *v;
	int r = -ENOMEM;

	if (!e->buffers || !per)
		return;
	n = (e->depth + per - 1) / per;
	v = n <= URING_BUFFERS_MAX ? calloc(n, sizeof(*v)) : NULL;
	for (uint64_t i = 0; v && i < n; i++, at += per) {
		uint64_t left = e->depth - at;

		v[i].iov_base = (char *)e->buffers + at * e->buffer_size;
		v[i].iov_len = (left < per ? left : per) * e->buffer_size;
	}
	if (v)
		r = io_uring_register_buffers(&st->ring, v, (unsigned int)n);
	free(v);
	if (r == 0) {
		st->fixed_bufs = true;
		st->per_piece = per;
		st->read_op = IORING_OP_READ_FIXED;
		st->write_op = IORING_OP_WRITE_FIXED;
		return;
	}
	fst_warning(e->worker->ctx, "engine io_uring: the kernel did not take the buffers as fixed "
				    "ones (%s; ulimit -l?): each I/O pins them anew", strerror(-r));
}

static void uring_register_files(struct fst_engine *e)
{
	struct uring_state *st = e->state;
	int *fd = calloc(e->n_files ? e->n_files : 1, sizeof(*fd));
	int r = -ENOMEM;

	for (uint32_t i = 0; fd && i < e->n_files; i++)
		fd[i] = e->files[i].fd;
	if (fd && e->n_files)
		r = io_uring_register_files(&st->ring, fd, e->n_files);
	free(fd);
	if (r == 0) {
		st->fixed_files = true;
		st->sqe_flags |= IOSQE_FIXED_FILE;
		return;
	}
	fst_warning(e->worker->ctx, "engine io_uring: the kernel did not take the files as registered "
				    "ones (%s): each I/O looks them up", strerror(-r));
}

static int uring_open(struct fst_engine *e)
{
	const struct uring_config *cfg = e->cfg;
	struct uring_state *st = e->state;
	int r = uring_setup(e);

	if (r == -ENOMEM)
		return fst_error(e->worker->ctx, ENOMEM,
				 "engine io_uring: a ring of %u (memory that may be locked, ulimit -l?)",
				 e->depth);
	if (r < 0)
		return fst_error(e->worker->ctx, -r, "engine io_uring: io_uring_setup%s%s",
				 cfg->hipri ? ", hipri = true" : "",
				 cfg->sqthread_poll ? ", sqthread_poll = true" : "");
	st->up = true;
	st->poll_thread = cfg->sqthread_poll;
	st->sync_apart = cfg->hipri;
	st->read_op = IORING_OP_READ;
	st->write_op = IORING_OP_WRITE;
	if (cfg->fixedbufs)
		uring_register_buffers(e);
	if (cfg->registerfiles)
		uring_register_files(e);
	(void)io_uring_register_ring_fd(&st->ring); /* spares a look-up, where there is such a thing */
	return 0;
}

static void uring_close(struct fst_engine *e)
{
	struct uring_state *st = e->state;

	if (!st->up)
		return;
	/*
	 * A ring that is let go keeps its files for a while yet, and their file system could not be
	 * unmounted.
	 */
	if (st->fixed_files)
		(void)io_uring_unregister_files(&st->ring);
	if (st->fixed_bufs)
		(void)io_uring_unregister_buffers(&st->ring);
	io_uring_queue_exit(&st->ring);
	st->up = false;
}

/* What is neither read nor write. False: there is no such thing. */
static __attribute__((noinline)) bool uring_prepare_other(struct io_uring_sqe *sqe,
							  const struct fst_io *io)
{
	switch (io->op) {
	case FST_IO_TRIM: /* length and mode have the places that others have for address and length */
		sqe->opcode = IORING_OP_FALLOCATE;
		sqe->off = io->offset;
		sqe->addr = io->length;
		sqe->len = FILE_OPS_PUNCH;
		return true;
	case FST_IO_FDATASYNC:
		sqe->fsync_flags = IORING_FSYNC_DATASYNC;
		/* fall through */
	case FST_IO_FSYNC:
		sqe->opcode = IORING_OP_FSYNC;
		return true;
	default:
		return false;
	}
}

static int uring_queue(struct fst_engine *e, struct fst_io *io)
{
	struct uring_state *st = e->state;
	bool transfer = io->op == FST_IO_READ || io->op == FST_IO_WRITE;
	struct io_uring_sqe *sqe;

	/* Of a device a trim is an ioctl, which rings have not. */
	if (!transfer && (st->sync_apart || io->op > FST_IO_FDATASYNC ||
			  (io->op == FST_IO_TRIM && (e->files[io->file].flags & FST_FILE_IS_DEVICE)))) {
		io->result = file_ops_other(&e->files[io->file], io);
		return 1;
	}
	sqe = io_uring_get_sqe(&st->ring);
	if (!sqe)
		return -EAGAIN;
	memset(sqe, 0, sizeof(*sqe));
	sqe->flags = st->sqe_flags;
	sqe->fd = st->fixed_files ? (int)io->file : e->files[io->file].fd;
	sqe->user_data = (uintptr_t)io;
	st->pending = true;
	if (!transfer) {
		(void)uring_prepare_other(sqe, io);
		return 0;
	}
	sqe->opcode = io->op == FST_IO_READ ? st->read_op : st->write_op;
	sqe->addr = (uintptr_t)io->buf;
	sqe->len = (unsigned int)io->length;
	sqe->off = io->offset;
	if (st->fixed_bufs && e->depth > st->per_piece)
		sqe->buf_index = (uint16_t)(((uint64_t)((char *)io->buf - (char *)e->buffers) /
					     e->buffer_size) / st->per_piece);
	return 0;
}

/* The reap that follows does it, in the same system call; the kernel's thread needs no call at all. */
static int uring_submit(struct fst_engine *e)
{
	struct uring_state *st = e->state;
	int r = (int)io_uring_sq_ready(&st->ring);

	if (!st->poll_thread)
		return r;
	st->pending = false;
	return io_uring_submit(&st->ring);
}

static uint32_t uring_take(struct uring_state *st, struct fst_io **done, uint32_t max)
{
	struct io_uring_cqe *cqe;
	unsigned int head;
	uint32_t n = 0;

	io_uring_for_each_cqe(&st->ring, head, cqe) {
		struct fst_io *io = (struct fst_io *)(uintptr_t)cqe->user_data;

		if (n == max)
			break;
		io->result = cqe->res;
		if (__builtin_expect(cqe->res == 0 && io->op == FST_IO_TRIM, 0))
			io->result = (int64_t)io->length; /* fallocate tells no length */
		done[n++] = io;
	}
	io_uring_cq_advance(&st->ring, n);
	return n;
}

/* One system call that hands over, waits for min, and lets the kernel post what is complete. */
static int uring_enter(struct uring_state *st, uint32_t min)
{
	int r;

	do {
		r = min ? io_uring_submit_and_wait(&st->ring, min)
			: io_uring_submit_and_get_events(&st->ring);
	} while (r == -EINTR);
	st->pending = io_uring_sq_ready(&st->ring) != 0;
	/* A full completion ring empties by reaping. */
	return r < 0 && r != -EBUSY && r != -EAGAIN ? r : 0;
}

static int uring_reap(struct fst_engine *e, uint32_t min, struct fst_io **done, uint32_t max)
{
	struct uring_state *st = e->state;
	int r;

	if (st->pending || io_uring_cq_ready(&st->ring) < min || !min) {
		r = uring_enter(st, min);
		if (r < 0)
			return r;
	}
	return (int)uring_take(st, done, max);
}

static const struct fst_engine_ops uring_ops = {
	.struct_size = sizeof(struct fst_engine_ops),
	.max_depth = URING_DEPTH_MAX,
	.open = uring_open,
	.queue = uring_queue,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};

static const struct fst_param uring_params[] = {
	{ .name = "hipri", .type = FST_BOOL, FST_AT(struct uring_config, hipri), .def = "false",
	  .doc = "Polls the device for completions (IORING_SETUP_IOPOLL) instead of waiting for "
		 "interrupts; needs direct = true and a device with poll queues." },
	{ .name = "fixedbufs", .type = FST_BOOL, FST_AT(struct uring_config, fixedbufs),
	  .def = "true",
	  .doc = "Registers the buffers once, so that no I/O has to pin its own; where the kernel "
		 "does not take them there is a warning." },
	{ .name = "registerfiles", .type = FST_BOOL, FST_AT(struct uring_config, registerfiles),
	  .def = "true",
	  .doc = "Registers the files once, so that no I/O has to look its own up; where the kernel "
		 "does not take them there is a warning." },
	{ .name = "sqthread_poll", .type = FST_BOOL, FST_AT(struct uring_config, sqthread_poll),
	  .def = "false",
	  .doc = "A thread of the kernel takes what is queued (IORING_SETUP_SQPOLL): no system call "
		 "to submit, a processor more in use." },
	{ .name = "sqthread_poll_cpu", .type = FST_I64,
	  FST_AT(struct uring_config, sqthread_poll_cpu), .def = "-1", .min = "-1", .max = "65535",
	  .doc = "Processor of that thread; -1: any." },
};

FSTRIAL_PLUGIN(
	.kind = FST_ENGINE,
	.name = "io_uring",
	.version = "1.0",
	.summary = "several I/Os in flight, handed over and reaped in one system call",
	.description =
		"One ring a worker. All I/Os that are free to go are handed over, and all\n"
		"completions that are there taken, in one io_uring_enter. Buffers and files are\n"
		"registered, and completions run in the worker's own time (DEFER_TASKRUN), where the\n"
		"kernel takes that; otherwise by the next best way. fsync, fdatasync and trims are\n"
		"queued too.\n"
		"Of the parts of a latency, submission ends where that one system call begins: the call hands\n"
		"over and waits, and is in completion. With sqthread_poll it is the hand-over to the thread.\n"
		"Traps: where a file system or device cannot do an I/O without waiting (tmpfs,\n"
		"buffered writes on some), the kernel passes it to threads of its own, which costs\n"
		"far more. Their processor time is not the step's.",
	FST_PARAMS(uring_params),
	.cfg_size = sizeof(struct uring_config),
	.state_size = sizeof(struct uring_state),
	.probe = uring_probe,
	.check = uring_check,
	.engine = &uring_ops);
