/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of what the loop says a latency consists of. */
#include "tests/unit/io_script.h"

void test_io_parts(void);

static const struct fstrial_plugin engine = SCRIPT_ENGINE(&script_ops);
static const struct fstrial_plugin engine_nofile = SCRIPT_ENGINE(&script_nofile_ops);
static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
static const struct fstrial_plugin with_done = PLAN_WORKLOAD(.version = "1", .done = plan_done);

enum { PARTS_IOS = 160, PARTS_DELAY = 1000000 };

static double parts_of(const struct io_host *h, const char *op, const char *what)
{
	char path[80];

	snprintf(path, sizeof(path), "latency.%s.%s", op, what);
	return io_host_real(h, path);
}

/* Both parts count every I/O, and make up a whole with this mean. */
static void parts_check(const struct io_host *h, const char *op, double n, double whole)
{
	double sum = parts_of(h, op, "parts.submission.mean") +
		     parts_of(h, op, "parts.completion.mean");

	CU_ASSERT_EQUAL(parts_of(h, op, "count"), n);
	CU_ASSERT_EQUAL(parts_of(h, op, "parts.submission.count"), n);
	CU_ASSERT_EQUAL(parts_of(h, op, "parts.completion.count"), n);
	CU_ASSERT_TRUE(whole > 0);
	CU_ASSERT_DOUBLE_EQUAL(sum * n, whole * n, 1);
}

static const struct parts_case {
	uint32_t depth, reap_max;
	bool newest_first, inline_odd;
	uint64_t eagain_at;
	int submit_says; /* fewer than there were, or not now: the reap takes them all the same */
} parts_cases[] = {
	{ .depth = 2 },
	{ .depth = 32 },
	{ .depth = 32, .newest_first = true, .reap_max = 3 },
	{ .depth = 32, .inline_odd = true },
	{ .depth = 32, .newest_first = true, .inline_odd = true, .reap_max = 1 },
	{ .depth = 32, .eagain_at = 7, .reap_max = 1 },
	{ .depth = 32, .eagain_at = 1 },
	{ .depth = 32, .submit_says = 1 },
	{ .depth = 32, .submit_says = 5, .newest_first = true, .reap_max = 3 },
	{ .depth = 32, .submit_says = -EAGAIN, .reap_max = 2 },
	{ .depth = 32, .submit_says = -EBUSY, .newest_first = true, .reap_max = 2 },
};

static void test_sum(void)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(parts_cases); i++) {
		const struct parts_case *c = &parts_cases[i / 2];
		struct script_test t;

		script_test_init(&t, i % 2 ? &with_done : &plain, &engine_nofile, c->depth);
		t.s.newest_first = c->newest_first;
		t.s.inline_odd = c->inline_odd;
		t.s.reap_max = c->reap_max;
		t.s.eagain_at = c->eagain_at;
		t.s.submit_says = c->submit_says;
		t.p.n = PARTS_IOS;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		parts_check(&t.h, "read", PARTS_IOS, parts_of(&t.h, "read", "mean"));
		script_test_free(&t);
	}
}

/* Each part has the time that passed in it, and no more than the whole has. */
static void test_which(void)
{
	for (int i = 0; i < 4; i++) {
		const bool submit = i & 1;
		struct script_test t;

		script_test_init(&t, i & 2 ? &with_done : &plain, &engine_nofile, 8);
		t.p.n = 16;
		if (submit)
			t.s.submit_delay_ns = PARTS_DELAY;
		else
			t.s.delay_ns = PARTS_DELAY;
		CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
		parts_check(&t.h, "read", 16, parts_of(&t.h, "read", "mean"));
		CU_ASSERT_TRUE(parts_of(&t.h, "read",
					submit ? "parts.submission.min" : "parts.completion.min") >=
			       PARTS_DELAY);
		script_test_free(&t);
	}
}

/* What completes in queue(), and what submit() did not take, is submission only. */
static void test_submission_only(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine_nofile, 8);
	t.s.submit_says = -EAGAIN;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	parts_check(&t.h, "read", 100, parts_of(&t.h, "read", "mean"));
	CU_ASSERT_EQUAL(parts_of(&t.h, "read", "parts.completion.max"), 0);
	script_test_free(&t);
}

/* Syncs in between, which go through the queue, and those at the end, which do not. */
static void test_syncs(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine, 8);
	t.p.op = FST_IO_WRITE;
	t.p.mode = FST_FILE_CREATE;
	t.h.p.fsync = 10;
	t.h.p.end_fsync = true;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	parts_check(&t.h, "write", 100, parts_of(&t.h, "write", "mean"));
	parts_check(&t.h, "sync", (double)t.s.n_sync, parts_of(&t.h, "sync", "mean"));
	CU_ASSERT_TRUE(t.s.n_sync > 1);
	script_test_free(&t);
}

/* Where an I/O should have begun before it did, its parts are those of the service. */
static void test_rate(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine_nofile, 4);
	t.h.p.rate_iops = 10000;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	parts_check(&t.h, "read", 100, io_host_real(&t.h, "measured.schedule.service_time.mean"));
	script_test_free(&t);
}

/* What is taken away at the end of the ramp is taken from all. */
static void test_ramp(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine_nofile, 4);
	t.p.n = 0;
	t.s.delay_ns = 100000;
	t.h.opt.ramp_time_ns = 20000000;
	t.h.opt.runtime_ns = 40000000;
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_TRUE(t.s.n > (uint64_t)parts_of(&t.h, "read", "count"));
	parts_check(&t.h, "read", parts_of(&t.h, "read", "count"), parts_of(&t.h, "read", "mean"));
	script_test_free(&t);
}

static void test_none(void)
{
	struct script_test t;

	script_test_init(&t, &plain, &engine_nofile, 1);
	CU_ASSERT_EQUAL(io_host_run(&t.h), 0);
	CU_ASSERT_TRUE(json_is_null(io_host_at(&t.h, "latency.read.parts")));
	script_test_free(&t);
}

void test_io_parts(void)
{
	CU_pSuite s = CU_add_suite("io/parts", NULL, NULL);

	CU_ADD_TEST(s, test_sum);
	CU_ADD_TEST(s, test_which);
	CU_ADD_TEST(s, test_submission_only);
	CU_ADD_TEST(s, test_syncs);
	CU_ADD_TEST(s, test_rate);
	CU_ADD_TEST(s, test_ramp);
	CU_ADD_TEST(s, test_none);
}
