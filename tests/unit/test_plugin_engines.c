/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the engines psync and null, called as the core calls them. */
#define FSTRIAL_STATIC io_test_psync
#include "plugins/engine/psync.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC io_test_null
#include "plugins/engine/null.c"

#include "tests/unit/io_host.h"

void test_plugin_engines(void);

struct bench {
	char path[256];
	struct fst_engine_file files[2];
	struct fst_engine e;
	uint64_t state[8];
	char *buf;
};

static void bench_init(struct bench *b, uint32_t depth)
{
	const char *tmp = getenv("TMPDIR");

	memset(b, 0, sizeof(*b));
	snprintf(b->path, sizeof(b->path), "%s/fstrial-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	b->files[0].fd = mkostemp(b->path, O_CLOEXEC);
	b->files[1].fd = -1;
	if (b->files[0].fd < 0 || posix_memalign((void **)&b->buf, 4096, 65536))
		abort();
	memset(b->buf, 'x', 65536);
	b->e = (struct fst_engine){ .state = b->state,
				    .files = b->files,
				    .n_files = 2,
				    .depth = depth,
				    .buffers = b->buf,
				    .buffer_size = 4096 };
}

static void bench_free(struct bench *b)
{
	close(b->files[0].fd);
	unlink(b->path);
	free(b->buf);
}

static int64_t bench_io(struct bench *b, uint16_t op, uint32_t file, uint64_t offset,
			uint64_t length)
{
	struct fst_io io = {
		.op = op, .file = file, .offset = offset, .length = length, .buf = b->buf
	};

	CU_ASSERT_EQUAL(psync_ops.queue(&b->e, &io), 1);
	return io.result;
}

static void test_psync(void)
{
	struct bench b;
	struct stat st;
	int64_t r;

	bench_init(&b, 1);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_WRITE, 0, 4096, 4096), 4096);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_WRITE, 0, 12288, 4096), 4096);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_FSYNC, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_FDATASYNC, 0, 0, 0), 0);
	memset(b.buf, 0, 4096);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_READ, 0, 12288, 4096), 4096);
	CU_ASSERT_EQUAL(b.buf[4095], 'x');
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_READ, 0, 16284, 4096), 100); /* the end of the file */
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_READ, 0, 1 << 20, 4096), 0);
	r = bench_io(&b, FST_IO_TRIM, 0, 12288, 4096);
	CU_ASSERT_TRUE(r == 4096 || r == -EOPNOTSUPP);
	CU_ASSERT_EQUAL(fstat(b.files[0].fd, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 16384);
	if (r == 4096) {
		CU_ASSERT_EQUAL(bench_io(&b, FST_IO_READ, 0, 12288, 4096), 4096);
		CU_ASSERT_EQUAL(b.buf[0], 0);
	}
	bench_free(&b);
}

static void test_psync_errors(void)
{
	struct bench b;

	bench_init(&b, 1);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_READ, 1, 0, 4096), -EBADF);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_WRITE, 1, 0, 4096), -EBADF);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_FSYNC, 1, 0, 0), -EBADF);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_FDATASYNC, 1, 0, 0), -EBADF);
	CU_ASSERT_EQUAL(bench_io(&b, FST_IO_TRIM, 1, 0, 4096), -EBADF);
	CU_ASSERT_EQUAL(bench_io(&b, 77, 0, 0, 4096), -EOPNOTSUPP);
	bench_free(&b);
}

static void test_null_one(void)
{
	struct fst_io io = { .op = FST_IO_WRITE, .length = 4096 };
	struct bench b;

	bench_init(&b, 1);
	CU_ASSERT_EQUAL(null_ops.queue(&b.e, &io), 1);
	CU_ASSERT_EQUAL(io.result, 4096);
	io = (struct fst_io){ .op = FST_IO_FSYNC };
	CU_ASSERT_EQUAL(null_ops.queue(&b.e, &io), 1);
	CU_ASSERT_EQUAL(io.result, 0);
	bench_free(&b);
}

static void test_null_many(void)
{
	struct fst_io io[5] = { { .length = 4096 } }, *done[8];
	struct bench b;

	bench_init(&b, 5);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(io); i++) {
			io[i].length = 100 + i;
			CU_ASSERT_EQUAL(null_ops.queue(&b.e, &io[i]), 0);
		}
		memset(b.buf, 0xff, 5 * 4096); /* a workload may scribble over its buffers */
		CU_ASSERT_EQUAL(null_ops.submit(&b.e), 5);
		CU_ASSERT_EQUAL(null_ops.reap(&b.e, 1, done, 2), 2);
		CU_ASSERT_EQUAL(null_ops.reap(&b.e, 0, done + 2, 8), 3);
		CU_ASSERT_EQUAL(null_ops.reap(&b.e, 0, done + 5, 8), 0);
		for (size_t i = 0; i < ARRAY_SIZE(io); i++)
			CU_ASSERT_TRUE(done[i] == &io[i] && done[i]->result == (int64_t)(100 + i));
	}
	bench_free(&b);
}

static void test_descriptors(void)
{
	CU_ASSERT_EQUAL(fstrial_plugin_io_test_psync.kind, FST_ENGINE);
	CU_ASSERT_STRING_EQUAL(fstrial_plugin_io_test_psync.name, "psync");
	CU_ASSERT_EQUAL(psync_ops.flags, FST_ENGINE_SYNC);
	CU_ASSERT_EQUAL(fstrial_plugin_io_test_null.kind, FST_ENGINE);
	CU_ASSERT_STRING_EQUAL(fstrial_plugin_io_test_null.name, "null");
	CU_ASSERT_EQUAL(null_ops.flags, FST_ENGINE_NO_FILES);
}

void test_plugin_engines(void)
{
	CU_pSuite s = CU_add_suite("plugin/engines", NULL, NULL);

	CU_ADD_TEST(s, test_psync);
	CU_ADD_TEST(s, test_psync_errors);
	CU_ADD_TEST(s, test_null_one);
	CU_ADD_TEST(s, test_null_many);
	CU_ADD_TEST(s, test_descriptors);
}
