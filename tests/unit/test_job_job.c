/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/job/job, frame, target and the list of steps. */
#include <CUnit/CUnit.h>
#include <string.h>
#include <time.h>

#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_job_job(void);

#define STEPS "steps = ( { setup = \"mkfs\"; fs = \"xfs\"; } );\n"

static void test_defaults(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_STRING_EQUAL(f.job.name, "t");
	CU_ASSERT_PTR_NULL(f.job.description);
	CU_ASSERT_EQUAL(f.job.repeats, 5);
	CU_ASSERT_EQUAL(f.job.order, ORDER_SHUFFLED);
	CU_ASSERT_EQUAL(f.job.seed, 0);
	CU_ASSERT_EQUAL(f.job.target.kind, TARGET_SCRATCH);
	CU_ASSERT_EQUAL(f.job.target.scratch_size, 2ULL << 30);
	CU_ASSERT_EQUAL(f.job.target.scratch_sector, 512);
	CU_ASSERT_STRING_EQUAL(f.job.target.scratch_dir, "/var/tmp");
	CU_ASSERT_EQUAL(f.job.names.target_size, 2ULL << 30);
	CU_ASSERT_EQUAL(strlen(f.job.sha256), 64);
	CU_ASSERT_EQUAL(f.job.n_steps, 1);
	CU_ASSERT_EQUAL(f.job.n_once, 0);
	fixture_close(&f);
}

static void test_frame(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, "job = \"x-${v}\"; description = \"d\"; repeats = 3; order = \"listed\"; "
			 "seed = 7;\nvars = { v = 1; };\n"
			 "once = ( { setup = \"tune\"; } );\n" STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_STRING_EQUAL(f.job.name, "x-1");
	CU_ASSERT_STRING_EQUAL(f.job.description, "d");
	CU_ASSERT_EQUAL(f.job.repeats, 3);
	CU_ASSERT_EQUAL(f.job.order, ORDER_LISTED);
	CU_ASSERT_EQUAL(f.job.seed, 7);
	CU_ASSERT_EQUAL(f.job.n_steps, 2);
	CU_ASSERT_EQUAL(f.job.n_once, 1);
	CU_ASSERT_TRUE(f.job.steps[0].once);
	CU_ASSERT_STRING_EQUAL(f.job.steps[0].name, "tune");
	f.opt.repeats = 9;
	fixture_load(&f, NULL);
	CU_ASSERT_EQUAL(f.job.repeats, 9);
	fixture_close(&f);
}

static void test_frame_errors(void)
{
	CU_ASSERT_TRUE(fixture_says(
		"reapeats = 5;\nrepeats = 0;\norder = \"random\";\nseed = -1;\njob = \"a/b\";\nbs "
		"= \"4k\";\n"
		"matrix = { a = [1]; };\ndescription = \"${a}\";\n" STEPS,
		"t.job:1: unknown key \"reapeats\"; did you mean \"repeats\"?\n"
		"t.job:2: repeats = 0: must be at least 1\n"
		"t.job:3: order = \"random\": not one of shuffled, listed\n"
		"t.job:4: seed = -1: must not be negative\n"
		"t.job:5: job = \"a/b\": a name has 1 to 100 characters, no \"/\" and no \".\" in "
		"front\n"
		"t.job:6: unknown key \"bs\": it belongs into a step or into global\n"
		"t.job:8: ${a} is a factor of the matrix, but this is one for all variants\n"));
	CU_ASSERT_TRUE(
		fixture_says("repeats = 1;\n", "t.job: steps is needed: what the job does\n"));
	CU_ASSERT_TRUE(fixture_says("steps = ();\n", "t.job:1: steps: the list is empty\n"));
	CU_ASSERT_TRUE(fixture_says(
		"steps = { setup = \"mkfs\"; };\n",
		"t.job:1: steps: expects a list of groups: ( { setup = \"...\"; }, ... )\n"));
	CU_ASSERT_TRUE(fixture_says(
		"global = 1;\nvars = 2;\ntarget = 3;\n" STEPS,
		"t.job:1: global: expects a group: { bs = \"1MiB\"; }\n"
		"t.job:2: vars: expects a group: vars = { name = value; };\n"
		"t.job:3: target: expects a group, as in target = { scratch = \"2GiB\"; };\n"));
}

static void test_target(void)
{
	struct fixture f;
	_cleanup_free_ char *want = NULL;

	fixture_open(&f);
	fixture_load(&f, "vars = { n = 4; };\ntarget = { scratch = \"${n}GiB\"; sector_size = "
			 "4096; scratch_dir = \"img\"; };\n" STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.target.scratch_size, 4ULL << 30);
	CU_ASSERT_EQUAL(f.job.target.scratch_sector, 4096);
	want = xasprintf("%s/img", f.dir);
	CU_ASSERT_STRING_EQUAL(f.job.target.scratch_dir, want);
	CU_ASSERT_EQUAL(f.job.target.line, 2);
	fixture_load(&f, "target = { device = \"/dev/nowhere1\"; destroy = \"nowhere1\"; overwrite "
			 "= true; };\n" STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.target.kind, TARGET_DEVICE);
	CU_ASSERT_STRING_EQUAL(f.job.target.devices[0], "/dev/nowhere1");
	CU_ASSERT_STRING_EQUAL(f.job.target.destroy[0], "nowhere1");
	CU_ASSERT_PTR_NULL(f.job.target.destroy[1]);
	CU_ASSERT_TRUE(f.job.target.overwrite);
	CU_ASSERT_EQUAL(f.job.names.target_size, 0);
	fixture_load(&f, "target = { directory = \".\"; };\n" STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.target.kind, TARGET_DIRECTORY);
	CU_ASSERT_TRUE(str_starts(f.job.target.directory, f.dir));
	CU_ASSERT_TRUE(f.job.names.target_size > 0);
	fixture_close(&f);
}

static void test_target_options(void)
{
	static const char *const destroy[] = { "sdx", "wwn-1" };
	struct fixture f;

	fixture_open(&f);
	f.opt.destroy = destroy;
	f.opt.n_destroy = 2;
	fixture_load(&f,
		     "target = { device = \"/dev/nowhere1\"; destroy = [\"nowhere1\"]; };\n" STEPS);
	CU_ASSERT_STRING_EQUAL(f.job.target.destroy[0], "nowhere1");
	CU_ASSERT_STRING_EQUAL(f.job.target.destroy[2], "wwn-1");
	CU_ASSERT_PTR_NULL(f.job.target.destroy[3]);
	f.opt.directory = "/tmp";
	fixture_load(&f, NULL);
	CU_ASSERT_EQUAL(f.job.target.kind, TARGET_DIRECTORY);
	CU_ASSERT_STRING_EQUAL(f.job.target.directory, "/tmp");
	f.opt.directory = "rel";
	fixture_load(&f, NULL);
	CU_ASSERT_EQUAL(f.job.target.directory[0], '/');
	CU_ASSERT_TRUE(str_ends(f.job.target.directory, "/rel"));
	fixture_close(&f);
}

static void test_target_errors(void)
{
	CU_ASSERT_TRUE(fixture_says(
		"target = { scratch = \"2GiB\"; device = \"/dev/x\"; };\n" STEPS,
		"t.job:1: target: only one of scratch, device, devices and directory can be the target\n"));
	CU_ASSERT_TRUE(fixture_says(
		"target = { scratch = \"512KiB\";\n destroy = \"sda\";\n sector = 512; };\n" STEPS,
		"t.job:1: target: scratch = \"512KiB\": must be at least 1MiB\n"
		"t.job:2: target: destroy goes with device, and this target is a scratch\n"
		"t.job:3: target: unknown key \"sector\"\n"));
	CU_ASSERT_TRUE(fixture_says("target = { scratch = \"2GiB\"; sector_size = 1024; };\n" STEPS,
				    "t.job:1: target: sector_size = 1024: must be 512 or 4096\n"));
	CU_ASSERT_TRUE(fixture_says(
		"target = { device = \"sdb1\"; };\n" STEPS,
		"t.job:1: target: device = \"sdb1\": expects a full path, \"/dev/sdb1\"\n"));
	CU_ASSERT_TRUE(fixture_says(
		"matrix = { d = [\"/dev/a\"]; };\ntarget = { device = \"${d}\"; };\n" STEPS,
		"t.job:2: target: ${d} is a factor of the matrix, but this is one for all "
		"variants\n"));
	CU_ASSERT_TRUE(fixture_says(
		"target = { scratch = \"50%\"; };\n" STEPS,
		"t.job:1: target: scratch = \"50%\": the size of the target is not known here\n"));
}

static void test_step_forms(void)
{
	CU_ASSERT_TRUE(fixture_steps_say(
		"{ setup = \"mkfs\"; workload = \"ops\"; },\n{ name = \"x\"; },\n7,\n"
		"{ parallel = ( ); stop = \"first\"; },\n"
		"{ workload = \"ops\"; expect = \"fdatasync.p99 < 10ms\"; },\n{ setup = \"mkfss\"; "
		"fs = \"x\"; },\n"
		"{ setup = \"ops\"; },\n{ workload = 5; }",
		"t.job:2: a step is either a setup or a workload, not both\n"
		"t.job:3: a step needs setup = \"...\" or workload = \"...\"\n"
		"t.job:4: a step is a group: { setup = \"...\"; }\n"
		"t.job:5: parallel: the list is empty\n"
		"t.job:6: ops: expect = \"fdatasync.p99 < 10ms\": unknown latency \"fdatasync\"; "
		"there are: link, unlink\n"
		"t.job:7: there is no setup \"mkfss\", did you mean \"mkfs\"?\n"
		"t.job:8: \"ops\" is of kind workload, not setup\n"
		"t.job:9: workload: expects a text\n"));
}

static void test_once(void)
{
	CU_ASSERT_TRUE(fixture_says(
		"matrix = { a = [1, 2]; };\nonce = ( { workload = \"ops\"; },\n { setup = "
		"\"tune\"; n = \"${a}\"; },\n"
		" { setup = \"tune\"; when = \"a == 1\"; } );\n" STEPS,
		"t.job:2: a workload cannot stand in `once`: it has setup steps only\n"
		"t.job:3: tune: ${a} is a factor of the matrix, but this is one for all variants\n"
		"t.job:4: tune: `when` has no meaning in `once`: no variant has begun\n"));
}

static void test_names(void)
{
	struct fixture f;

	CU_ASSERT_TRUE(fixture_steps_say("{ workload = \"ops\"; },\n{ workload = \"ops\"; },\n{ "
					 "setup = \"tune\"; name = \"a\"; },\n"
					 "{ setup = \"mkfs\"; fs = \"x\"; name = \"a\"; }",
					 "t.job:3: two steps are called ops: give each a name\n"
					 "t.job:5: two steps are called a: give each a name\n"));
	fixture_open(&f);
	fixture_load(&f, "steps = ( { setup = \"tune\"; }, { setup = \"tune\"; name = \"tune-2\"; "
			 "}, { setup = \"tune\"; } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_STRING_EQUAL(f.job.steps[0].name, "tune");
	CU_ASSERT_STRING_EQUAL(f.job.steps[2].name, "tune-3");
	fixture_close(&f);
}

static void test_unknown_keys(void)
{
	CU_ASSERT_TRUE(fixture_steps_say(
		"{ setup = \"mkfs\"; fs = \"x\"; agcont = 4; quux = 1; size = \"4KiB\"; },\n"
		"{ workload = \"ops\"; numjosb = 3; bs = \"4KiB\"; }",
		"t.job:2: mkfs: unknown key \"agcont\"; did you mean \"agcount\"?\n"
		"t.job:2: mkfs: unknown key \"quux\"; `fstrial plugins mkfs` lists what there is\n"
		"t.job:2: mkfs: unknown key \"size\"; `fstrial plugins mkfs` lists what there is\n"
		"t.job:3: ops: unknown key \"numjosb\"; did you mean \"numjobs\"?\n"
		"t.job:3: ops: unknown key \"bs\"; `fstrial plugins ops` lists what there is\n"));
}

static void test_all_at_once(void)
{
	CU_ASSERT_TRUE(
		fixture_says("repeat = 3;\ntarget = { scratch = 5; };\nmatrix = { agcount = [2,\n "
			     "5000]; fs = [\"xfs\"]; };\n"
			     "global = { sz = \"1MiB\"; };\n"
			     "steps = ( { setup = \"mkfs\"; fs = \"${fs}\"; agcount = "
			     "\"${agcount}\"; agsize = 6000000000; },\n"
			     "{ workload = \"sequential\"; rw = \"raed\"; iodepth = 4; } );\n",
			     "t.job:1: unknown key \"repeat\"; did you mean \"repeats\"?\n"
			     "t.job:2: target: scratch = 5 needs a unit: write \"5B\" or \"5KiB\"\n"
			     "t.job:4: mkfs: agcount = 5000: must be at most 1000\n"
			     "t.job:5: global: unknown key \"sz\": no workload of this job has it\n"
			     "t.job:6: 6000000000 does not fit into 32 bits: write \"6000000000\" "
			     "in quotes, or with a unit\n"
			     "t.job:7: sequential: rw = \"raed\": not one of read, write; did you "
			     "mean \"read\"?\n"
			     "t.job:7: sequential: size is needed\n"
			     "t.job:7: sequential: iodepth = 4: engine psync is synchronous and "
			     "does one I/O at a time; "
			     "engines that queue: deep, ring\n"));
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/*
 * 100,000 variants, five steps that each depend on one or two factors. Generous: for sanitizers,
 * too.
 */
static void test_scale(void)
{
	struct strbuf sb = STRBUF_INIT;
	struct fixture f;
	double start;

	strbuf_addstr(&sb, "matrix = {\n");
	for (int c = 'a'; c <= 'e'; c++)
		strbuf_addf(&sb, " %c = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];\n", c);
	strbuf_addstr(&sb, "};\nglobal = { size = \"1GiB\"; };\nsteps = (\n");
	strbuf_addstr(&sb, "{ setup = \"tune\"; n = \"${a}\"; }, { setup = \"mkfs\"; fs = \"xfs\"; "
			   "agcount = \"${b}\"; },\n");
	strbuf_addstr(&sb, "{ setup = \"tune\"; text = \"${c}\"; when = \"d > 5\"; },\n");
	strbuf_addstr(&sb, "{ workload = \"sequential\"; numjobs = \"${d}\"; loops = \"${e}\"; }, "
			   "{ workload = \"ops\"; } );\n");
	fixture_open(&f);
	start = seconds();
	fixture_load(&f, strbuf_str(&sb));
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.n_variants, 100000);
	CU_ASSERT_TRUE(seconds() - start < 1.0);
	fixture_close(&f);
	strbuf_free(&sb);
}

void test_job_job(void)
{
	CU_pSuite s = CU_add_suite("job job", NULL, NULL);

	CU_add_test(s, "defaults", test_defaults);
	CU_add_test(s, "frame", test_frame);
	CU_add_test(s, "errors in the frame", test_frame_errors);
	CU_add_test(s, "targets", test_target);
	CU_add_test(s, "targets of the command line", test_target_options);
	CU_add_test(s, "errors in targets", test_target_errors);
	CU_add_test(s, "what a step is", test_step_forms);
	CU_add_test(s, "once", test_once);
	CU_add_test(s, "names of steps", test_names);
	CU_add_test(s, "unknown keys", test_unknown_keys);
	CU_add_test(s, "everything at once", test_all_at_once);
	CU_add_test(s, "100,000 variants", test_scale);
}
