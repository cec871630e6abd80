/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial-libs: -laio */
/* Engine libaio: several I/Os in flight by io_submit(2) and io_getevents(2). */
#include <errno.h>
#include <libaio.h>
#include <stdlib.h>

#include <fstrial/plugin.h>

#include "file_ops.h"

#define LIBAIO_MAGIC 0xa10a10a1u

struct libaio_state {
	io_context_t ctx;
	struct iocb *iocb;	/* one for each I/O in flight */
	struct iocb **unused;	/* stack */
	struct iocb **queued;	/* ring: what is not handed over yet */
	struct io_event *event; /* one for each I/O in flight */
	struct fst_io *refused; /* by io_submit: a list through engine[1] */
	uint32_t n_unused, first, n_queued;
};

static int libaio_probe(struct fst_ctx *ctx)
{
	io_context_t aio = NULL;
	int r = io_setup(1, &aio);

	if (r == -ENOSYS)
		return fst_error(ctx, EOPNOTSUPP, "engine libaio: this kernel has no io_submit");
	if (r == 0)
		io_destroy(aio);
	if (!ctx->io->direct && ctx->io->iodepth > 1)
		fst_warning(ctx, "iodepth = %u, direct = false: libaio does buffered I/O one at a time, "
				 "inside of io_submit", ctx->io->iodepth);
	return 0;
}

static void libaio_close(struct fst_engine *e)
{
	struct libaio_state *st = e->state;

	if (st->ctx)
		io_destroy(st->ctx); /* waits for what is in flight */
	free(st->iocb);
	free(st->unused);
	free(st->queued);
	free(st->event);
	*st = (struct libaio_state){ .ctx = NULL };
}

static int libaio_open(struct fst_engine *e)
{
	struct libaio_state *st = e->state;
	int r;

	st->iocb = calloc(e->depth, sizeof(*st->iocb));
	st->unused = calloc(e->depth, sizeof(struct iocb *));
	st->queued = calloc(e->depth, sizeof(struct iocb *));
	st->event = calloc(e->depth, sizeof(*st->event));
	if (!st->iocb || !st->unused || !st->queued || !st->event) {
		libaio_close(e);
		return -ENOMEM;
	}
	for (uint32_t i = e->depth; i-- > 0;)
		st->unused[st->n_unused++] = &st->iocb[i];
	r = io_setup((int)e->depth, &st->ctx);
	if (r == 0)
		return 0;
	st->ctx = NULL;
	libaio_close(e);
	if (r == -EAGAIN)
		return fst_error(e->worker->ctx, EAGAIN,
				 "engine libaio: %u I/Os in flight, above what /proc/sys/fs/"
				 "aio-max-nr leaves",
				 e->depth);
	return r;
}

static int libaio_queue(struct fst_engine *e, struct fst_io *io)
{
	struct libaio_state *st = e->state;
	int fd = e->files[io->file].fd;
	struct iocb *cb;
	uint32_t at;

	if (io->op == FST_IO_TRIM || io->op > FST_IO_FDATASYNC) { /* no such call there */
		io->result = file_ops_other(&e->files[io->file], io);
		return 1;
	}
	if (!st->n_unused)
		return -EAGAIN;
	cb = st->unused[--st->n_unused];
	if (io->op == FST_IO_READ)
		io_prep_pread(cb, fd, io->buf, io->length, (long long)io->offset);
	else if (io->op == FST_IO_WRITE)
		io_prep_pwrite(cb, fd, io->buf, io->length, (long long)io->offset);
	else if (io->op == FST_IO_FSYNC)
		io_prep_fsync(cb, fd);
	else
		io_prep_fdsync(cb, fd);
	cb->data = io;
	at = st->first + st->n_queued++;
	st->queued[at < e->depth ? at : at - e->depth] = cb;
	return 0;
}

/* Takes n from the front of what is queued. */
static void libaio_advance(const struct fst_engine *e, struct libaio_state *st, uint32_t n)
{
	st->first += n;
	if (st->first >= e->depth)
		st->first -= e->depth;
	st->n_queued -= n;
	if (!st->n_queued)
		st->first = 0; /* so that the next batch lies in one piece */
}

/* The kernel refused the first of what is queued: that one has failed, the others may be sound. */
static __attribute__((cold, noinline)) void libaio_refuse(struct fst_engine *e,
							  struct libaio_state *st, int r)
{
	struct iocb *cb = st->queued[st->first];
	struct fst_io *io = cb->data;

	io->result = r;
	io->engine[1] = (uintptr_t)st->refused;
	st->refused = io;
	st->unused[st->n_unused++] = cb;
	libaio_advance(e, st, 1);
}

static int libaio_submit(struct fst_engine *e)
{
	struct libaio_state *st = e->state;
	int handed = 0;

	while (st->n_queued) {
		uint32_t n = st->n_queued, to_end = e->depth - st->first;
		int r = io_submit(st->ctx, n < to_end ? n : to_end, &st->queued[st->first]);

		if (r > 0) {
			libaio_advance(e, st, (uint32_t)r);
			handed += r;
		} else if (r == 0 || r == -EAGAIN) {
			/* No more room in the kernel: goes on when something was reaped. */
			return handed ? handed : -EAGAIN;
		} else if (r != -EINTR) {
			libaio_refuse(e, st, r);
		}
	}
	return handed;
}

static uint32_t libaio_take_refused(struct libaio_state *st, struct fst_io **done, uint32_t max)
{
	uint32_t n = 0;

	for (; n < max && st->refused; n++) {
		done[n] = st->refused;
		st->refused = (struct fst_io *)(uintptr_t)st->refused->engine[1];
	}
	return n;
}

/* The completion ring as the kernel maps it into the process; its address is the context. */
struct libaio_ring {
	uint32_t id, nr, head, tail, magic, compat, incompat, header_length;
	struct io_event event[];
};

/* Takes what is in the ring without a system call. Where the ring looks otherwise: nothing. */
static uint32_t libaio_peek(struct libaio_state *st, uint32_t max)
{
	struct libaio_ring *ring = (struct libaio_ring *)(void *)st->ctx;
	uint32_t head, n = 0;

	if (ring->magic != LIBAIO_MAGIC || ring->incompat)
		return 0;
	head = ring->head;
	while (n < max && head != __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)) {
		st->event[n++] = ring->event[head];
		head = head + 1 == ring->nr ? 0 : head + 1;
	}
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return n;
}

static int libaio_reap(struct fst_engine *e, uint32_t min, struct fst_io **done, uint32_t max)
{
	struct libaio_state *st = e->state;
	uint32_t n = st->refused ? libaio_take_refused(st, done, max) : 0;
	struct timespec now = { 0 };
	int r;

	if (n == max)
		return (int)n;
	max -= n;
	if (max > e->depth)
		max = e->depth;
	min = min > n ? min - n : 0;
	r = (int)libaio_peek(st, max);
	while (r == 0 || (uint32_t)r < min) {
		int more = io_getevents(st->ctx, min > (uint32_t)r ? (long)min - r : 0, (long)max - r,
					st->event + r, min ? NULL : &now);

		if (more == -EINTR)
			continue;
		r = more < 0 && !r ? more : r + (more > 0 ? more : 0);
		break;
	}
	if (r < 0)
		return n ? (int)n : r;
	for (int i = 0; i < r; i++) {
		struct fst_io *io = st->event[i].data;

		io->result = (int64_t)st->event[i].res;
		st->unused[st->n_unused++] = st->event[i].obj;
		done[n++] = io;
	}
	return (int)n;
}

static const struct fst_engine_ops libaio_ops = {
	.struct_size = sizeof(struct fst_engine_ops),
	.open = libaio_open,
	.queue = libaio_queue,
	.submit = libaio_submit,
	.reap = libaio_reap,
	.close = libaio_close,
};

FSTRIAL_PLUGIN(
	.kind = FST_ENGINE,
	.name = "libaio",
	.version = "1.0",
	.summary = "several I/Os in flight by io_submit",
	.description =
		"All I/Os that are free to go are handed over in one io_submit, all completions\n"
		"that are there are taken in one io_getevents. fsync and fdatasync are queued too;\n"
		"a trim is fallocate with a hole punched, done at once.\n"
		"Traps: io_submit is asynchronous for direct I/O only: with direct = false each\n"
		"I/O completes, and waits, inside of it. Writes that extend a file wait there,\n"
		"too.",
	.state_size = sizeof(struct libaio_state),
	.probe = libaio_probe,
	.engine = &libaio_ops);
