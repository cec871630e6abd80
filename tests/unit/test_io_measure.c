/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/measure and workers with data workloads: what the record says. */
#include "tests/unit/io_script.h"

void test_io_measure(void);

static const struct fstrial_plugin engine = SCRIPT_ENGINE(&script_ops);
static const struct fstrial_plugin engine_nofile = SCRIPT_ENGINE(&script_nofile_ops);
static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");

/* Nobody begins before all are ready, and the window is one for all. */
static void test_common_start(void)
{
	struct plan p = { .n = 50 };
	struct script s = { .delay_ns = 2000000 };
	struct io_host h;
	uint64_t elapsed;

	io_host_init(&h, &plain, &engine_nofile, &p);
	h.ctx.nworkers = 4;
	CU_ASSERT_EQUAL(h.wl.engine_cfg == NULL, true);
	h.wl.engine_cfg = &s;
	h.p.iodepth = 1;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	elapsed = io_host_u64(&h, "measured.elapsed_ns");
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"), 200);
	CU_ASSERT_TRUE(elapsed >= 100000000);
	CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "metrics.throughput.value"),
			       200 * 4096 * 1e9 / (double)elapsed, 1);
	CU_ASSERT_TRUE(io_host_u64(&h, "measured.started_ns") + elapsed <= io_clock_ns());
	io_host_free(&h);
}

/* A worker's error names its own file. */
static void test_worker_error(void)
{
	struct plan p = { .n = 10, .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
	struct script s = { .fail_at = 1, .fail_with = EDQUOT };
	struct io_host h;

	io_host_init(&h, &plain, &engine, &p);
	h.wl.engine_cfg = &s;
	CU_ASSERT_EQUAL(io_host_run(&h), -EDQUOT);
	CU_ASSERT_STRING_EQUAL(h.err.text, "write data.0.0 at offset 0, 4096 bytes");
	CU_ASSERT_EQUAL(io_host_u64(&h, "measured.ops"), 0);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.throughput.value")));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "engine.depth_mean")));
	io_host_free(&h);
}

static void test_metrics_of_data(void)
{
	struct plan p = { .n = 1000 };
	struct script s = { 0 };
	struct io_host h;

	io_host_init(&h, &plain, &engine, &p);
	h.wl.engine_cfg = &s;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "metrics.read_rate.value"),
			       io_host_real(&h, "metrics.iops.value"), 1e-3);
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.read_p50.value"),
			io_host_real(&h, "latency.read.percentiles.50"));
	CU_ASSERT_EQUAL(io_host_real(&h, "metrics.read_p99.value"),
			io_host_real(&h, "latency.read.percentiles.99"));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.write_throughput.value")));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.sync_max.value")));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&h, "metrics.odd.value")));
	CU_ASSERT_PTR_NULL(io_host_at(&h, "latency.write"));
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.dataset_bytes"), 65536);
	CU_ASSERT_TRUE(io_host_u64(&h, "data.ram_bytes") > 1 << 20);
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "data.kind"), "random");
	CU_ASSERT_EQUAL(io_host_u64(&h, "data.laid_out_bytes"), 65536);
	CU_ASSERT_STRING_EQUAL(io_host_str(&h, "measured.sync_boundary"),
			       "none: nothing was written");
	h.ctx.dir = "/nonexistent/dir";
	CU_ASSERT_EQUAL(io_host_run(&h), -ENOENT);
	CU_ASSERT_STRING_EQUAL(h.err.text, "open /nonexistent/dir: No such file or directory");
	h.ctx.dir = h.dir;
	io_host_free(&h);
}

/* Going over the same data again is going over memory, unless it is direct or synced. */
static void test_passes(void)
{
	static const struct {
		uint64_t n; /* of 16 blocks */
		uint16_t op;
		uint64_t fsync;
		bool end_fsync;
		const char *warning; /* NULL: none */
	} cases[] = {
		{ 16, FST_IO_READ, 0, false, NULL },
		{ 160, FST_IO_READ, 0, false, "read the same 64KiB 10 times: all but the first" },
		{ 16, FST_IO_WRITE, 0, false, NULL },
		{ 160, FST_IO_WRITE, 0, false, "wrote the same 64KiB 10 times: most of it" },
		{ 160, FST_IO_WRITE, 0, true, "wrote the same 64KiB 10 times: most of it" },
		{ 160, FST_IO_WRITE, 1, false, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan p = { .n = cases[i].n, .op = cases[i].op, .mode = FST_FILE_OVERWRITE };
		struct script s = { .delay_ns = 0 };
		struct io_host h;

		io_host_init(&h, &plain, &engine, &p);
		h.wl.engine_cfg = &s;
		h.p.fsync = cases[i].fsync;
		h.p.end_fsync = cases[i].end_fsync;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		CU_ASSERT_DOUBLE_EQUAL(io_host_real(&h, "data.passes"), (double)cases[i].n / 16,
				       1e-9);
		CU_ASSERT_EQUAL(io_host_warned(&h, "the same"), cases[i].warning != NULL);
		CU_ASSERT_TRUE(!cases[i].warning || io_host_warned(&h, cases[i].warning));
		io_host_free(&h);
	}
}

void test_io_measure(void)
{
	CU_pSuite s = CU_add_suite("io/measure", NULL, NULL);

	CU_ADD_TEST(s, test_common_start);
	CU_ADD_TEST(s, test_worker_error);
	CU_ADD_TEST(s, test_metrics_of_data);
	CU_ADD_TEST(s, test_passes);
}
