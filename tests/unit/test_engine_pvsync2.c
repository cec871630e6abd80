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

static void test_check(void)
{
	static const struct engine_check cases[] = {
		{ .params = NULL },
		{ .direct = true },
		{ .params = "hipri=true", .direct = true },
		{ .params = "hipri=true", .error = "direct = true is needed" },
		{ .params = "uncached=true;nowait=true;rwf_sync=sync" },
		{ .params = "uncached=true", .direct = true, .error = "goes past it" },
	};

	engine_checks(engine, cases, ARRAY_SIZE(cases));
}

static void test_probe(void)
{
	engine_probes_poll(engine);
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
