/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An engine and a data workload that do what a test's script says, and write down what they were
 * asked.
 */
#pragma once

#include "tests/unit/io_host.h"

enum { SCRIPT_LOG = 4096 };

/* What the engine does; its engine_cfg. Several workers may share one. */
struct script {
	uint64_t delay_ns;  /* of each completion */
	uint64_t fail_at;   /* number of the I/O that fails, from 1; 0: none */
	int fail_with;	    /* errno; 0: it is short by one byte */
	uint64_t eagain_at; /* I/Os in flight at which queue() is full; 0: never */
	uint64_t fail_queue_at, fail_submit_at, fail_reap_at; /* number of the call, from 1 */
	uint64_t submit_delay_ns; /* of each submit() */
	int submit_says;	  /* what it returns; 0: the number in flight */
	bool newest_first;
	bool inline_odd;   /* every second I/O completes in queue() */
	uint32_t reap_max; /* completions a call gives; 0: all */
	/* What was seen. */
	struct fst_io *log;
	uint64_t n, n_sync, queue_calls, submit_calls, reap_calls, max_inflight, queued_after_fail;
};

struct script_engine {
	struct fst_io *pending[1024];
	uint32_t n;
};

/* Counters that all workers add to. */
static inline uint64_t script_count(uint64_t *counter)
{
	return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static inline void script_most(uint64_t *most, uint64_t n)
{
	uint64_t was = __atomic_load_n(most, __ATOMIC_RELAXED);

	while (n > was && !__atomic_compare_exchange_n(most, &was, n, false, __ATOMIC_RELAXED,
						       __ATOMIC_RELAXED))
		;
}

static inline void script_sleep(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	if (ns)
		nanosleep(&ts, NULL);
}

static inline void script_finish(struct script *s, struct fst_io *io)
{
	uint64_t number = script_count(&s->n);

	if (s->log && number <= SCRIPT_LOG)
		s->log[number - 1] = *io;
	io->result = (int64_t)io->length;
	if (number == s->fail_at)
		io->result = s->fail_with ? -s->fail_with : (int64_t)io->length - 1;
	if (io->op > FST_IO_TRIM)
		script_count(&s->n_sync);
}

static inline int script_queue(struct fst_engine *e, struct fst_io *io)
{
	struct script *s = (struct script *)(uintptr_t)e->cfg;
	struct script_engine *st = e->state;
	uint64_t call = script_count(&s->queue_calls);

	if (call == s->fail_queue_at)
		return -ENOMEM;
	if (s->fail_at && __atomic_load_n(&s->n, __ATOMIC_RELAXED) >= s->fail_at)
		script_count(&s->queued_after_fail);
	if (s->eagain_at && st->n >= s->eagain_at)
		return -EAGAIN;
	if (e->depth == 1 || (s->inline_odd && call % 2)) {
		script_sleep(s->delay_ns);
		script_finish(s, io);
		return 1;
	}
	st->pending[st->n++] = io;
	script_most(&s->max_inflight, st->n);
	return 0;
}

static inline int script_submit(struct fst_engine *e)
{
	struct script *s = (struct script *)(uintptr_t)e->cfg;
	const struct script_engine *st = e->state;

	script_sleep(s->submit_delay_ns);
	if (script_count(&s->submit_calls) == s->fail_submit_at)
		return -EIO;
	return s->submit_says ? s->submit_says : (int)st->n;
}

static inline int script_reap(struct fst_engine *e, uint32_t min, struct fst_io **done,
			      uint32_t max)
{
	struct script *s = (struct script *)(uintptr_t)e->cfg;
	struct script_engine *st = e->state;
	uint32_t n = 0;

	if (script_count(&s->reap_calls) == s->fail_reap_at)
		return -EIO;
	script_sleep(s->delay_ns);
	CU_ASSERT_TRUE(st->n >= min);
	if (s->reap_max && max > s->reap_max)
		max = s->reap_max;
	while (n < max && st->n) {
		if (s->newest_first) {
			done[n] = st->pending[--st->n];
		} else {
			done[n] = st->pending[0];
			memmove(st->pending, st->pending + 1, --st->n * sizeof(st->pending[0]));
		}
		script_finish(s, done[n++]);
	}
	return (int)n;
}

/* The same engine with a queue, synchronous, and touching no file. */
static const struct fst_engine_ops script_ops = { .struct_size = sizeof(script_ops),
						  .max_depth = 1024,
						  .queue = script_queue,
						  .submit = script_submit,
						  .reap = script_reap };
static const struct fst_engine_ops script_sync_ops = { .struct_size = sizeof(script_sync_ops),
						       .flags = FST_ENGINE_SYNC,
						       .queue = script_queue };
static const struct fst_engine_ops script_nofile_ops = { .struct_size = sizeof(script_nofile_ops),
							 .flags = FST_ENGINE_NO_FILES,
							 .queue = script_queue,
							 .submit = script_submit,
							 .reap = script_reap };

#define SCRIPT_ENGINE(o)                                                                          \
	{                                                                                         \
		.magic = FST_MAGIC, .abi = FST_ABI, .struct_size = sizeof(struct fstrial_plugin), \
		.kind = FST_ENGINE, .name = "script", .state_size = sizeof(struct script_engine), \
		.engine = (o)                                                                     \
	}

/* The workload's cfg: blocks of bs one after the other, n of them. */
struct plan {
	uint64_t n; /* I/Os a worker; 0: without end */
	uint16_t op;
	uint32_t mode;	       /* of fst_files() */
	bool then_write;       /* a read is followed by a write of the same block */
	uint64_t fail_next_at; /* number of the call of next() that fails */
	uint64_t wait_every;   /* so many calls of next() give FST_NEXT_WAIT */
	uint64_t length;       /* 0: bs */
	uint32_t file;
};

struct plan_worker {
	uint64_t done, calls, completions;
};

static inline int plan_prepare(struct fst_ctx *ctx)
{
	const struct plan *p = ctx->cfg;

	return fst_files(ctx, (enum fst_file_mode)p->mode);
}

static inline int plan_next(struct fst_worker *w, struct fst_io *io)
{
	const struct plan *p = w->ctx->cfg;
	struct plan_worker *st = w->state;
	uint64_t blocks = w->ctx->io->size / w->ctx->io->bs;

	if (++st->calls == p->fail_next_at)
		return fst_error(w->ctx, EBADMSG, "no idea what comes next");
	/* Something must be in flight, of which only done() tells. */
	if (p->wait_every && st->calls % p->wait_every == 0 &&
	    (p->wait_every == 1 || st->done * (p->then_write ? 2 : 1) > st->completions))
		return FST_NEXT_WAIT;
	if (p->n && st->done == p->n)
		return FST_NEXT_END;
	io->offset = st->done++ % blocks * w->ctx->io->bs;
	io->length = p->length ? p->length : w->ctx->io->bs;
	io->op = p->op;
	io->file = w->index + p->file;
	return FST_NEXT_IO;
}

static inline int plan_done(struct fst_worker *w, struct fst_io *io)
{
	const struct plan *p = w->ctx->cfg;
	struct plan_worker *st = w->state;

	st->completions++;
	if (!p->then_write || io->op != FST_IO_READ)
		return FST_DONE;
	io->op = FST_IO_WRITE;
	return FST_DONE_AGAIN;
}

static const struct fst_metric plan_metrics[] = {
	{ .name = "throughput",
	  .unit = "bytes/s",
	  .better = FST_HIGHER,
	  .flags = FST_PRIMARY,
	  .doc = "d" },
	{ .name = "iops", .unit = "ops/s", .better = FST_HIGHER, .doc = "d" },
	{ .name = "read_rate", .unit = "ops/s", .doc = "d" },
	{ .name = "write_throughput", .unit = "bytes/s", .doc = "d" },
	{ .name = "read_p50", .unit = "ns", .better = FST_LOWER, .doc = "d" },
	{ .name = "read_p99", .unit = "ns", .better = FST_LOWER, .doc = "d" },
	{ .name = "sync_max", .unit = "ns", .better = FST_LOWER, .doc = "d" },
	{ .name = "odd", .unit = "count", .doc = "d" },
};

#define PLAN_WORKLOAD(...)                                                                        \
	{                                                                                         \
		.magic = FST_MAGIC, .abi = FST_ABI, .struct_size = sizeof(struct fstrial_plugin), \
		.kind = FST_WORKLOAD, .name = "plan", .cfg_size = sizeof(struct plan),            \
		.worker_size = sizeof(struct plan_worker), FST_METRICS(plan_metrics),             \
		.prepare = plan_prepare, .next = plan_next, __VA_ARGS__                           \
	}

/* A step with both: 100 I/Os, logged. */
struct script_test {
	struct io_host h;
	struct script s;
	struct plan p;
};

static inline void script_test_init(struct script_test *t, const struct fstrial_plugin *w,
				    const struct fstrial_plugin *e, uint32_t depth)
{
	memset(t, 0, sizeof(*t));
	io_host_init(&t->h, w, e, &t->p);
	t->h.wl.engine_cfg = &t->s;
	t->h.p.iodepth = depth;
	t->s.log = calloc(SCRIPT_LOG, sizeof(*t->s.log));
	t->p.n = 100;
}

static inline void script_test_free(struct script_test *t)
{
	free(t->s.log);
	io_host_free(&t->h);
}
