/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine pvsync2 on a real file. */
#include "tests/unit/engine_bench.h"

void test_engine_pvsync2(void);

static const struct fstrial_plugin *engine;

static void test_basics(void)
{
	struct engine_bench b;

	engine_bench_init(&b, engine, NULL, 1);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	engine_basics(&b);
	engine_no_file(&b);
	CU_ASSERT_EQUAL(engine_do(&b, 77, 0, 0, ENGINE_BS), -EOPNOTSUPP);
	engine_bench_free(&b);
}

static void test_flags(void)
{
	static const char *const syncs[] = { "rwf_sync=dsync", "rwf_sync=sync" };
	struct engine_bench b;

	for (size_t i = 0; i < ARRAY_SIZE(syncs); i++) {
		engine_bench_init(&b, engine, syncs[i], 1);
		CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
		engine_basics(&b);
		engine_bench_free(&b);
	}
}

/* What is in memory is had without waiting; what is not says so. */
static void test_nowait(void)
{
	struct engine_bench b;
	int64_t r;

	engine_bench_init(&b, engine, "nowait=true", 1);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	CU_ASSERT_EQUAL_FATAL(fsync(b.files[0].fd), 0);
	CU_ASSERT_EQUAL(pread(b.files[0].fd, b.buf, 10, 0), 10);
	r = engine_do(&b, FST_IO_READ, 0, 0, ENGINE_BS);
	CU_ASSERT_TRUE(r == ENGINE_BS || r == -EOPNOTSUPP);
	if (r == ENGINE_BS) {
		CU_ASSERT_EQUAL(posix_fadvise(b.files[0].fd, 0, 0, POSIX_FADV_DONTNEED), 0);
		r = engine_do(&b, FST_IO_READ, 0, 8 * ENGINE_BS, ENGINE_BS);
		CU_ASSERT_TRUE(r == ENGINE_BS || r == -EAGAIN);
	}
	if (r != ENGINE_BS) {
		CU_ASSERT_TRUE(b.h->error && strstr(b.h->error, "nowait = true"));
	}
	engine_bench_free(&b);
}

static void test_uncached(void)
{
	struct engine_bench b;
	int64_t r;

	engine_bench_init(&b, engine, "uncached=true", 1);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	r = engine_do(&b, FST_IO_READ, 0, 3 * ENGINE_BS, ENGINE_BS);
	CU_ASSERT_TRUE(r == ENGINE_BS || r == -EOPNOTSUPP);
	if (r == ENGINE_BS) {
		CU_ASSERT_EQUAL(engine_block(&b, 0), 3);
	} else {
		CU_ASSERT_TRUE(b.h->error && strstr(b.h->error, "uncached = true"));
	}
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
		{ NULL, true, NULL },
		{ "hipri=true", true, NULL },
		{ "hipri=true", false, "direct = true is needed" },
		{ "uncached=true;nowait=true;rwf_sync=sync", false, NULL },
		{ "uncached=true", true, "goes past it" },
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

void test_engine_pvsync2(void)
{
	CU_pSuite s = CU_add_suite("engine/pvsync2", NULL, NULL);

	engine = engine_load("pvsync2");
	if (!engine)
		abort();
	CU_ADD_TEST(s, test_basics);
	CU_ADD_TEST(s, test_flags);
	CU_ADD_TEST(s, test_nowait);
	CU_ADD_TEST(s, test_uncached);
	CU_ADD_TEST(s, test_check);
	CU_ADD_TEST(s, test_probe);
}
