/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/series: whole intervals from the end of the ramp, and the end of time. */
#include "core/io/series.h"
#include "core/io/step.h"
#include "tests/unit/io_script.h"

void test_io_series(void);

static const struct fstrial_plugin engine = SCRIPT_ENGINE(&script_nofile_ops);
static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");

static uint64_t sum_of(const json_t *a)
{
	const json_t *v;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(a, i, v) sum += (uint64_t)json_integer_value(v);
	return sum;
}

static void test_step(void)
{
	struct script s = { .delay_ns = 1000000 };
	struct plan p = { .n = 0 };
	struct io_host h;
	uint64_t ops, all;

	io_host_init(&h, &plain, &engine, &p);
	h.wl.engine_cfg = &s;
	h.opt.runtime_ns = 2050000000;
	h.opt.ramp_time_ns = 200000000;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	ops = io_host_u64(&h, "measured.ops");
	all = live_get(h.wl.live->w[0].ops);
	CU_ASSERT_EQUAL(io_host_u64(&h, "series.interval_ns"), 1000000000);
	CU_ASSERT_EQUAL(json_array_size(io_host_at(&h, "series.ops")), 2);
	CU_ASSERT_EQUAL(json_array_size(io_host_at(&h, "series.bytes")), 2);
	CU_ASSERT_TRUE(sum_of(io_host_at(&h, "series.ops")) <= all);
	CU_ASSERT_TRUE((double)sum_of(io_host_at(&h, "series.ops")) > 0.8 * (double)ops);
	CU_ASSERT_EQUAL(sum_of(io_host_at(&h, "series.bytes")),
			4096 * sum_of(io_host_at(&h, "series.ops")));
	io_host_free(&h);
}

/*
 * The thread alone: late or not, the samples add up; a stop of the session and the deadline are
 * passed on.
 */
static void test_thread(void)
{
	struct live *live = live_new(2);
	struct workload wl = { .live = live };
	struct io_step s = { .wl = &wl, .n = 2 };
	json_t *o;

	s.series.interval_ns = 10000000;
	s.gate.expected = 1;
	CU_ASSERT_EQUAL(series_start(&s), 0);
	s.start_ns = io_clock_ns();
	s.deadline_ns = s.start_ns + 1000000;
	gate_arrive(&s.gate);
	for (int i = 0; i < 50; i++) {
		script_sleep(1000000);
		live_set(live->w[0].ops, live->w[0].ops + 1);
		live_set(live->w[1].bytes, live->w[1].bytes + 10);
	}
	CU_ASSERT_EQUAL(step_get(s.stop), 1);
	CU_ASSERT_EQUAL(step_get(s.interrupted), 0);
	live_set(live->stop, 1);
	script_sleep(100000000);
	CU_ASSERT_EQUAL(step_get(s.interrupted), 1);
	series_stop(&s);
	o = series_json(&s.series);
	CU_ASSERT_EQUAL(sum_of(json_object_get(o, "ops")), 50);
	CU_ASSERT_EQUAL(sum_of(json_object_get(o, "bytes")), 500);
	CU_ASSERT_TRUE(json_array_size(json_object_get(o, "ops")) >= 14);
	json_decref(o);
	series_release(&s.series);
	live_free(live, 2);
}

/* A gate that is opened by force leaves nothing to watch. */
static void test_forced(void)
{
	struct live *live = live_new(1);
	struct workload wl = { .live = live };
	struct io_step s = { .wl = &wl, .n = 1 };

	CU_ASSERT_EQUAL(series_start(&s), 0);
	gate_force(&s.gate);
	series_stop(&s);
	CU_ASSERT_EQUAL(s.series.ops.n, 0);
	series_release(&s.series);
	live_free(live, 1);
}

static void test_live(void)
{
	struct live *live = live_new(3);

	CU_ASSERT_EQUAL(live->n_workers, 3);
	CU_ASSERT_EQUAL((uintptr_t)&live->w[0] % 64, 0);
	CU_ASSERT_EQUAL(sizeof(struct live_worker), 64);
	CU_ASSERT_EQUAL(live_get(live->w[2].bytes), 0);
	live_free(live, 3);
	live_free(NULL, 3);
}

void test_io_series(void)
{
	CU_pSuite s = CU_add_suite("io/series", NULL, NULL);

	CU_ADD_TEST(s, test_step);
	CU_ADD_TEST(s, test_thread);
	CU_ADD_TEST(s, test_forced);
	CU_ADD_TEST(s, test_live);
}
