/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine io_uring on a real file. */
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

/* More than the depth is not taken. */
static void test_full(void)
{
	struct fst_io more = { .op = FST_IO_READ, .length = ENGINE_BS }, *done[ENGINE_DEPTH];
	struct engine_bench b;

	engine_bench_init(&b, engine, NULL, 4);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	more.buf = b.buf;
	for (uint32_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(b.ops->queue(&b.e, &b.io[i]), 0);
	CU_ASSERT_EQUAL(b.ops->queue(&b.e, &more), -EAGAIN);
	CU_ASSERT_TRUE(b.ops->submit(&b.e) >= 0);
	for (int left = 4, r; left; left -= r) {
		r = b.ops->reap(&b.e, 1, done, 4);
		CU_ASSERT_TRUE_FATAL(r > 0 && r <= left);
	}
	engine_bench_free(&b);
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

/* Parameters against each other, and against those of the core. */
static void test_check(void)
{
	static const struct {
		const char *params;
		bool direct;
		const char *error; /* part of it; NULL: fine */
	} cases[] = {
		{ NULL, false, NULL },
		{ "hipri=true", true, NULL },
		{ "hipri=true", false, "direct = true is needed" },
		{ "sqthread_poll=true;sqthread_poll_cpu=0", false, NULL },
		{ "sqthread_poll_cpu=1", false, "sqthread_poll = true is needed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct engine_bench b;

		engine_bench_init(&b, engine, cases[i].params, 1);
		b.options.direct = cases[i].direct;
		CU_ASSERT_EQUAL(engine->check(&b.h->ctx), cases[i].error ? -EINVAL : 0);
		CU_ASSERT_TRUE(!cases[i].error ||
			       (b.h->error && strstr(b.h->error, cases[i].error)));
		engine_bench_free(&b);
	}
}

/* A device without poll queues would quietly be driven by interrupts. */
static void test_probe(void)
{
	static const char *const params[] = { "hipri=false", "hipri=true" };
	char dir[] = "/tmp/fstrial-test-XXXXXX", path[64];
	struct err e = { 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/queue", dir);
	CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/queue/io_poll", dir);
	for (int hipri = 0; hipri < 2; hipri++) {
		for (int polls = 0; polls < 2; polls++) {
			int refused = hipri && !polls;
			struct engine_bench b;
			FILE *f = fopen(path, "w");

			CU_ASSERT_PTR_NOT_NULL_FATAL(f);
			fprintf(f, "%d\n", polls);
			fclose(f);
			engine_bench_init(&b, engine, params[hipri], 1);
			b.h->ctx.sysfs = dir;
			CU_ASSERT_EQUAL(engine->probe(&b.h->ctx), refused ? -EOPNOTSUPP : 0);
			CU_ASSERT_EQUAL(b.h->error != NULL, refused);
			engine_bench_free(&b);
		}
	}
	CU_ASSERT_EQUAL(dir_remove_tree(dir, &e), 0);
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
	CU_ADD_TEST(s, test_full);
	CU_ADD_TEST(s, test_out_of_order);
	CU_ADD_TEST(s, test_check);
	CU_ADD_TEST(s, test_probe);
}
