/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/job/expect and core/run/judge: what is expected, read and held against numbers. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <string.h>

#include "core/job/expect.h"
#include "core/run/judge.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_job_expect(void);

#define STEP(more)                                                                              \
	"steps = ( { workload = \"sequential\"; size = \"1MiB\"; fdatasync = 1; expect = " more \
	"; } );\n"

static void test_read(void)
{
	static const struct {
		const char *text, *op, *field, *unit;
		bool percentile;
		enum expect_cmp cmp;
		double value;
	} rows[] = {
		{ "throughput > 100MiB/s", NULL, "throughput", "bytes/s", false, EXPECT_GT,
		  104857600 },
		{ "throughput>=1.5kB", NULL, "throughput", "bytes/s", false, EXPECT_GE, 1500 },
		{ "iops > 5000", NULL, "iops", "ops/s", false, EXPECT_GT, 5000 },
		{ "iops != 12.5 /s", NULL, "iops", "ops/s", false, EXPECT_NE, 12.5 },
		{ "write_p99 <= 10us", NULL, "write_p99", "ns", false, EXPECT_LE, 10000 },
		{ "space == 4MiB", NULL, "space", "bytes", false, EXPECT_EQ, 4194304 },
		{ "extents < 3", NULL, "extents", "count", false, EXPECT_LT, 3 },
		{ "fill < 0.95", NULL, "fill", "ratio", false, EXPECT_LT, 0.95 },
		{ "  write.p99.9<1.5ms  ", "write", "99.9", "ns", true, EXPECT_LT, 1500000 },
		{ "write.median < 2s", "write", "50", "ns", true, EXPECT_LT, 2e9 },
		{ "read.max < 2s", "read", "max", "ns", false, EXPECT_LT, 2e9 },
		{ "trim.mean < 0", "trim", "mean", "ns", false, EXPECT_LT, 0 },
		{ "read.count > 1000", "read", "count", "count", false, EXPECT_GT, 1000 },
		{ "sync.p50 < 1ms", "sync", "50", "ns", true, EXPECT_LT, 1000000 },
		{ "fdatasync.p99 < 10ms", "sync", "99", "ns", true, EXPECT_LT, 10000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *job = xasprintf(STEP("\"%s\""), rows[i].text);
		const struct expect *x;
		struct fixture f;
		struct step s;

		fixture_open(&f);
		fixture_load(&f, job);
		CU_ASSERT_STRING_EQUAL(f.said, "");
		CU_ASSERT_EQUAL(job_step_resolve(&f.job, 0, 0, &s, &f.d), 0);
		CU_ASSERT_EQUAL_FATAL(s.n_expects, 1);
		x = &s.expects[0];
		CU_ASSERT_STRING_EQUAL(x->text, rows[i].text);
		CU_ASSERT(str_eq(x->op, rows[i].op));
		CU_ASSERT(str_eq(x->field, rows[i].field));
		CU_ASSERT(str_eq(x->unit, rows[i].unit));
		CU_ASSERT(x->percentile == rows[i].percentile && x->cmp == rows[i].cmp);
		CU_ASSERT_DOUBLE_EQUAL(x->value, rows[i].value, 1e-9);
		step_release(&s);
		fixture_close(&f);
	}
}

static void says(const char *expect, const char *reason)
{
	_cleanup_free_ char *job = xasprintf(STEP("\"%s\""), expect);
	_cleanup_free_ char *line = xasprintf("t.job:1: sequential: expect = \"%s\": %s\n", expect,
					      reason);

	CU_ASSERT_TRUE(fixture_says(job, line));
}

static void test_errors(void)
{
	says("throughput", "one of < <= > >= == != is needed");
	says("throughput = 5", "one of < <= > >= == != is needed");
	says("< 5", "a name is missing: write.p99 < 10ms");
	says("iops >", "a number is missing behind the sign");
	says("throughptu > 1MiB", "unknown metric \"throughptu\"; did you mean \"throughput\"?");
	says("speed > 1",
	     "unknown metric \"speed\"; there are: throughput, iops, write_p99, space, "
	     "extents, fill, read, write, trim, sync");
	says("write < 1ms", "write is a latency: say what of it, as write.p99, write.max");
	says("wriet.p99 < 1ms", "unknown latency \"wriet\"; did you mean \"write\"?");
	says("write.p98 < 1ms", "unknown field \"p98\"; did you mean \"p90\"?");
	says("write.average < 1ms",
	     "unknown field \"average\"; there are: min, max, mean, count, p1, p5, "
	     "p10, p50, p90, p95, p99, p99.9, p99.99");
	says("fsync.p99 < 1ms",
	     "the step has no fsync = N; syncs of the workload's own are \"sync\"");
	says("write.p99 < 10",
	     "write.p99 is compared with a time, as 10ms: \"10\" needs a unit: write "
	     "\"10s\" or \"10ms\"");
	says("write.p99 < 10MiB",
	     "write.p99 is compared with a time, as 10ms: \"10MiB\": unknown unit "
	     "\"MiB\": a time takes ns us ms s m h");
	says("throughput > 10ms",
	     "throughput is compared with a rate, as 100MiB/s: \"10ms\": unknown "
	     "unit \"ms\": a size takes B KiB MiB GiB TiB PiB, k m g t p (1024), kB MB GB TB PB "
	     "(1000)");
	says("iops > 5MiB/s",
	     "iops is compared with a rate without a unit, as 5000: expects a number without "
	     "a unit");
	says("extents < 3/s", "extents is compared with a number without a unit: not a number");
	CU_ASSERT_TRUE(fixture_says(STEP("5"),
				    "t.job:1: sequential: expect: expects a text or a list of "
				    "texts: \"write.p99 < 10ms\"\n"));
	CU_ASSERT_TRUE(
		fixture_says(STEP("(\"iops > 1\", \"x > 1\", true)"),
			     "t.job:1: sequential: expect = \"x > 1\": unknown metric \"x\"; there "
			     "are: throughput, iops, write_p99, space, extents, fill, read, write, "
			     "trim, sync\n"
			     "t.job:1: sequential: expect: expects a text or a list of texts: "
			     "\"write.p99 < 10ms\"\n"));
	CU_ASSERT_TRUE(fixture_steps_say(
		"{ setup = \"mkfs\"; fs = \"xfs\"; expect = \"iops > 1\"; }",
		"t.job:2: mkfs: expect is for workloads: a setup step has no numbers\n"));
}

/* A limit that the matrix varies. */
static void test_factors(void)
{
	struct fixture f;
	struct step s;

	fixture_open(&f);
	fixture_load(&f, "vars = { unit = \"ms\"; };\nmatrix = { limit = [10, 20]; };\n" STEP(
				 "[\"write.p99 < ${limit}${unit}\", \"iops > 1\"]"));
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(job_step_resolve(&f.job, 0, 1, &s, &f.d), 0);
	CU_ASSERT_EQUAL_FATAL(s.n_expects, 2);
	CU_ASSERT_STRING_EQUAL(s.expects[0].text, "write.p99 < 20ms");
	CU_ASSERT_DOUBLE_EQUAL(s.expects[0].value, 2e7, 0);
	step_release(&s);
	fixture_close(&f);
	CU_ASSERT_TRUE(fixture_says(
		"matrix = { limit = [\"10ms\", \"20\"]; };\n" STEP("\"write.p99 < ${limit}\""),
		"t.job:2: sequential: expect = \"write.p99 < 20\": write.p99 is compared with a "
		"time, as "
		"10ms: \"20\" needs a unit: write \"20s\" or \"20ms\"\n"));
}

/* ---- judging --------------------------------------------------------------------------------- */

static void test_met(void)
{
	/* By EXPECT_LT, LE, GT, GE, EQ, NE, for 1, 2 and 3 against 2. */
	static const char *const want[] = { "ynn", "yyn", "nny", "nyy", "nyn", "yny" };
	struct expect x = { .value = 2 };

	for (x.cmp = EXPECT_LT; x.cmp <= EXPECT_NE; x.cmp++) {
		for (int v = 1; v <= 3; v++) {
			bool expected = want[x.cmp][v - 1] == 'y';

			CU_ASSERT_EQUAL(expect_met(&x, v), expected);
		}
	}
}

static json_t *record(const struct step *s)
{
	static const char text[] =
		"{\"metrics\": {\"throughput\": {\"value\": 2e8}, \"iops\": {\"value\": null}},"
		" \"latency\": {\"write\": {\"count\": 500, \"min\": 10, \"max\": 9000, \"mean\": "
		"70.5,"
		" \"percentiles\": {\"50\": 60.5, \"99\": null}}}}";
	json_t *rec = js_parse(text, strlen(text), "record", NULL);

	js_set(rec, "expect", judge_open(s));
	judge_step(s, rec);
	return rec;
}

static void test_judge(void)
{
	static const struct {
		const char *text;
		double value;
		bool met;
		const char *reason;
	} rows[] = {
		{ "throughput > 100MiB/s", 2e8, true, NULL },
		{ "throughput > 1GiB/s", 2e8, false, NULL },
		{ "iops > 5", NAN, false, "iops has no value" },
		{ "write.p50 < 61ns", 60.5, true, NULL },
		{ "write.p99 < 1s", NAN, false, "500 samples are too few for p99" },
		{ "write.max <= 9000ns", 9000, true, NULL },
		{ "write.count == 500", 500, true, NULL },
		{ "read.p50 < 1s", NAN, false, "no read was measured" },
		{ "read.count > 0", 0, false, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *job = xasprintf(STEP("\"%s\""), rows[i].text);
		json_t *rec, *o, *steps = js_array();
		struct fixture f;
		struct step s;

		fixture_open(&f);
		fixture_load(&f, job);
		CU_ASSERT_EQUAL(job_step_resolve(&f.job, 0, 0, &s, &f.d), 0);
		rec = record(&s);
		o = json_array_get(json_object_get(rec, "expect"), 0);
		CU_ASSERT_STRING_EQUAL(js_get_str(o, "text", ""), rows[i].text);
		CU_ASSERT_EQUAL(json_is_true(json_object_get(o, "met")), rows[i].met);
		CU_ASSERT_EQUAL(json_is_false(json_object_get(o, "met")), !rows[i].met);
		CU_ASSERT(str_eq(js_get_str(o, "reason", NULL), rows[i].reason));
		CU_ASSERT(isnan(rows[i].value) ? json_is_null(json_object_get(o, "value"))
					       : js_get_real(o, "value", -1) == rows[i].value);
		js_push(steps, rec);
		CU_ASSERT(str_eq(judge_trial(steps), rows[i].met ? "met" : "failed"));
		json_decref(steps);
		step_release(&s);
		fixture_close(&f);
	}
}

/* What was not judged is neither met nor failed. */
static void test_trial(void)
{
	static const struct {
		const char *steps, *want;
	} rows[] = {
		{ "[]", NULL },
		{ "[{\"expect\": []}]", NULL },
		{ "[{\"expect\": [{\"met\": true}]}, {\"expect\": [{\"met\": true}]}]", "met" },
		{ "[{\"expect\": [{\"met\": true}, {\"met\": null}]}]", NULL },
		{ "[{\"expect\": [{\"met\": null}, {\"met\": false}]}]", "failed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		json_t *steps = js_parse(rows[i].steps, strlen(rows[i].steps), "steps", NULL);

		CU_ASSERT(str_eq(judge_trial(steps), rows[i].want));
		json_decref(steps);
	}
}

void test_job_expect(void)
{
	CU_pSuite s = CU_add_suite("job expect", NULL, NULL);

	CU_add_test(s, "reading", test_read);
	CU_add_test(s, "errors", test_errors);
	CU_add_test(s, "factors", test_factors);
	CU_add_test(s, "signs", test_met);
	CU_add_test(s, "judging", test_judge);
	CU_add_test(s, "a trial", test_trial);
}
