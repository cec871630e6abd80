/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine libaio on a real file. */
#include "tests/unit/engine_bench.h"

void test_engine_libaio(void);

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

static void test_many(void)
{
	struct engine_bench b;

	engine_bench_init(&b, engine, NULL, ENGINE_DEPTH);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	engine_many(&b);
	engine_bench_free(&b);
}

static void test_full(void)
{
	engine_full(engine);
}

static void test_probe(void)
{
	struct engine_bench b;

	engine_bench_init(&b, engine, NULL, 8);
	CU_ASSERT_EQUAL(engine->probe(&b.h->ctx), 0);
	CU_ASSERT_EQUAL(b.h->warnings.n, 1); /* buffered, with a depth */
	b.options.direct = true;
	CU_ASSERT_EQUAL(engine->probe(&b.h->ctx), 0);
	CU_ASSERT_EQUAL(b.h->warnings.n, 1);
	engine_bench_free(&b);
}

void test_engine_libaio(void)
{
	CU_pSuite s = CU_add_suite("engine/libaio", NULL, NULL);

	engine = engine_load("libaio");
	if (!engine) {
		fprintf(stderr, "engine libaio was not built: not tested\n");
		return;
	}
	CU_ADD_TEST(s, test_basics);
	CU_ADD_TEST(s, test_many);
	CU_ADD_TEST(s, test_full);
	CU_ADD_TEST(s, test_probe);
}
