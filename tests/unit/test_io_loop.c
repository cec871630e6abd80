/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/loop through whole steps, with an engine that does what the test says. */
#include "tests/unit/io_script.h"

void test_io_loop(void);

static const struct fstrial_plugin engine = SCRIPT_ENGINE(&script_ops);
static const struct fstrial_plugin engine_sync = SCRIPT_ENGINE(&script_sync_ops);
static const struct fstrial_plugin engine_nofile = SCRIPT_ENGINE(&script_nofile_ops);
static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
static const struct fstrial_plugin with_done = PLAN_WORKLOAD(.version = "1", .done = plan_done);

/* Every I/O once, in time, whatever the depth and the order of completion. */
static void test_counts(void)
{
	static const struct {
		uint32_t depth;
		bool newest_first, inline_odd;
		uint32_t reap_max;
		uint64_t eagain_at;
	} cases[] = {
		{ 1, false, false, 0, 0 },  { 2, false, false, 0, 0 },	 { 32, false, false, 0, 0 },
		{ 32, true, false, 3, 0 },  { 32, false, true, 0, 0 },	 { 32, true, true, 1, 0 },
		{ 32, false, false, 1, 7 }, { 200, false, false, 0, 0 }, { 32, false, false, 0, 1 },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		for (int done = 0; done < 2; done++) {
			uint64_t seen[16] = { 0 };
			struct script_test t;

			script_test_init(&t, done ? &with_done : &plain, &engine_nofile,
					 cases[c].depth);
			t.s.newest_first = cases[c].newest_first;
			t.s.inline_odd = cases[c].inline_odd;
			t.s.reap_max = cases[c].reap_max;
			t.s.eagain_at = cases[c].eagain_at;
			t.p.n = 160;
			CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
			CU_ASSERT_EQUAL(t.s.n, 160);
			CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 160);
			CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.bytes"), 160 * 4096);
			CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.read.count"), 160);
			CU_ASSERT_EQUAL(live_get(t.h.wl.live->w[0].ops), 160);
			for (size_t i = 0; i < 160; i++)
				seen[t.s.log[i].offset / 4096]++;
			for (size_t i = 0; i < 16; i++)
				CU_ASSERT_EQUAL(seen[i], 10);
			script_test_free(&t);
		}
	}
}

static void test_depth(void)
{
	static const uint32_t depths[] = { 1, 4, 32 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct script_test t;

		script_test_init(&t, &plain, &engine_nofile, depths[i]);
		t.s.delay_ns = 200000;
		t.s.reap_max = 1;
		t.p.n = 300;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "engine.depth_asked"), depths[i]);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "engine.depth_max"), depths[i]);
		CU_ASSERT_TRUE(t.s.max_inflight == (depths[i] == 1 ? 0 : depths[i]));
		CU_ASSERT_TRUE(io_host_real(&t.h, "engine.depth_mean") > 0.8 * depths[i]);
		CU_ASSERT_TRUE(io_host_real(&t.h, "engine.depth_mean") <= depths[i]);
		/* Each waits for all before it. */
		CU_ASSERT_TRUE(io_host_u64(&t.h, "latency.read.min") >= 200000);
		CU_ASSERT_TRUE(io_host_real(&t.h, "latency.read.percentiles.50") >=
			       200000.0 * depths[i] * 0.99);
		script_test_free(&t);
	}
}

/* One hand-over and one wait for as many as are complete. */
static void test_batches(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine_nofile, 32);
	t.p.n = 320;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_EQUAL(t.s.submit_calls, 10);
	CU_ASSERT_EQUAL(t.s.reap_calls, 10);
	script_test_free(&t);
}

static void test_fails(void)
{
	static const uint32_t depths[] = { 1, 32 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct script_test t;
		uint64_t counted;

		script_test_init(&t, &plain, &engine, depths[i]);
		t.p = (struct plan){ .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
		t.s.fail_at = 35;
		t.s.fail_with = ENOSPC;
		CU_ASSERT_EQUAL(io_host_run(&t.h), -ENOSPC);
		CU_ASSERT_STRING_EQUAL(t.h.err.text, "write data.0.0 at offset 8192, 4096 bytes");
		counted = depths[i] == 1 ? 34 : 63; /* the rest of its batch went well */
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), counted);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.write.count"), counted);
		CU_ASSERT_TRUE(json_is_true(io_host_at(&t.h, "measured.partial")));
		CU_ASSERT_TRUE(io_host_real(&t.h, "metrics.throughput.value") > 0);
		CU_ASSERT_EQUAL(t.s.queued_after_fail, 0);
		script_test_free(&t);
	}
}

static void test_short(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine, 1);
	t.s.fail_at = 3;
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EIO);
	CU_ASSERT_STRING_EQUAL(
		t.h.err.text,
		"read data.0.0 at offset 8192, 4096 bytes: got 4095; the file is shorter than "
		"12288 bytes: truncated meanwhile?");
	t.s.n = 0;
	t.p = (struct plan){ .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EIO);
	CU_ASSERT_STRING_EQUAL(t.h.err.text,
			       "short write: data.0.0 at offset 8192, 4095 of 4096 bytes");
	script_test_free(&t);
}

/* What engines and workloads may not do is said, at any depth, and does not hang. */
static void test_bad(void)
{
	static const struct {
		struct plan p;
		struct script s;
		int code[2]; /* depth 1, 8 */
		const char *text;
	} cases[] = {
		{ { .fail_next_at = 5 }, { 0 }, { EBADMSG, EBADMSG }, "no idea what comes next" },
		{ { .wait_every = 1 }, { 0 }, { EDEADLK, EDEADLK }, "nothing is in flight" },
		{ { .length = 4097 },
		  { 0 },
		  { EINVAL, EINVAL },
		  "asked to read 4097 bytes, with buffers of 4096" },
		{ { .op = 9 }, { 0 }, { EINVAL, EINVAL }, "operation 9" },
		{ { .op = FST_IO_FSYNC }, { 0 }, { EINVAL, EINVAL }, "asked to fsync 4096 bytes" },
		{ { .file = 1 }, { 0 }, { EINVAL, EINVAL }, "file 1 of 1" },
		{ { .n = 0 }, { .fail_queue_at = 3 }, { ENOMEM, ENOMEM }, "engine script: queue" },
		{ { .n = 0 }, { .fail_submit_at = 2 }, { 0, EIO }, "engine script: submit" },
		{ { .n = 0 }, { .fail_reap_at = 2 }, { 0, EIO }, "engine script: reap" },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		for (int deep = 0; deep < 2; deep++) {
			struct script_test t;

			if (!cases[c].code[deep])
				continue;
			script_test_init(&t, &plain, &engine, deep ? 8 : 1);
			free(t.s.log);
			t.p = cases[c].p;
			t.s = cases[c].s;
			CU_ASSERT_EQUAL(io_host_run(&t.h), -cases[c].code[deep]);
			CU_ASSERT_PTR_NOT_NULL(strstr(t.h.err.text, cases[c].text));
			script_test_free(&t);
		}
	}
}

/* The time is the end; the ramp does not count, and both hold at any depth. */
static void test_times(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		uint64_t ops, all, elapsed;
		struct script_test t;

		script_test_init(&t, &plain, &engine_nofile, depths[i]);
		t.p.n = 0;
		t.s.delay_ns = 1000000;
		t.h.opt.runtime_ns = 200 * 1000000u;
		t.h.opt.ramp_time_ns = 100 * 1000000u;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		elapsed = io_host_u64(&t.h, "measured.elapsed_ns");
		ops = io_host_u64(&t.h, "measured.ops");
		all = live_get(t.h.wl.live->w[0].ops);
		CU_ASSERT_TRUE(elapsed >= 200000000 && elapsed < 2000000000);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ramp_ns"), 100000000);
		CU_ASSERT_TRUE(ops > 0 && ops < all);
		CU_ASSERT_TRUE(ops <= elapsed / 1000000 * depths[i] + depths[i]);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.read.count"), ops);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.bytes"), ops * 4096);
		CU_ASSERT_FALSE(json_is_true(io_host_at(&t.h, "measured.partial")));
		CU_ASSERT_DOUBLE_EQUAL(io_host_real(&t.h, "metrics.iops.value"),
				       (double)ops * 1e9 / (double)elapsed, 1e-3);
		script_test_free(&t);
	}
}

/* Over before the ramp was: nothing is made up. */
static void test_ramp_only(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine_nofile, 4);
	t.h.opt.ramp_time_ns = 60000000000u;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 0);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&t.h, "metrics.iops.value")));
	CU_ASSERT_TRUE(json_is_true(io_host_at(&t.h, "measured.too_short")));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&t.h, "measured.elapsed_ns")));
	CU_ASSERT_TRUE(io_host_warned(&t.h, "all were done within the ramp_time of 60.00 s"));
	CU_ASSERT_FALSE(io_host_warned(&t.h, "set runtime"));
	script_test_free(&t);
}

static void *stop_soon(void *arg)
{
	struct io_host *h = arg;

	script_sleep(100000000);
	live_set(h->wl.live->stop, 1);
	return NULL;
}

static void test_stop(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		pthread_t thread;
		struct script_test t;

		script_test_init(&t, &plain, &engine, depths[i]);
		t.p = (struct plan){ .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
		t.s.delay_ns = 1000000;
		t.h.p.end_fsync = true;
		t.h.wl.live = live_new(1);
		pthread_create(&thread, NULL, stop_soon, &t.h);
		CU_ASSERT_EQUAL(io_host_run(&t.h), -ECANCELED);
		pthread_join(thread, NULL);
		CU_ASSERT_STRING_EQUAL(t.h.err.text, "interrupted");
		CU_ASSERT_TRUE(json_is_true(io_host_at(&t.h, "measured.partial")));
		CU_ASSERT_TRUE(io_host_u64(&t.h, "measured.ops") > 0);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), live_get(t.h.wl.live->w[0].ops));
		CU_ASSERT_EQUAL(t.s.n_sync, 0);
		script_test_free(&t);
	}
}

static void test_refused(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine_sync, 2);
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EINVAL);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "iodepth = 2: engine script does one I/O at a time");
	t.h.wl.engine = &engine;
	t.h.p.iodepth = 1025;
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EINVAL);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "iodepth = 1025: engine script takes at most 1024");
	script_test_free(&t);
}

void test_io_loop(void)
{
	CU_pSuite s = CU_add_suite("io/loop", NULL, NULL);

	CU_ADD_TEST(s, test_counts);
	CU_ADD_TEST(s, test_depth);
	CU_ADD_TEST(s, test_batches);
	CU_ADD_TEST(s, test_fails);
	CU_ADD_TEST(s, test_short);
	CU_ADD_TEST(s, test_bad);
	CU_ADD_TEST(s, test_times);
	CU_ADD_TEST(s, test_ramp_only);
	CU_ADD_TEST(s, test_stop);
	CU_ADD_TEST(s, test_refused);
}
