/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine mmap on a real file. */
#include "tests/unit/engine_bench.h"

void test_engine_mmap(void);

static const struct fstrial_plugin *engine;

static void test_basics(void)
{
	struct engine_bench b;

	engine_bench_init(&b, engine, NULL, 1);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	engine_basics(&b);
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_READ, 1, 0, ENGINE_BS), 0);
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_WRITE, 1, 0, ENGINE_BS), -EFBIG);
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_FSYNC, 1, 0, 0), -EBADF);
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_FDATASYNC, 1, 0, 0), -EBADF);
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_TRIM, 1, 0, ENGINE_BS), -EBADF);
	CU_ASSERT_EQUAL(engine_do(&b, 77, 0, 0, ENGINE_BS), -EOPNOTSUPP);
	/* Never behind the end, where there is no page. */
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_WRITE, 0, ENGINE_SIZE - 8, ENGINE_BS), 8);
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_WRITE, 0, ENGINE_SIZE, ENGINE_BS), -EFBIG);
	engine_bench_free(&b);
}

/* A file that is to be written gets its size first. */
static void test_new_file(void)
{
	struct engine_bench b;
	struct stat st;

	engine_bench_init(&b, engine, NULL, 1);
	CU_ASSERT_EQUAL_FATAL(ftruncate(b.files[0].fd, 0), 0);
	CU_ASSERT_EQUAL_FATAL(engine_bench_open(&b), 0);
	CU_ASSERT_EQUAL(fstat(b.files[0].fd, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, ENGINE_SIZE);
	memset(b.buf, 'y', ENGINE_BS);
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_WRITE, 0, 63 * ENGINE_BS, ENGINE_BS), ENGINE_BS);
	CU_ASSERT_EQUAL(engine_do(&b, FST_IO_FDATASYNC, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(pread(b.files[2].fd, b.buf, 1, ENGINE_SIZE - 1), 1);
	CU_ASSERT_EQUAL(b.buf[0], 'y');
	engine_bench_free(&b);
}

static void test_check(void)
{
	static const struct engine_check cases[] = {
		{ .params = NULL },
		{ .direct = true, .error = "a mapped file is the page cache itself" },
		{ .sync = FST_SYNC_SYNC, .error = "fdatasync = 1" },
		{ .sync = FST_SYNC_DSYNC, .error = "fdatasync = 1" },
	};

	engine_checks(engine, cases, ARRAY_SIZE(cases));
}

void test_engine_mmap(void)
{
	CU_pSuite s = CU_add_suite("engine/mmap", NULL, NULL);

	engine = engine_load("mmap");
	if (!engine)
		abort();
	CU_ADD_TEST(s, test_basics);
	CU_ADD_TEST(s, test_new_file);
	CU_ADD_TEST(s, test_check);
}
