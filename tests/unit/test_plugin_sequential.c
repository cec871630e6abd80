/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload sequential: the exact order of its I/Os, and real files through psync. */
#define FSTRIAL_STATIC io_test_sequential
#include "plugins/workload/sequential.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC io_test_seq_psync
#include "plugins/engine/psync.c"

#include "tests/unit/io_script.h"

void test_plugin_sequential(void);

#define SEQUENTIAL (&fstrial_plugin_io_test_sequential)
#define PSYNC (&fstrial_plugin_io_test_seq_psync)

static const struct fstrial_plugin script_engine = SCRIPT_ENGINE(&script_nofile_ops);

/* File, offset and length of each I/O of one worker. */
static void test_order(void)
{
	static const struct {
		uint64_t size, bs, nrfiles, loops;
		int service;
		const char *want; /* file:offset+length */
	} cases[] = {
		{ 10, 5, 1, 1, FST_SEQUENTIAL_FILES, "0:0+5 0:5+5 " },
		{ 12, 5, 1, 1, FST_SEQUENTIAL_FILES, "0:0+5 0:5+5 0:10+2 " },
		{ 12, 5, 1, 2, FST_SEQUENTIAL_FILES, "0:0+5 0:5+5 0:10+2 0:0+5 0:5+5 0:10+2 " },
		{ 20, 5, 2, 1, FST_SEQUENTIAL_FILES, "0:0+5 0:5+5 1:0+5 1:5+5 " },
		{ 20, 5, 2, 1, FST_ROUNDROBIN_FILES, "0:0+5 1:0+5 0:5+5 1:5+5 " },
		{ 21, 5, 3, 2, FST_ROUNDROBIN_FILES,
		  "0:0+5 1:0+5 2:0+5 0:5+2 1:5+2 2:5+2 "
		  "0:0+5 1:0+5 2:0+5 0:5+2 1:5+2 2:5+2 " },
		{ 14, 7, 2, 2, FST_SEQUENTIAL_FILES, "0:0+7 1:0+7 0:0+7 1:0+7 " },
		{ 5, 5, 1, 3, FST_ROUNDROBIN_FILES, "0:0+5 0:0+5 0:0+5 " },
		{ 5, 5, 1, 0, FST_SEQUENTIAL_FILES, "0:0+5 " },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		struct sequential_config cfg = { .rw = SEQUENTIAL_READ };
		struct script s = { .log = calloc(SCRIPT_LOG, sizeof(struct fst_io)) };
		char got[512] = "";
		struct io_host h;

		io_host_init(&h, SEQUENTIAL, &script_engine, &cfg);
		h.wl.engine_cfg = &s;
		h.p.size = cases[c].size;
		h.p.bs = cases[c].bs;
		h.p.nrfiles = cases[c].nrfiles;
		h.p.loops = cases[c].loops;
		h.p.file_service_type = cases[c].service;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		for (uint64_t i = 0; i < s.n; i++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%u:%llu+%llu ",
				 s.log[i].file, (unsigned long long)s.log[i].offset,
				 (unsigned long long)s.log[i].length);
		CU_ASSERT_STRING_EQUAL(got, cases[c].want);
		free(s.log);
		io_host_free(&h);
	}
}

static void test_check(void)
{
	static const struct {
		uint64_t size, bs, nrfiles;
		const char *text;
	} cases[] = {
		{ 8192, 4096, 2, "" },
		{ 8192, 4096, 3,
		  "bs = 4096 bytes does not fit into a file of size / nrfiles = 2730 bytes" },
		{ 0, 4096, 1, "size, bs and nrfiles must be at least 1" },
		{ 4096, 0, 1, "size, bs and nrfiles must be at least 1" },
		{ 4096, 4096, 0, "size, bs and nrfiles must be at least 1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sequential_config cfg = { .rw = SEQUENTIAL_READ };
		struct io_host h;

		io_host_init(&h, SEQUENTIAL, PSYNC, &cfg);
		h.p.size = cases[i].size;
		h.p.bs = cases[i].bs;
		h.p.nrfiles = cases[i].nrfiles;
		h.options = io_options_of(&h.p, &h.opt);
		h.ctx.io = &h.options;
		CU_ASSERT_EQUAL(SEQUENTIAL->check(&h.ctx), *cases[i].text ? -EINVAL : 0);
		CU_ASSERT_STRING_EQUAL(h.err.text, cases[i].text);
		io_host_free(&h);
	}
}

static void test_estimate(void)
{
	struct sequential_config cfg = { .rw = SEQUENTIAL_WRITE };
	struct fst_estimate est = { .struct_size = sizeof(est) };
	struct io_host h;

	io_host_init(&h, SEQUENTIAL, PSYNC, &cfg);
	h.ctx.nworkers = 3;
	h.p.loops = 2;
	h.p.nrfiles = 4;
	h.options = io_options_of(&h.p, &h.opt);
	h.ctx.io = &h.options;
	CU_ASSERT_EQUAL(SEQUENTIAL->estimate(&h.ctx, &est), 0);
	CU_ASSERT_EQUAL(est.bytes_written, 3 * 2 * 65536);
	CU_ASSERT_EQUAL(est.bytes_read, 0);
	CU_ASSERT_EQUAL(est.files, 12);
	io_host_free(&h);
}

/* A read reads what the write before it wrote. */
static void test_write_then_read(void)
{
	struct sequential_config cfg = { .rw = SEQUENTIAL_WRITE };
	char path[512];
	struct stat st;
	struct io_host h;

	io_host_init(&h, SEQUENTIAL, PSYNC, &cfg);
	h.ctx.nworkers = 2;
	h.p.size = (1 << 20) + 2000;
	h.p.nrfiles = 2;
	h.p.bs = 65536;
	h.p.end_fsync = true;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 2 * ((1 << 20) + 2000));
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"), 2 * 18);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.sync.count"), 4);
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "data.cache"), "written");
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "data.resident_before")));
	CU_ASSERT_EQUAL(stat(io_host_path(&h, "data.1.1", path, sizeof(path)), &st), 0);
	CU_ASSERT_EQUAL(st.st_size, (1 << 19) + 1000);
	cfg.rw = SEQUENTIAL_READ;
	h.p.loops = 3;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 3 * 2 * ((1 << 20) + 2000));
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "data.cache"), "cached");
	/* The last page of a file counts only where all its blocks were written. */
	CU_ASSERT_TRUE(io_host_real(&h, "data.resident_before") > 0.95);
	CU_ASSERT_TRUE(io_host_warned(&h, "reads from the page cache: "));
	io_host_free(&h);
}

/* With a runtime the files are gone through again and again, and never grow. */
static void test_time_based(void)
{
	struct sequential_config cfg = { .rw = SEQUENTIAL_WRITE };
	char path[512];
	struct stat st;
	struct io_host h;

	io_host_init(&h, SEQUENTIAL, PSYNC, &cfg);
	h.opt.runtime_ns = 50000000;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_TRUE(io_host_u64(&h, "measured.bytes") > 65536);
	CU_ASSERT_TRUE(io_host_u64(&h, "measured.elapsed_ns") >= 50000000);
	CU_ASSERT_EQUAL(stat(io_host_path(&h, "data.0.0", path, sizeof(path)), &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 65536);
	h.p.time_based = false;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 65536);
	io_host_free(&h);
}

/* In place: the file stays the same one. */
static void test_overwrite(void)
{
	struct sequential_config cfg = { .rw = SEQUENTIAL_WRITE };
	char path[512];
	struct stat a, b;
	struct io_host h;

	io_host_init(&h, SEQUENTIAL, PSYNC, &cfg);
	h.p.overwrite = true;
	h.p.fdatasync = 8;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), 65536);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.sync.count"), 2);
	CU_ASSERT_EQUAL(stat(io_host_path(&h, "data.0.0", path, sizeof(path)), &a), 0);
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(stat(path, &b), 0);
	CU_ASSERT_EQUAL(a.st_ino, b.st_ino);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), 0);
	io_host_free(&h);
}

/* Either it works, or the step says why before it starts. */
static void test_direct(void)
{
	struct sequential_config cfg = { .rw = SEQUENTIAL_WRITE };
	struct io_host h;
	int r;

	io_host_init(&h, SEQUENTIAL, PSYNC, &cfg);
	h.p.direct = true;
	r = io_host_run(&h);
	if (r == 0) {
		CU_ASSERT_STRING_EQUAL(io_host_str(&h, "data.cache"), "direct");
		CU_ASSERT_STRING_EQUAL(io_host_str(&h, "measured.sync_boundary"), "direct");
		cfg.rw = SEQUENTIAL_READ;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		h.p.bs = 1000;
		if (io_host_run(&h)) /* tmpfs takes anything */
			CU_ASSERT_PTR_NOT_NULL(
				strstr(h.err.text, "bs = 1000B: direct I/O on data.0.0 "));
	} else {
		CU_ASSERT_EQUAL(r, -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(
			strstr(h.err.text, "direct = true: this file system has no direct I/O"));
	}
	io_host_free(&h);
}

/* A stdio stream: the same I/Os and the same data as by blocks. */
static void test_char(void)
{
	struct sequential_config cfg = { .rw = SEQUENTIAL_WRITE, .unit = SEQUENTIAL_CHAR };
	struct io_host h;

	io_host_init(&h, SEQUENTIAL, PSYNC, &cfg);
	h.p.size = (1 << 20) + 1000;
	h.p.bs = 256 << 10;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), (1 << 20) + 1000);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.write.count"), 5);
	CU_ASSERT_PTR_NOT_NULL(io_host_at(&h, "notes.cpu_bound"));
	cfg.rw = SEQUENTIAL_READ;
	h.p.loops = 2;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), 2 * ((1 << 20) + 1000));
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), 0);
	h.options = io_options_of(&h.p, &h.opt);
	h.options.iodepth = 2;
	h.ctx.io = &h.options;
	CU_ASSERT_EQUAL(SEQUENTIAL->check(&h.ctx), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "iodepth = 2 is not possible"));
	io_host_free(&h);
}

/* Each byte passes through once and stays what it was; zeros stay zeros. */
static void test_char_bytes(void)
{
	unsigned char before[1000], buf[1000];

	for (size_t i = 0; i < sizeof(buf); i++)
		before[i] = buf[i] = (unsigned char)(i * 7);
	sequential_put(buf, 0);
	sequential_put(buf, sizeof(buf));
	sequential_get(buf, sizeof(buf));
	CU_ASSERT_EQUAL(memcmp(before, buf, sizeof(buf)), 0);
}

/* What stands in the place of a data file and is none is neither followed nor replaced. */
static void test_errors(void)
{
	struct sequential_config cfg = { .rw = SEQUENTIAL_READ };
	char path[512];
	struct io_host h;

	io_host_init(&h, SEQUENTIAL, PSYNC, &cfg);
	CU_ASSERT_EQUAL(symlink("/dev/full", io_host_path(&h, "data.0.0", path, sizeof(path))), 0);
	CU_ASSERT_EQUAL(io_host_run(&h), -ELOOP);
	CU_ASSERT_STRING_EQUAL(h.err.text, "data.0.0 is a symbolic link, not a data file of ours");
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	cfg.rw = SEQUENTIAL_WRITE;
	CU_ASSERT_EQUAL(io_host_run(&h), -EINVAL);
	CU_ASSERT_STRING_EQUAL(h.err.text, "data.0.0 is not a regular file");
	io_host_free(&h);
}

void test_plugin_sequential(void)
{
	CU_pSuite s = CU_add_suite("plugin/sequential", NULL, NULL);

	CU_ADD_TEST(s, test_order);
	CU_ADD_TEST(s, test_check);
	CU_ADD_TEST(s, test_estimate);
	CU_ADD_TEST(s, test_write_then_read);
	CU_ADD_TEST(s, test_time_based);
	CU_ADD_TEST(s, test_overwrite);
	CU_ADD_TEST(s, test_direct);
	CU_ADD_TEST(s, test_char);
	CU_ADD_TEST(s, test_char_bytes);
	CU_ADD_TEST(s, test_errors);
}
