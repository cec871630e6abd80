/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/loop_many: how the queue is filled and emptied. */
#include "tests/unit/io_script.h"

void test_io_batches(void);

enum { WATCH_DEPTH = 8 };

/* An engine that completes nothing before it is waited for, unless told otherwise; its cfg. */
struct watch {
	bool at_once;		  /* the device is done when submit() returns */
	uint32_t n;		  /* in flight */
	uint32_t queued, biggest; /* I/Os handed over at once */
	uint32_t filled_at;	  /* most in flight when filling began, after the first time */
	uint32_t most;
	uint32_t max_min, max_max; /* asked of reap() */
	uint32_t polls;		   /* reap() that did not wait */
	struct fst_io *pending[WATCH_DEPTH];
};

static int watch_queue(struct fst_engine *e, struct fst_io *io)
{
	struct watch *s = (struct watch *)(uintptr_t)e->cfg;

	if (!s->queued && s->most == WATCH_DEPTH && s->n > s->filled_at)
		s->filled_at = s->n;
	s->pending[s->n++] = io;
	s->queued++;
	io->result = (int64_t)io->length;
	return 0;
}

static int watch_submit(struct fst_engine *e)
{
	struct watch *s = (struct watch *)(uintptr_t)e->cfg;
	int n = (int)s->queued;

	if (s->n > s->most)
		s->most = s->n;
	if (s->queued > s->biggest)
		s->biggest = s->queued;
	s->queued = 0;
	return n;
}

static int watch_reap(struct fst_engine *e, uint32_t min, struct fst_io **done, uint32_t max)
{
	struct watch *s = (struct watch *)(uintptr_t)e->cfg;
	uint32_t n = s->at_once ? s->n : min;

	s->polls += min == 0;
	s->max_min = MAX(s->max_min, min);
	s->max_max = MAX(s->max_max, max);
	CU_ASSERT_TRUE(min <= s->n && min <= max);
	n = MIN(n, max);
	for (uint32_t i = 0; i < n; i++)
		done[i] = s->pending[--s->n];
	return (int)n;
}

static const struct fst_engine_ops watch_ops = { .struct_size = sizeof(watch_ops),
						 .flags = FST_ENGINE_NO_FILES,
						 .queue = watch_queue,
						 .submit = watch_submit,
						 .reap = watch_reap };
static const struct fstrial_plugin engine = SCRIPT_ENGINE(&watch_ops);
static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
static const struct fstrial_plugin with_done = PLAN_WORKLOAD(.version = "1", .done = plan_done);

static void watch_run(struct watch *s, uint64_t n, const struct io_params *p)
{
	const struct fstrial_plugin *w[] = { &plain, &with_done };

	for (size_t i = 0; i < ARRAY_SIZE(w); i++) {
		struct plan plan = { .n = n };
		struct io_host h;

		*s = (struct watch){ .at_once = s->at_once };
		io_host_init(&h, w[i], &engine, &plan);
		h.wl.engine_cfg = s;
		h.p.iodepth = WATCH_DEPTH;
		h.p.iodepth_batch = p->iodepth_batch;
		h.p.iodepth_batch_complete_min = p->iodepth_batch_complete_min;
		h.p.iodepth_batch_complete_max = p->iodepth_batch_complete_max;
		h.p.iodepth_low = p->iodepth_low;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read.count"), n);
		CU_ASSERT_STRING_EQUAL(io_host_str(&h, "engine.batch.by"), p->iodepth_batch ? "job" : "depth");
		CU_ASSERT_EQUAL(io_host_u64(&h, "engine.batch.size"),
				p->iodepth_batch ? p->iodepth_batch : WATCH_DEPTH);
		CU_ASSERT_EQUAL(s->n, 0);
		io_host_free(&h);
	}
}

/* All that is free goes at once, and one completion is enough to go on. */
static void test_defaults(void)
{
	struct watch s = { 0 };

	watch_run(&s, 1000, &(struct io_params){ 0 });
	CU_ASSERT_EQUAL(s.most, 8);
	CU_ASSERT_EQUAL(s.biggest, 8);
	CU_ASSERT_EQUAL(s.max_min, 1);
	CU_ASSERT_EQUAL(s.max_max, 8);
	CU_ASSERT_EQUAL(s.filled_at, 7);
	CU_ASSERT_EQUAL(s.polls, 0);
}

static void test_batch(void)
{
	struct watch s = { 0 };

	watch_run(&s, 1000, &(struct io_params){ .iodepth_batch = 3 });
	CU_ASSERT_EQUAL(s.biggest, 3);
	CU_ASSERT_EQUAL(s.most, 8); /* no wait before it is full */
	CU_ASSERT_TRUE(s.polls > 0);
	s.at_once = true;
	watch_run(&s, 1000, &(struct io_params){ .iodepth_batch = 3 });
	CU_ASSERT_EQUAL(s.biggest, 3);
	CU_ASSERT_EQUAL(s.most, 3);
}

static void test_complete(void)
{
	struct watch s = { 0 };

	watch_run(&s, 1003,
		  &(struct io_params){ .iodepth_batch_complete_min = 4,
				       .iodepth_batch_complete_max = 5 });
	CU_ASSERT_EQUAL(s.max_min, 4);
	CU_ASSERT_EQUAL(s.max_max, 5);
	CU_ASSERT_EQUAL(s.filled_at, 4);
}

static void test_low(void)
{
	struct watch s = { 0 };

	watch_run(&s, 1000, &(struct io_params){ .iodepth_low = 2 });
	CU_ASSERT_EQUAL(s.most, 8);
	CU_ASSERT_EQUAL(s.filled_at, 2);
}

/* A device that does everything inside of the call. */
static void test_inline(void)
{
	struct watch s = { .at_once = true };
	struct io_host h;
	struct plan plan = { .n = 100000 };

	io_host_init(&h, &plain, &engine, &plan);
	h.wl.engine_cfg = &s;
	h.p.iodepth = WATCH_DEPTH;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read.count"), 100000);
	CU_ASSERT_EQUAL(io_host_u64(&h, "engine.depth_max"), 8);
	CU_ASSERT_TRUE(s.polls > 0); /* smaller batches were tried */
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "engine.batch.by"), "measured");
	CU_ASSERT_TRUE(io_host_u64(&h, "engine.batch.size") <= WATCH_DEPTH);
	io_host_free(&h);
}

void test_io_batches(void)
{
	CU_pSuite s = CU_add_suite("io/batches", NULL, NULL);

	CU_ADD_TEST(s, test_defaults);
	CU_ADD_TEST(s, test_batch);
	CU_ADD_TEST(s, test_complete);
	CU_ADD_TEST(s, test_low);
	CU_ADD_TEST(s, test_inline);
}
