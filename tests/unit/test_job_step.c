/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of core/job/step: resolved parameters, engines, checks between them, distinct combinations.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <string.h>

#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_job_step(void);

static void test_setup(void)
{
	const struct mkfs_cfg *cfg;
	struct fixture f;
	struct step s;

	fixture_open(&f);
	fixture_load(&f, "matrix = { agcount = [2, 8]; };\n"
			 "steps = ( { setup = \"mkfs\"; fs = \"xfs\"; agcount = \"${agcount}\"; "
			 "timeout = \"5m\"; } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(job_step_resolve(&f.job, 0, 1, &s, &f.d), 0);
	cfg = s.cfg;
	CU_ASSERT_STRING_EQUAL(cfg->fs, "xfs");
	CU_ASSERT_EQUAL(cfg->agcount, 8);
	CU_ASSERT_EQUAL(cfg->agsize, 0);
	CU_ASSERT_EQUAL(s.opt.timeout_ns, 300000000000ULL);
	CU_ASSERT_EQUAL(s.n_layers, 2);
	CU_ASSERT_PTR_NULL(s.engine);
	step_release(&s);
	fixture_close(&f);
}

static void test_workload(void)
{
	struct fixture f;
	struct step s;
	json_t *o;

	fixture_open(&f);
	fixture_load(&f, "global = { size = \"1GiB\"; bs = \"1MiB\"; ioengine = \"ring\"; iodepth "
			 "= 8; sqpoll = 3; };\n"
			 "steps = ( { workload = \"sequential\"; bs = \"4KiB\"; rw = \"write\"; "
			 "numjobs = 2; runtime = \"1m\"; },\n"
			 "{ workload = \"ops\"; }, { setup = \"mkfs\"; fs = \"xfs\"; } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(job_step_resolve(&f.job, 0, 0, &s, &f.d), 0);
	CU_ASSERT_EQUAL(s.n_layers, 5);
	CU_ASSERT_EQUAL(s.io.bs, 4096);
	CU_ASSERT_EQUAL(s.io.size, 1ULL << 30);
	CU_ASSERT_EQUAL(s.io.iodepth, 8);
	CU_ASSERT_STRING_EQUAL(s.engine->desc.name, "ring");
	CU_ASSERT_EQUAL(*(const uint64_t *)s.engine_cfg, 3);
	CU_ASSERT_EQUAL(((const struct sequential_cfg *)s.cfg)->rw, 1);
	CU_ASSERT_EQUAL(s.opt.numjobs, 2);
	CU_ASSERT_EQUAL(s.opt.timeout_ns, 24ULL * 3600 * 1000000000);
	CU_ASSERT_EQUAL(s.io_public.struct_size, sizeof(s.io_public));
	CU_ASSERT_EQUAL(s.io_public.iodepth, 8);
	CU_ASSERT_TRUE(s.io_public.time_based);
	o = step_params_json(&s);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "bs")), 4096);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "sqpoll")), 3);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(o, "buffers")), "random");
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(o, "rw")), "write");
	CU_ASSERT_EQUAL(json_object_size(o), 1 + 8 + 34 + 1 + 1);
	json_decref(o);
	step_release(&s);
	/* A workload without I/O of the core's takes from global what it knows. */
	CU_ASSERT_EQUAL(job_step_resolve(&f.job, 1, 0, &s, &f.d), 0);
	CU_ASSERT_EQUAL(s.opt.numjobs, 1);
	CU_ASSERT_PTR_NULL(s.engine);
	CU_ASSERT_EQUAL(s.n_layers, 3);
	step_release(&s);
	fixture_close(&f);
}

static void test_not_time_based(void)
{
	struct fixture f;
	struct step s;

	fixture_open(&f);
	fixture_load(&f, "steps = ( { workload = \"sequential\"; size = \"1MiB\"; } );\n");
	CU_ASSERT_EQUAL(job_step_resolve(&f.job, 0, 0, &s, &f.d), 0);
	/* Without a runtime there is an end. */
	CU_ASSERT_FALSE(s.io_public.time_based);
	step_release(&s);
	fixture_close(&f);
}

static void test_global_errors(void)
{
	CU_ASSERT_TRUE(fixture_says(
		"global = { size = 4096;\n bsz = \"1MiB\";\n agcount = 3;\n setup = 1;\n iodepht = "
		"3; };\n"
		"steps = ( { workload = \"sequential\"; }, { workload = \"sequential\"; name = "
		"\"b\"; },\n"
		"{ setup = \"mkfs\"; fs = \"xfs\"; } );\n",
		"t.job:1: global: size = 4096 needs a unit: write \"4096B\" or \"4KiB\"\n"
		"t.job:2: global: unknown key \"bsz\"; did you mean \"bs\"?\n"
		"t.job:3: global: agcount is a parameter of the setup step mkfs: global is for "
		"workloads only\n"
		"t.job:4: global: unknown key \"setup\": no workload of this job has it\n"
		"t.job:5: global: unknown key \"iodepht\"; did you mean \"iodepth\"?\n"));
	/* Own values win, so that global's is not even looked at. */
	CU_ASSERT_TRUE(fixture_says("global = { size = \"8MiB\"; bs = \"16MiB\"; };\n"
				    "steps = ( { workload = \"sequential\"; bs = \"4KiB\"; } );\n",
				    ""));
}

static void test_engines(void)
{
	CU_ASSERT_TRUE(fixture_steps_say(
		"{ workload = \"sequential\"; name = \"a\"; size = \"1GiB\"; iodepth = 1024; },\n"
		"{ workload = \"sequential\"; name = \"b\"; size = \"1GiB\"; iodepth = 65; "
		"ioengine = \"ring\"; },\n"
		"{ workload = \"sequential\"; name = \"c\"; size = \"1GiB\"; iodepth = 65; "
		"ioengine = \"deep\"; },\n"
		"{ workload = \"sequential\"; name = \"d\"; size = \"1GiB\"; ioengine = "
		"\"liburing\"; sqpoll = 1; },\n"
		"{ workload = \"sequential\"; name = \"e\"; size = \"1GiB\"; sqpoll = 1; }",
		"t.job:2: a: iodepth = 1024: engine psync is synchronous and does one I/O at a "
		"time; engines "
		"that queue: deep, ring\n"
		"t.job:3: b: iodepth = 65: engine ring takes at most 64 I/Os at a time\n"
		"t.job:5: d: ioengine = \"liburing\": there is no engine \"liburing\"; there are: "
		"deep, psync, ring\n"
		"t.job:6: e: unknown key \"sqpoll\"; `fstrial plugins sequential` lists what there "
		"is\n"));
}

static void test_engine_of_the_matrix(void)
{
	CU_ASSERT_TRUE(fixture_says("matrix = { e = [\"psync\", \"ring\"];\n d = [1,\n 4]; "
				    "};\nskip = ( { e = \"psync\"; d = 4; } );\n"
				    "global = { ioengine = \"${e}\"; iodepth = \"${d}\"; sqpoll = "
				    "1; size = \"1GiB\"; };\n"
				    "steps = ( { workload = \"sequential\"; } );\n",
				    ""));
	CU_ASSERT_TRUE(
		fixture_says("matrix = { e = [\"psync\", \"ring\", \"aoi\"];\n d = [1,\n 4]; };\n"
			     "global = { ioengine = \"${e}\"; iodepth = \"${d}\"; sqpol = 1; size "
			     "= \"1GiB\"; };\n"
			     "steps = ( { workload = \"sequential\"; } );\n",
			     "t.job:1: sequential: ioengine = \"aoi\": there is no engine \"aoi\"; "
			     "there are: deep, psync, ring\n"
			     "t.job:3: sequential: iodepth = 4: engine psync is synchronous and "
			     "does one I/O at a time; engines "
			     "that queue: deep, ring\n"
			     "t.job:4: global: unknown key \"sqpol\"; did you mean \"sqpoll\"?\n"));
}

static void test_checks(void)
{
	CU_ASSERT_TRUE(fixture_steps_say(
		"{ workload = \"sequential\"; name = \"a\"; size = \"1KiB\"; },\n"
		"{ workload = \"sequential\"; name = \"b\"; size = \"1MiB\"; nrfiles = 1000; },\n"
		"{ workload = \"sequential\"; name = \"c\"; size = \"22MiB\"; bs = \"2300B\"; "
		"fdatasync = 1; },\n"
		"{ workload = \"sequential\"; name = \"d\"; },\n"
		"{ workload = \"sequential\"; name = \"e\"; size = \"1MiB\"; time_based = true; "
		"},\n"
		"{ workload = \"ops\"; numjobs = 5; },\n"
		"{ setup = \"mkfs\"; agcount = \"abc\"; },\n"
		"{ setup = \"tune\"; n = 1; number = 2; },\n"
		"{ workload = \"clash\"; size = \"1MiB\"; }",
		"t.job:2: a: size = \"1KiB\" is smaller than one I/O of bs = \"4KiB\"\n"
		"t.job:3: b: nrfiles = 1000: each file gets less of size = \"1MiB\" than one I/O "
		"of bs = \"4KiB\"\n"
		"t.job:5: d: size is needed\n"
		"t.job:6: e: time_based = true: a runtime is needed\n"
		"t.job:7: ops: numjobs = 5: workload ops takes at most 4\n"
		"t.job:8: mkfs: agcount = \"abc\": not a number\n"
		"t.job:8: mkfs: fs is needed\n"
		"t.job:9: tune: number is another name of n, which is given, too\n"
		"t.job:10: clash: parameter \"bs\" of plugin clash is one of \"io\" already\n"));
}

static void test_target_size(void)
{
	struct fixture f;
	struct step s;

	fixture_open(&f);
	fixture_load(&f, "target = { scratch = \"8GiB\"; };\nsteps = ( { workload = "
			 "\"sequential\"; size = \"25%\"; } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(job_step_resolve(&f.job, 0, 0, &s, &f.d), 0);
	CU_ASSERT_EQUAL(s.io.size, 2ULL << 30);
	step_release(&s);
	fixture_close(&f);
	CU_ASSERT_TRUE(fixture_says(
		"target = { device = \"/dev/nowhere1\"; };\nsteps = ( { workload = \"sequential\"; "
		"size = \"25%\"; } );\n",
		"t.job:2: sequential: size = \"25%\": the size of the target is not known here\n"));
}

struct seen {
	uint32_t calls, variants;
	size_t steps[3];
};

static int see(const struct job *job, size_t step, uint32_t variant, uint32_t n_variants, void *arg)
{
	struct seen *s = arg;

	(void)job;
	(void)variant;
	s->calls++;
	s->variants += n_variants;
	s->steps[step]++;
	return 0;
}

static int stop(const struct job *job, size_t step, uint32_t variant, uint32_t n_variants,
		void *arg)
{
	see(job, step, variant, n_variants, arg);
	return -EINTR;
}

static void test_distinct(void)
{
	struct seen s = { 0 };
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, "matrix = { a = [1, 2, 3]; b = [1, 2]; c = [1, 2]; };\nskip = ( { a = 3; "
			 "b = 2; } );\nvars = { v = \"${a}\"; };\n"
			 "steps = ( { setup = \"mkfs\"; fs = \"xfs\"; }, { setup = \"tune\"; n = "
			 "\"${v}\"; text = \"${b}\"; },\n"
			 "{ setup = \"tune\"; n = \"${a}\"; when = \"c == 2\"; } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.n_variants, 10);
	CU_ASSERT_EQUAL(job_each_distinct(&f.job, see, &s), 0);
	CU_ASSERT_EQUAL(s.steps[0], 1);
	CU_ASSERT_EQUAL(s.steps[1], 5);
	CU_ASSERT_EQUAL(s.steps[2], 3);
	CU_ASSERT_EQUAL(s.variants, 10 + 10 + 5);
	s = (struct seen){ 0 };
	CU_ASSERT_EQUAL(job_each_distinct(&f.job, stop, &s), -EINTR);
	CU_ASSERT_EQUAL(s.calls, 1);
	fixture_close(&f);
}

void test_job_step(void)
{
	CU_pSuite s = CU_add_suite("job step", NULL, NULL);

	CU_add_test(s, "a setup step", test_setup);
	CU_add_test(s, "a workload with engine and global", test_workload);
	CU_add_test(s, "time_based without a runtime", test_not_time_based);
	CU_add_test(s, "errors in global", test_global_errors);
	CU_add_test(s, "engines", test_engines);
	CU_add_test(s, "engines that vary", test_engine_of_the_matrix);
	CU_add_test(s, "checks between parameters", test_checks);
	CU_add_test(s, "sizes of the target", test_target_size);
	CU_add_test(s, "distinct combinations", test_distinct);
}
