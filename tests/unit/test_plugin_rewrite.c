/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload rewrite: what it asks for, and that the blocks of real files do change. */
#define FSTRIAL_STATIC io_test_rewrite
#include "plugins/workload/rewrite.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC io_test_rewrite_psync
#include "plugins/engine/psync.c"

#include "tests/unit/io_script.h"
#include "tests/unit/io_tally.h"

void test_plugin_rewrite(void);

#define REWRITE (&fstrial_plugin_io_test_rewrite)
#define PSYNC (&fstrial_plugin_io_test_rewrite_psync)

/* Each block is read, then written to where it was read from. */
static void test_order(void)
{
	static const struct {
		uint64_t size, nrfiles, loops, offset;
		int service;
		const char *want;
	} cases[] = {
		{ 8, 1, 1, 0, 0, "r0:0+4 w0:0+4 r0:4+4 w0:4+4 " },
		{ 6, 1, 2, 8, 0, "r0:8+4 w0:8+4 r0:12+2 w0:12+2 r0:8+4 w0:8+4 r0:12+2 w0:12+2 " },
		{ 12, 2, 1, 0, FST_ROUNDROBIN_FILES,
		  "r0:0+4 w0:0+4 r1:0+4 w1:0+4 r0:4+2 w0:4+2 r1:4+2 w1:4+2 " },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		char got[512];
		struct io_host h;
		struct tally t;

		tally_init(&t, &h, REWRITE, NULL, 100);
		h.p.bs = 4;
		h.p.size = cases[c].size;
		h.p.nrfiles = cases[c].nrfiles;
		h.p.loops = cases[c].loops;
		h.p.offset = cases[c].offset;
		h.p.file_service_type = cases[c].service;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		tally_text(&t, got, sizeof(got));
		CU_ASSERT_STRING_EQUAL(got, cases[c].want);
		/* Counted once. */
		CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), cases[c].size * cases[c].loops);
		CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"), t.n / 2);
		tally_free(&t, &h);
	}
}

/* Several in flight, completed in any order: still every block once, each write behind its read. */
static void test_depth(void)
{
	static const struct fstrial_plugin engine = SCRIPT_ENGINE(&script_nofile_ops);
	struct script s = { .log = calloc(SCRIPT_LOG, sizeof(struct fst_io)),
			    .newest_first = true };
	uint8_t state[1000] = { 0 };
	uint64_t wrong = 0;
	struct io_host h;

	io_host_init(&h, REWRITE, &engine, NULL);
	h.wl.engine_cfg = &s;
	h.p.iodepth = 16;
	h.p.size = 1000 * 4096;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(s.n, 2000);
	CU_ASSERT_EQUAL(s.max_inflight, 16);
	for (uint64_t i = 0; i < 2000; i++)
		wrong += state[s.log[i].offset / 4096]++ != (s.log[i].op == FST_IO_WRITE);
	CU_ASSERT_EQUAL(wrong, 0);
	free(s.log);
	io_host_free(&h);
}

static char *slurp(const struct io_host *h, const char *name, size_t size)
{
	char path[512], *buf = calloc(1, size + 1);
	FILE *f = fopen(io_host_path(h, name, path, sizeof(path)), "r");

	if (f) {
		CU_ASSERT_EQUAL(fread(buf, 1, size + 1, f), size);
		fclose(f);
	}
	return buf;
}

/* In each 4 KiB one byte is another than before, and all else is what it was. */
static void test_content(void)
{
	enum { SIZE = 300000 };
	uint64_t wrong = 0;
	char *before, *after;
	struct io_host h;

	io_host_init(&h, REWRITE, PSYNC, NULL);
	h.p.size = SIZE;
	h.p.bs = 16384;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), SIZE);
	before = slurp(&h, "data.0.0", SIZE);
	h.p.fdatasync = 4;
	h.p.end_fsync = true;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	after = slurp(&h, "data.0.0", SIZE);
	for (size_t i = 0; i < SIZE; i++)
		wrong += (before[i] != after[i]) != (i % 4096 == 0);
	CU_ASSERT_EQUAL(wrong, 0);
	free(before);
	free(after);
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), 0);
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.bytes"), SIZE);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.load.count"), 19);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.write.count"), 19);
	CU_ASSERT_EQUAL(io_host_u64(&h, "latency.sync.count"), 5);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.load_p50.value") > 0);
	CU_ASSERT_TRUE(io_host_real(&h, "metrics.write_mean.value") > 0);
	io_host_free(&h);
}

static void test_estimate(void)
{
	struct fst_estimate est = { .struct_size = sizeof(est) };
	struct io_host h;

	io_host_init(&h, REWRITE, PSYNC, NULL);
	h.ctx.nworkers = 2;
	h.options = io_options_of(&h.p, &h.opt);
	h.ctx.io = &h.options;
	CU_ASSERT_EQUAL(REWRITE->estimate(&h.ctx, &est), 0);
	CU_ASSERT_EQUAL(est.bytes_read, 2 * 65536);
	CU_ASSERT_EQUAL(est.bytes_written, 2 * 65536);
	CU_ASSERT_EQUAL(est.files, 2);
	CU_ASSERT_EQUAL(REWRITE->check(&h.ctx), 0);
	h.options.bs = 1 << 20;
	CU_ASSERT_EQUAL(REWRITE->check(&h.ctx), -EINVAL);
	io_host_free(&h);
}

void test_plugin_rewrite(void)
{
	CU_pSuite s = CU_add_suite("plugin/rewrite", NULL, NULL);

	CU_ADD_TEST(s, test_order);
	CU_ADD_TEST(s, test_depth);
	CU_ADD_TEST(s, test_content);
	CU_ADD_TEST(s, test_estimate);
}
