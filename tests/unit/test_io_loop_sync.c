/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/loop: what lies around the I/Os, such as syncs and I/Os that follow others. */
#include "tests/unit/io_script.h"

void test_io_loop_sync(void);

static const struct fstrial_plugin engine = SCRIPT_ENGINE(&script_ops);
static const struct fstrial_plugin engine_sync = SCRIPT_ENGINE(&script_sync_ops);
static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
static const struct fstrial_plugin with_done = PLAN_WORKLOAD(.version = "1", .done = plan_done);

/* A read and then a write of the same block, in the same slot. */
static void test_again(void)
{
	static const uint32_t depths[] = { 1, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		uint64_t reads[16] = { 0 };
		struct script_test t;
		int bad = 0;

		script_test_init(&t, &with_done, &engine, depths[i]);
		t.p = (struct plan){ .n = 64,
				     .mode = FST_FILE_OVERWRITE,
				     .then_write = true,
				     .wait_every = i ? 7 : 0 };
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
		script_test_free(&t);
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
		{ 100, 0, true, false, 2,
		  "fsync after every 100 writes; fsync at end, inside the measured time" },
		{ 101, 0, false, false, 0, "fsync after every 101 writes" },
	};
	static const uint32_t depths[] = { 1, 8, 32 };

	for (size_t c = 0; c < ARRAY_SIZE(cases) * ARRAY_SIZE(depths); c++) {
		size_t k = c / ARRAY_SIZE(depths);
		struct script_test t;

		script_test_init(&t, &plain, &engine, depths[c % ARRAY_SIZE(depths)]);
		t.p = (struct plan){ .n = 100, .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
		t.h.p.fsync = cases[k].fsync;
		t.h.p.fdatasync = cases[k].fdatasync;
		t.h.p.end_fsync = cases[k].end_fsync;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		CU_ASSERT_EQUAL(t.s.n_sync, cases[k].syncs);
		CU_ASSERT_EQUAL(t.s.n, 100 + cases[k].syncs);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "latency.sync.count"),
				cases[k].syncs ? cases[k].syncs : UINT64_MAX);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 100);
		CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.bytes"), 409600);
		CU_ASSERT_STRING_EQUAL(io_host_str(&t.h, "measured.sync_boundary"),
				       cases[k].boundary);
		script_test_free(&t);
	}
}

static void test_sync_fails(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine_sync, 1);
	t.p = (struct plan){ .n = 100, .op = FST_IO_WRITE, .mode = FST_FILE_CREATE };
	t.h.p.end_fsync = true;
	t.s.fail_at = 101;
	t.s.fail_with = EIO;
	CU_ASSERT_EQUAL(io_host_run(&t.h), -EIO);
	CU_ASSERT_STRING_EQUAL(t.h.err.text, "fsync data.0.0");
	CU_ASSERT_EQUAL(io_host_u64(&t.h, "measured.ops"), 100);
	CU_ASSERT_STRING_EQUAL(io_host_str(&t.h, "measured.sync_boundary"),
			       "ended before the fsync at end");
	script_test_free(&t);
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

static size_t zeros_of(const char *p, size_t n)
{
	size_t zeros = 0;

	for (size_t i = 0; i < n; i++)
		zeros += p[i] == 0;
	return zeros;
}

/* The share that is asked for is zeros, at the end of each block; stamps are in the rest. */
static void test_compressible(void)
{
	static const struct {
		uint64_t bs, percent, block;
	} cases[] = { { 65536, 50, 4096 },
		      { 65536, 99, 4096 },
		      { 512, 25, 512 },
		      { 4096, 0, 4096 },
		      { 8192, 100, 4096 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct io_params p = { .bs = cases[i].bs,
				       .buffer_compress_percentage = cases[i].percent };
		const size_t zeros = (size_t)(cases[i].block * cases[i].percent / 100);
		const size_t rest = (size_t)cases[i].block - zeros;
		struct buffers b;
		struct prng rng;

		CU_ASSERT_EQUAL(buffers_init(&b, 2, p.bs), 0);
		prng_seed(&rng, 1, 0);
		buffers_fill(&b, &p, &rng);
		CU_ASSERT_EQUAL(buffers_stamped(&p), cases[i].percent < 100);
		if (buffers_stamped(&p))
			buffers_stamp(&b, b.slab, p.bs);
		for (size_t at = 0; at < b.size * b.n; at += cases[i].block) {
			CU_ASSERT_EQUAL(zeros_of(b.slab + at + rest, zeros), zeros);
			CU_ASSERT_TRUE(zeros_of(b.slab + at, rest) <= rest / 50 + 6);
		}
		buffers_release(&b);
	}
}

/* Byte for byte, from its beginning in each 4 KiB, and no stamp breaks it. */
static void test_pattern(void)
{
	struct io_params p = { .bs = 10000,
			       .buffers = IO_BUFFERS_PATTERN,
			       .pattern = { 0xca, 0xfe, 0 },
			       .n_pattern = 3 };
	struct buffers b;
	struct prng rng;
	size_t wrong = 0;

	CU_ASSERT_EQUAL(buffers_init(&b, 2, p.bs), 0);
	prng_seed(&rng, 1, 0);
	buffers_fill(&b, &p, &rng);
	CU_ASSERT_FALSE(buffers_stamped(&p));
	for (size_t i = 0; i < b.size * b.n; i++)
		wrong += (unsigned char)b.slab[i] != p.pattern[i % 4096 % 3];
	CU_ASSERT_EQUAL(wrong, 0);
	p.buffers = IO_BUFFERS_ZERO;
	CU_ASSERT_FALSE(buffers_stamped(&p));
	buffers_release(&b);
}

void test_io_loop_sync(void)
{
	CU_pSuite s = CU_add_suite("io/loop sync", NULL, NULL);

	CU_ADD_TEST(s, test_again);
	CU_ADD_TEST(s, test_syncs);
	CU_ADD_TEST(s, test_sync_fails);
	CU_ADD_TEST(s, test_stamps);
	CU_ADD_TEST(s, test_compressible);
	CU_ADD_TEST(s, test_pattern);
}
