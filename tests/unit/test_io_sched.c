/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/sched: open loops, what waits is counted, time to think; and known latencies. */
#include <math.h>

#include "core/io/sched.h"
#include "tests/unit/io_script.h"

void test_io_sched(void);

enum { KNOWN = 2000 };

/* An engine whose latencies are known: it waits awake and writes down from when to when. */
struct known {
	uint64_t n, stall_at, stall_ns;
	uint64_t begun[KNOWN + 1], ended[KNOWN];
};

static int known_queue(struct fst_engine *e, struct fst_io *io)
{
	struct known *k = (struct known *)(uintptr_t)e->cfg;
	uint64_t start = io_clock_ns(), wait = 20000 + k->n * 200, now;

	do
		now = io_clock_ns();
	while (now - start < wait);
	if (k->n < KNOWN) {
		k->begun[k->n] = start;
		k->ended[k->n++] = now;
	}
	io->result = (int64_t)io->length;
	return 1;
}

static int stall_queue(struct fst_engine *e, struct fst_io *io)
{
	struct known *k = (struct known *)(uintptr_t)e->cfg;

	script_sleep(++k->n == k->stall_at ? k->stall_ns : 0);
	io->result = (int64_t)io->length;
	return 1;
}

static const struct fst_engine_ops known_ops = { .struct_size = sizeof(known_ops),
						 .flags = FST_ENGINE_SYNC | FST_ENGINE_NO_FILES,
						 .queue = known_queue };
static const struct fst_engine_ops stall_ops = { .struct_size = sizeof(stall_ops),
						 .flags = FST_ENGINE_SYNC | FST_ENGINE_NO_FILES,
						 .queue = stall_queue };
static const struct fstrial_plugin known_engine = SCRIPT_ENGINE(&known_ops);
static const struct fstrial_plugin stall_engine = SCRIPT_ENGINE(&stall_ops);
static const struct fstrial_plugin queued = SCRIPT_ENGINE(&script_nofile_ops);
static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * The k-th shortest latency as it can be at least, all spent in the engine, and at most: from when the engine ended
 * the I/O before to when it began the next. Whatever takes the processor away meanwhile, the truth is between.
 */
static void known_bounds(const struct known *k, uint64_t before, uint64_t *least, uint64_t *most)
{
	for (size_t i = 0; i < KNOWN; i++) {
		least[i] = k->ended[i] - k->begun[i];
		most[i] = k->begun[i + 1] - (i ? k->ended[i - 1] : before);
	}
	qsort(least, KNOWN, sizeof(*least), ascending);
	qsort(most, KNOWN, sizeof(*most), ascending);
}

/* Percentiles are within 0.4 % of what the engine did, and the time to call it. */
static void test_known(void)
{
	static const struct {
		const char *path;
		double q;
	} q[] = { { "latency.read.percentiles.1", 0.01 }, { "latency.read.percentiles.5", 0.05 },
		  { "latency.read.percentiles.10", 0.1 }, { "latency.read.percentiles.50", 0.5 },
		  { "latency.read.percentiles.90", 0.9 }, { "latency.read.percentiles.95", 0.95 },
		  { "latency.read.percentiles.99", 0.99 } };
	static uint64_t least[KNOWN], most[KNOWN];
	struct plan p = { .n = KNOWN };
	static struct known k;
	uint64_t before;
	struct io_host h;

	k = (struct known){ .n = 0 };
	io_host_init(&h, &plain, &known_engine, &p);
	h.wl.engine_cfg = &k;
	before = io_clock_ns();
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	k.begun[KNOWN] = io_clock_ns();
	CU_ASSERT_EQUAL_FATAL(k.n, KNOWN);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read.count"), KNOWN);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), KNOWN * 4096ull);
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "measured.latency_is"), "service_time");
	known_bounds(&k, before, least, most);
	for (size_t i = 0; i < ARRAY_SIZE(q); i++) {
		const size_t rank = (size_t)ceil(q[i].q * KNOWN) - 1;
		const double seen = io_host_real(&h, q[i].path);

		CU_ASSERT_TRUE(seen >= (double)least[rank] * 0.996);
		CU_ASSERT_TRUE(seen <= (double)most[rank] * 1.004);
	}
	io_host_free(&h);
}

/*
 * An open loop in which one I/O takes long: all that were due meanwhile had to wait, the last of them hardly, so
 * that the k-th longest took k intervals less. With 1,000 a second and a second's stall: 0.975 s for 1 of 100.
 */
static void test_stall(void)
{
	static const struct {
		uint64_t rate, n, stall_ns;
	} cases[] = { { 10000, 10000, 100000000 }, { 1000, 2500, 1000000000 } };
	static const struct {
		const char *path;
		double q;
	} q[] = { { "latency.read.percentiles.99", 0.99 }, { "latency.read.percentiles.95", 0.95 } };

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		struct plan p = { .n = cases[c].n };
		const double n = (double)cases[c].n;
		static struct known k;
		struct io_host h;

		k = (struct known){ .stall_at = 300, .stall_ns = cases[c].stall_ns };
		io_host_init(&h, &plain, &stall_engine, &p);
		h.wl.engine_cfg = &k;
		h.p.rate_iops = cases[c].rate;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		CU_ASSERT_STRING_EQUAL(io_host_str(&h, "measured.latency_is"), "response_time");
		CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read.count"), cases[c].n);
		CU_ASSERT_EQUAL(io_host_u64(&h, "measured.schedule.service_time.count"), cases[c].n);
		CU_ASSERT_EQUAL(io_host_u64(&h, "measured.schedule.lag.count"), cases[c].n);
		CU_ASSERT_EQUAL(io_host_u64(&h, "measured.schedule.missed"), 0);
		for (size_t i = 0; i < ARRAY_SIZE(q); i++) {
			const double want = (double)cases[c].stall_ns -
					    n * (1 - q[i].q) / (double)cases[c].rate * 1e9;

			/* A busy machine only adds to it. */
			CU_ASSERT_TRUE(io_host_real(&h, q[i].path) > 0.99 * want);
		}
		CU_ASSERT_TRUE(io_host_real(&h, "measured.schedule.service_time.percentiles.90") <
			       0.49 * (double)cases[c].stall_ns);
		CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "measured.schedule.asked"), (double)cases[c].rate, 0);
		/* It ended when the schedule did, or later. */
		CU_ASSERT_TRUE(io_host_real(&h, "measured.elapsed_ns") >= 0.999 * n / (double)cases[c].rate * 1e9);
		io_host_free(&h);
	}
}

/* What was due and never begun is said. */
static void test_missed(void)
{
	struct script s = { .delay_ns = 5000000 };
	struct plan p = { .n = 0 };
	struct io_host h;
	uint64_t due, done;

	io_host_init(&h, &plain, &queued, &p);
	h.wl.engine_cfg = &s;
	h.p.rate = 4096000;
	h.opt.runtime_ns = 200000000;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	due = io_host_u64(&h, "measured.elapsed_ns") / 1000000;
	done = io_host_u64(&h, "latency.read.count");
	CU_ASSERT_TRUE(done <= 41);
	CU_ASSERT_TRUE(done + io_host_u64(&h, "measured.schedule.missed") >= due);
	CU_ASSERT_TRUE(done + io_host_u64(&h, "measured.schedule.missed") <= due + 2);
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "measured.schedule.unit"), "bytes/s");
	CU_ASSERT_TRUE(io_host_real(&h, "measured.schedule.achieved") < 0.5 * 4096000);
	io_host_free(&h);
}

/* The wait for the next one is of the rate, to the end of the time: what few I/Os there were, were no more than asked. */
static void test_few(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct script_test t;

		script_test_init(&t, &plain, &queued, depths[i]);
		t.p.n = 100;
		t.h.p.rate_iops = 10;
		t.h.opt.runtime_ns = 170000000;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		CU_ASSERT_TRUE(t.s.n >= 1 && t.s.n <= 2);
		CU_ASSERT_TRUE(io_host_u64(&t.h, "measured.elapsed_ns") >= 170000000);
		CU_ASSERT_TRUE(io_host_real(&t.h, "measured.schedule.achieved") <= 2 / 0.17);
		script_test_free(&t);
	}
}

/* With several in flight, too, none begins before it is due. */
static void test_queued(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &queued, 8);
	t.p.n = 200;
	t.h.p.rate_iops = 2000;
	t.h.p.rate_process = IO_RATE_POISSON;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_EQUAL(t.s.n, 200);
	CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.schedule.lag.count"), 200);
	CU_ASSERT_STRING_EQUAL(io_host_str(&t.h, "measured.schedule.process"), "poisson");
	CU_ASSERT_TRUE(io_host_u64(&t.h, "measured.elapsed_ns") > 50000000);
	CU_ASSERT_TRUE(io_host_u64(&t.h, "latency.read.max") >=
		       io_host_u64(&t.h, "measured.schedule.lag.max"));
	script_test_free(&t);
}

static void test_gaps(void)
{
	const struct io_params linear = { .rate = 1000000 };
	const struct io_params poisson = { .rate_iops = 1000, .rate_process = IO_RATE_POISSON };
	double sum = 0, squares = 0, last = 0;
	struct sched s;

	sched_init(&s, &linear, 1, 0);
	sched_begin(&s, 5000);
	CU_ASSERT_EQUAL(sched_take(&s, 1000), 5000);
	CU_ASSERT_EQUAL(sched_take(&s, 3000), 5000 + 1000000);
	CU_ASSERT_EQUAL(sched_take(&s, 1), 5000 + 4000000);
	sched_release(&s);
	sched_init(&s, &poisson, 1, 0);
	sched_begin(&s, 0);
	for (int i = 0; i < 100000; i++) {
		double gap;

		sched_take(&s, 4096);
		gap = s.next_ns - last;
		last = s.next_ns;
		sum += gap;
		squares += gap * gap;
	}
	/* Of an exponential distribution mean and deviation are the same. */
	CU_ASSERT_DOUBLE_EQUAL(sum / 1e5, 1e6, 2e4);
	CU_ASSERT_DOUBLE_EQUAL(squares / 1e5, 2e12, 8e10);
	sched_release(&s);
}

static void test_think(void)
{
	static const uint32_t depths[] = { 1, 4 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct script_test t;

		script_test_init(&t, &plain, &queued, depths[i]);
		t.p.n = 12;
		t.h.p.thinktime_ns = 5000000;
		t.h.p.thinktime_blocks = 3;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		CU_ASSERT_EQUAL(t.s.n, 12);
		/* Three pauses lie between four groups. */
		CU_ASSERT_TRUE(io_host_u64(&t.h, "measured.elapsed_ns") >= 15000000);
		CU_ASSERT_TRUE(t.s.max_inflight <= 3);
		CU_ASSERT_PTR_NULL(io_host_at(&t.h, "measured.schedule"));
		script_test_free(&t);
	}
}

void test_io_sched(void)
{
	CU_pSuite s = CU_add_suite("io sched", NULL, NULL);

	CU_ADD_TEST(s, test_known);
	CU_ADD_TEST(s, test_stall);
	CU_ADD_TEST(s, test_missed);
	CU_ADD_TEST(s, test_few);
	CU_ADD_TEST(s, test_queued);
	CU_ADD_TEST(s, test_gaps);
	CU_ADD_TEST(s, test_think);
}
