/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/verify: what is wrong on disk is found and named. */
#include "core/io/verify.h"
#include "tests/unit/io_script.h"

void test_io_verify(void);

/* Of test_plugin_engines.c. */
extern const struct fstrial_plugin fstrial_plugin_io_test_psync;

static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
static const struct fstrial_plugin with_done = PLAN_WORKLOAD(.version = "1", .done = plan_done);

static void test_crc(void)
{
	static const char digits[] = "123456789";
	unsigned char buf[300];

	CU_ASSERT_EQUAL(verify_crc32c(0, digits, 9), 0xe3069283);
	CU_ASSERT_EQUAL(verify_crc32c_table(0, digits, 9), 0xe3069283);
	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = (unsigned char)(i * 7 + i / 3);
	for (size_t n = 0; n < sizeof(buf); n++)
		CU_ASSERT_EQUAL(verify_crc32c(0, buf, n), verify_crc32c_table(0, buf, n));
	/* In two parts. */
	CU_ASSERT_EQUAL(verify_crc32c(verify_crc32c(0, digits, 4), digits + 4, 5), 0xe3069283);
}

static void start(struct io_host *h, const struct plan *p)
{
	io_host_init(h, &plain, &fstrial_plugin_io_test_psync, p);
	h->p.verify = IO_VERIFY_CRC32C;
	h->p.do_verify = true;
	h->p.bs = 8192;
}

/* Written, checked at the end, and read by a later step with other blocks. */
static void test_good(void)
{
	struct plan write = { .n = 16, .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
	struct plan read = { .n = 16, .op = FST_IO_READ, .mode = FST_FILE_READ };
	struct io_host h;

	start(&h, &write);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	/* Each of 8 blocks twice. */
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.verified_bytes"), 65536);
	h.ctx.cfg = &read;
	h.ctx.seed = 8;
	h.p.bs = 4096;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.verified_bytes"), 0);
	h.p.bs = 65536;
	read.n = 1;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	h.p.do_verify = false;
	h.ctx.cfg = &write;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.verified_bytes"), 0);
	h.p.verify = IO_VERIFY_NONE;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "data.verified_bytes")));
	io_host_free(&h);
}

/* Files that are laid out carry headers, and so does what is written back after a read. */
static void test_laid_out(void)
{
	struct plan p = {
		.n = 8, .op = FST_IO_READ, .mode = FST_FILE_OVERWRITE, .then_write = true
	};
	struct io_host h;

	start(&h, &p);
	h.wl.desc = &with_done;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.verified_bytes"), 65536);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.write.count"), 8);
	io_host_free(&h);
}

static void damage(struct io_host *h, off_t at, const void *with, size_t n)
{
	char path[512];
	int fd = open(io_host_path(h, "data.0.0", path, sizeof(path)), O_RDWR | O_CLOEXEC);

	CU_ASSERT_TRUE(fd >= 0);
	CU_ASSERT_EQUAL(pwrite(fd, with, n, at), (ssize_t)n);
	close(fd);
}

static void test_damaged(void)
{
	struct plan write = { .n = 8, .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
	struct plan read = { .n = 8, .op = FST_IO_READ, .mode = FST_FILE_READ };
	static char zeros[4096];
	char path[512], block[4096];
	struct io_host h;
	int fd;

	start(&h, &write);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	h.ctx.cfg = &read;
	fd = open(io_host_path(&h, "data.0.0", path, sizeof(path)), O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(pread(fd, block, sizeof(block), 12288), 4096);
	close(fd);

	/* A flipped byte. */
	block[100] ^= 1;
	damage(&h, 12288, block, sizeof(block));
	CU_ASSERT_EQUAL(io_host_run(&h), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "verify: data.0.0 at offset 12288: crc32c of the "
						  "data is wrong: expected 0x"));
	/* A block in the wrong place. */
	block[100] ^= 1;
	damage(&h, 12288, block, sizeof(block));
	damage(&h, 20480, block, sizeof(block));
	CU_ASSERT_EQUAL(io_host_run(&h), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "verify: data.0.0 at offset 20480: header of "
						  "another offset: expected 0x5000, found 0x3000"));
	/* Lost. */
	damage(&h, 20480, zeros, sizeof(zeros));
	CU_ASSERT_EQUAL(io_host_run(&h), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "offset 20480: no header of a block"));
	/* What was measured before stays. */
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.read.count"), 3);
	CU_ASSERT_TRUE(json_is_true(io_host_at(&h, "measured.partial")));
	io_host_free(&h);
}

/* The pass at the end knows how often each block was written. */
static void test_stale(void)
{
	struct io_params p = { .bs = 4096, .size = 16384, .nrfiles = 1, .iodepth = 1 };
	struct verify v;
	struct io_files f;
	struct err e = { 0 };
	struct io_host h;
	char block[4096] = { 0 }, old[4096];
	const int stop = 0;
	uint64_t bytes = 0;

	io_host_init(&h, &plain, &fstrial_plugin_io_test_psync, NULL);
	CU_ASSERT_EQUAL(files_init(&f, h.dir, &p, &e), 0);
	CU_ASSERT_EQUAL(files_add_set(&f, &p, 1, FST_FILE_CREATE, &e), 0);
	close(files_open_one(&f, "data.0.0", O_RDWR | O_CREAT, &e));
	verify_init(&v, &f, &p, 5);
	verify_fill(&v, 0, 4096, block, sizeof(block));
	memcpy(old, block, sizeof(old));
	verify_fill(&v, 0, 4096, block, sizeof(block));
	damage(&h, 4096, block, sizeof(block));
	CU_ASSERT_EQUAL(verify_pass(&v, &stop, &bytes, &e), 0);
	CU_ASSERT_EQUAL(bytes, 4096);
	damage(&h, 4096, old, sizeof(old));
	CU_ASSERT_EQUAL(verify_pass(&v, &stop, &bytes, &e), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(e.text,
			       "verify: data.0.0 at offset 4096: stale: an earlier write of "
			       "the block: expected 0x2, found 0x1");
	err_clear(&e);
	/* Never written out at all. */
	verify_fill(&v, 0, 8192, block, sizeof(block));
	damage(&h, 4096, block, 0);
	v.v[0].written[1] = 0;
	CU_ASSERT_EQUAL(verify_pass(&v, &stop, &bytes, &e), -EIO);
	/* What was trimmed meanwhile, and what is just before it. */
	err_clear(&e);
	verify_forget(&v, 0, 8192, 4096);
	CU_ASSERT_EQUAL(verify_pass(&v, &stop, &bytes, &e), 0);
	verify_release(&v);
	files_release(&f);
	io_host_free(&h);
}

static void test_block(void)
{
	struct io_params p = { .bs = 1 << 20 };

	CU_ASSERT_EQUAL(verify_block(&p), 4096);
	p.offset = 512;
	CU_ASSERT_EQUAL(verify_block(&p), 512);
	p = (struct io_params){ .n_shares = 2, .shares = { { .bs = 6144 }, { .bs = 8192 } } };
	CU_ASSERT_EQUAL(verify_block(&p), 2048);
}

void test_io_verify(void)
{
	CU_pSuite s = CU_add_suite("io verify", NULL, NULL);

	CU_ADD_TEST(s, test_crc);
	CU_ADD_TEST(s, test_good);
	CU_ADD_TEST(s, test_laid_out);
	CU_ADD_TEST(s, test_damaged);
	CU_ADD_TEST(s, test_stale);
	CU_ADD_TEST(s, test_block);
}
