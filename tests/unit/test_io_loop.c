/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/loop through whole steps, with an engine that does what the test says. */
#include "tests/unit/io_script.h"

void test_io_loop(void);

static const struct fstrial_plugin engine = SCRIPT_ENGINE(&script_ops);
static const struct fstrial_plugin engine_sync = SCRIPT_ENGINE(&script_sync_ops);
static const struct fstrial_plugin engine_nofile = SCRIPT_ENGINE(&script_nofile_ops);
static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
static const struct fstrial_plugin with_done = PLAN_WORKLOAD(.version = "1", .done = plan_done);

struct test {
	struct io_host h;
	struct script s;
	struct plan p;
};

static void test_init(struct test *t, const struct fstrial_plugin *w, const struct fstrial_plugin *e, uint32_t depth)
{
	memset(t, 0, sizeof(*t));
	io_host_init(&t->h, w, e, &t->p);
	t->h.wl.engine_cfg = &t->s;
	t->h.p.iodepth = depth;
	t->s.log = calloc(SCRIPT_LOG, sizeof(*t->s.log));
	t->p.n = 100;
}

static void test_free(struct test *t)
{
	free(t->s.log);
	io_host_free(&t->h);
}

/* Every I/O once, in time, whatever the depth and the order of completion. */
static void test_counts(void)
{
	static const struct {
		uint32_t depth;
		bool newest_first, inline_odd;
		uint32_t reap_max;
		uint64_t eagain_at;
	} cases[] = {
		{ 1, false, false, 0, 0 },  { 2, false, false, 0, 0 }, { 32, false, false, 0, 0 }, { 32, true, false, 3, 0 },
		{ 32, false, true, 0, 0 },  { 32, true, true, 1, 0 },  { 32, false, false, 1, 7 }, { 200, false, false, 0, 0 },
		{ 32, false, false, 0, 1 },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		for (int done = 0; done < 2; done++) {
			uint64_t seen[16] = { 0 };
			struct test t;

			test_init(&t, done ? &with_done : &plain, &engine_nofile, cases[c].depth);
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
			test_free(&t);
		}
	}
}

static void test_depth(void)
{
	static const uint32_t depths[] = { 1, 4, 32 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct test t;

		test_init(&t, &plain, &engine_nofile, depths[i]);
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
		CU_ASSERT_TRUE(io_host_real(&t.h, "latency.read.percentiles.50") >= 200000.0 * depths[i] * 0.99);
		test_free(&t);
	}
}

/* One hand-over and one wait for as many as are complete. */
static void test_batches(void)
{
	struct test t;

	test_init(&t, &plain, &engine_nofile, 32);
	t.p.n = 320;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_EQUAL(t.s.submit_calls, 10);
	CU_ASSERT_EQUAL(t.s.reap_calls, 10);
	test_free(&t);
}

static void test_fails(void)
{
	static const uint32_t depths[] = { 1, 32 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct test t;
		uint64_t counted;

		test_init(&t, &plain, &engine, depths[i]);
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
		test_free(&t);
	}
}

static void test_short(void)
{
	struct test t;

	test_init(&t, &plain, &engine, 1);
	t.s.fail_at = 3;
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EIO);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "read data.0.0 at offset 8192, 4096 bytes: got 4095; the file is shorter than "
					     "12288 bytes: truncated meanwhile?");
	t.s.n = 0;
	t.p = (struct plan){ .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EIO);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "short write: data.0.0 at offset 8192, 4095 of 4096 bytes");
	test_free(&t);
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
		{ { .length = 4097 }, { 0 }, { EINVAL, EINVAL }, "asked to read 4097 bytes, with buffers of 4096" },
		{ { .op = 9 }, { 0 }, { EINVAL, EINVAL }, "operation 9" },
		{ { .op = FST_IO_FSYNC }, { 0 }, { EINVAL, EINVAL }, "asked to fsync 4096 bytes" },
		{ { .file = 1 }, { 0 }, { EINVAL, EINVAL }, "file 1 of 1" },
		{ { .n = 0 }, { .fail_queue_at = 3 }, { ENOMEM, ENOMEM }, "engine script: queue" },
		{ { .n = 0 }, { .fail_submit_at = 2 }, { 0, EIO }, "engine script: submit" },
		{ { .n = 0 }, { .fail_reap_at = 2 }, { 0, EIO }, "engine script: reap" },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		for (int deep = 0; deep < 2; deep++) {
			struct test t;

			if (!cases[c].code[deep])
				continue;
			test_init(&t, &plain, &engine, deep ? 8 : 1);
			free(t.s.log);
			t.p = cases[c].p;
			t.s = cases[c].s;
			CU_ASSERT_EQUAL(io_host_run(&t.h), -cases[c].code[deep]);
			CU_ASSERT_PTR_NOT_NULL(strstr(t.h.err.text, cases[c].text));
			test_free(&t);
		}
	}
}

/* A read and then a write of the same block, in the same slot. */
static void test_again(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		uint64_t reads[16] = { 0 };
		struct test t;
		int bad = 0;

		test_init(&t, &with_done, &engine, depths[i]);
		t.p = (struct plan){ .n = 64, .mode = FST_FILE_OVERWRITE, .then_write = true, .wait_every = i ? 7 : 0 };
		t.h.p.fdatasync = 10;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		CU_ASSERT_EQUAL(t.s.n, 2 * 64 + 6);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.read.count"), 64);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.write.count"), 64);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.sync.count"), 6);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 128);
		for (size_t k = 0; k < t.s.n; k++) {
			if (t.s.log[k].op == FST_IO_READ)
				reads[t.s.log[k].offset / 4096]++;
			else if (t.s.log[k].op == FST_IO_WRITE)
				bad += reads[t.s.log[k].offset / 4096]-- == 0;
		}
		CU_ASSERT_EQUAL(bad, 0);
		test_free(&t);
	}
}

/* After every n writes, and at the end; not in operations and bytes. */
static void test_syncs(void)
{
	static const struct {
		uint64_t fsync, fdatasync;
		bool end_fsync, direct;
		uint64_t syncs;
		const char *boundary;
	} cases[] = {
		{ 0, 0, false, false, 0, "none: dirty pages may remain" },
		{ 7, 0, false, false, 14, "fsync after every 7 writes" },
		{ 1, 0, false, false, 100, "fsync after every write" },
		{ 0, 8, false, false, 12, "fdatasync after every 8 writes" },
		{ 0, 0, true, false, 1, "fsync at end, inside the measured time" },
		{ 100, 0, true, false, 2, "fsync after every 100 writes; fsync at end, inside the measured time" },
		{ 101, 0, false, false, 0, "fsync after every 101 writes" },
	};
	static const uint32_t depths[] = { 1, 8, 32 };

	for (size_t c = 0; c < ARRAY_SIZE(cases) * ARRAY_SIZE(depths); c++) {
		size_t k = c / ARRAY_SIZE(depths);
		struct test t;

		test_init(&t, &plain, &engine, depths[c % ARRAY_SIZE(depths)]);
		t.p = (struct plan){ .n = 100, .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
		t.h.p.fsync = cases[k].fsync;
		t.h.p.fdatasync = cases[k].fdatasync;
		t.h.p.end_fsync = cases[k].end_fsync;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		CU_ASSERT_EQUAL(t.s.n_sync, cases[k].syncs);
		CU_ASSERT_EQUAL(t.s.n, 100 + cases[k].syncs);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.sync.count"), cases[k].syncs ? cases[k].syncs : UINT64_MAX);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 100);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.bytes"), 409600);
		CU_ASSERT_STRING_EQUAL(io_host_str(&t.h, "measured.sync_boundary"), cases[k].boundary);
		test_free(&t);
	}
}

static void test_sync_fails(void)
{
	struct test t;

	test_init(&t, &plain, &engine_sync, 1);
	t.p = (struct plan){ .n = 100, .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
	t.h.p.end_fsync = true;
	t.s.fail_at = 101;
	t.s.fail_with = EIO;
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EIO);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "fsync data.0.0");
	CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 100);
	CU_ASSERT_STRING_EQUAL(io_host_str(&t.h, "measured.sync_boundary"), "ended before the fsync at end");
	test_free(&t);
}

/* What a write carries is new each time, from end to end of the block. */
static void test_stamps(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct buffers b;
		struct prng rng;
		uint64_t last = 0;

		CU_ASSERT_EQUAL(buffers_init(&b, depths[i], 10000), 0);
		CU_ASSERT_EQUAL(b.size, 12288);
		CU_ASSERT_EQUAL((uintptr_t)b.slab % 4096, 0);
		prng_seed(&rng, 1, 0);
		buffers_randomise(&b, &rng);
		for (int k = 0; k < 3; k++) {
			uint64_t first, third;

			buffers_stamp(&b, b.slab, 10000);
			memcpy(&first, b.slab, 8);
			memcpy(&third, b.slab + 8192, 8);
			CU_ASSERT_EQUAL(third, first + 2);
			CU_ASSERT_TRUE(k == 0 || first == last + 3);
			last = first;
		}
		buffers_release(&b);
		CU_ASSERT_EQUAL(buffers_init(&b, 2, UINT64_MAX - 5), -ENOMEM);
	}
}

/* The time is the end; the ramp does not count, and both hold at any depth. */
static void test_times(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		uint64_t ops, all, elapsed;
		struct test t;

		test_init(&t, &plain, &engine_nofile, depths[i]);
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
		CU_ASSERT_DOUBLE_EQUAL(io_host_real(&t.h, "metrics.iops.value"), (double)ops * 1e9 / (double)elapsed, 1e-3);
		test_free(&t);
	}
}

/* Over before the ramp was: nothing is made up. */
static void test_ramp_only(void)
{
	struct test t;

	test_init(&t, &plain, &engine_nofile, 4);
	t.h.opt.ramp_time_ns = 60000000000u;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 0);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&t.h, "metrics.iops.value")));
	CU_ASSERT_TRUE(json_is_true(io_host_at(&t.h, "measured.too_short")));
	CU_ASSERT_TRUE(json_is_null(io_host_at(&t.h, "measured.elapsed_ns")));
	test_free(&t);
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
		struct test t;

		test_init(&t, &plain, &engine, depths[i]);
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
		test_free(&t);
	}
}

static void test_refused(void)
{
	struct test t;

	test_init(&t, &plain, &engine_sync, 2);
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EINVAL);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "iodepth = 2: engine script does one I/O at a time");
	t.h.wl.engine = &engine;
	t.h.p.iodepth = 1025;
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EINVAL);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "iodepth = 1025: engine script takes at most 1024");
	test_free(&t);
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
	CU_ADD_TEST(s, test_again);
	CU_ADD_TEST(s, test_syncs);
	CU_ADD_TEST(s, test_sync_fails);
	CU_ADD_TEST(s, test_stamps);
	CU_ADD_TEST(s, test_times);
	CU_ADD_TEST(s, test_ramp_only);
	CU_ADD_TEST(s, test_stop);
	CU_ADD_TEST(s, test_refused);
}
