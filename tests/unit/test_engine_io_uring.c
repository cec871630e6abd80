/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine io_uring on a real file. */
#include <pthread.h>

#include "tests/unit/engine_bench.h"

void test_engine_io_uring(void);

static const struct fstrial_plugin *engine;

/* Is there one at all? Containers forbid it. */
static bool allowed(void)
{
	struct engine_bench b;
	bool yes;

	engine_bench_init(&b, engine, NULL, 1);
	yes = engine->probe(&b.h->ctx) != -EOPNOTSUPP;
	if (!yes)
		fprintf(stderr, "not tested: %s\n", b.h->error);
	engine_bench_free(&b);
	return yes;
}

/* In all the ways that there are to hand over buffers and files. */
static const char *const ways[] = {
	NULL,
	"fixedbufs=false",
	"registerfiles=false",
	"fixedbufs=false;registerfiles=false",
	"sqthread_poll=true",
};

static void test_basics(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct engine_bench b;

		engine_bench_init(&b, engine, ways[i], 1);
		CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
		engine_basics(&b);
		engine_no_file(&b);
		CU_ASSERT_EQUAL(engine_do(&b, 77, 0, 0, ENGINE_BS), -EOPNOTSUPP);
		CU_ASSERT_EQUAL(b.h->warnings.n, 0);
		engine_bench_free(&b);
	}
}

static void test_many(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct engine_bench b;

		engine_bench_init(&b, engine, ways[i], ENGINE_DEPTH);
		CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
		engine_many(&b);
		engine_bench_free(&b);
	}
}

static void *spin(void *stop)
{
	while (!__atomic_load_n((const bool *)stop, __ATOMIC_RELAXED))
		;
	return NULL;
}

/* The kernel's thread may be stopped when it has done an I/O, and not yet said that its place is free. */
static void test_poll_crowded(void)
{
	enum { SPINNERS = 4, READS = 2000 };
	pthread_t id[SPINNERS];
	struct engine_bench b;
	static bool stop; /* a fatal failure leaves this function, and the threads */

	engine_bench_init(&b, engine, "sqthread_poll=true", 1);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	for (size_t i = 0; i < SPINNERS; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&id[i], NULL, spin, &stop), 0);
	for (size_t i = 0; i < READS; i++)
		CU_ASSERT_EQUAL(engine_do(&b, FST_IO_READ, 0, 0, ENGINE_BS), ENGINE_BS);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (size_t i = 0; i < SPINNERS; i++)
		pthread_join(id[i], NULL);
	engine_bench_free(&b);
}

static void test_full(void)
{
	engine_full(engine);
}

/* An empty pipe is read: it completes when something is in it, later than all behind it. */
static void test_out_of_order(void)
{
	struct fst_io *done[2] = { NULL, NULL };
	struct engine_bench b;
	int p[2];

	engine_bench_init(&b, engine, "fixedbufs=false", 4);
	CU_ASSERT_EQUAL_FATAL(pipe2(p, O_CLOEXEC), 0);
	close(b.files[2].fd);
	b.files[2].fd = p[0];
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	for (uint32_t i = 0; i < 2; i++) {
		b.io[i].file = i ? 0 : 2;
		b.io[i].offset = i ? ENGINE_BS : (uint64_t)-1;
		b.io[i].length = i ? ENGINE_BS : 4;
		CU_ASSERT_EQUAL_FATAL(b.ops->queue(&b.e, &b.io[i]), 0);
	}
	CU_ASSERT_TRUE(b.ops->submit(&b.e) >= 0);
	CU_ASSERT_EQUAL_FATAL(b.ops->reap(&b.e, 1, done, 4), 1);
	CU_ASSERT_PTR_EQUAL(done[0], &b.io[1]);
	CU_ASSERT_EQUAL(b.io[1].result, ENGINE_BS);
	CU_ASSERT_EQUAL(write(p[1], "abcd", 4), 4);
	CU_ASSERT_EQUAL_FATAL(b.ops->reap(&b.e, 1, done, 4), 1);
	CU_ASSERT_PTR_EQUAL(done[0], &b.io[0]);
	CU_ASSERT_EQUAL(b.io[0].result, 4);
	CU_ASSERT_EQUAL(memcmp(b.buf, "abcd", 4), 0);
	close(p[1]);
	engine_bench_free(&b);
}

static void test_check(void)
{
	static const struct engine_check cases[] = {
		{ .params = NULL },
		{ .params = "hipri=true", .direct = true },
		{ .params = "hipri=true", .error = "direct = true is needed" },
		{ .params = "sqthread_poll=true;sqthread_poll_cpu=0" },
		{ .params = "sqthread_poll_cpu=1", .error = "sqthread_poll = true is needed" },
	};

	engine_checks(engine, cases, ARRAY_SIZE(cases));
}

static void test_probe(void)
{
	engine_probes_poll(engine);
}

void test_engine_io_uring(void)
{
	CU_pSuite s = CU_add_suite("engine/io_uring", NULL, NULL);

	engine = engine_load("io_uring");
	if (!engine) {
		fprintf(stderr, "engine io_uring was not built: not tested\n");
		return;
	}
	if (!allowed())
		return;
	CU_ADD_TEST(s, test_basics);
	CU_ADD_TEST(s, test_many);
	CU_ADD_TEST(s, test_poll_crowded);
	CU_ADD_TEST(s, test_full);
	CU_ADD_TEST(s, test_out_of_order);
	CU_ADD_TEST(s, test_check);
	CU_ADD_TEST(s, test_probe);
}
