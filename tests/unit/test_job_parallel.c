/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/job/parallel: groups of workloads, their keys and their members. */
#include <CUnit/CUnit.h>

#include "core/util/str.h"
#include "job_fixture.h"

void test_job_parallel(void);

#define A "{ workload = \"ops\"; name = \"a\"; }"
#define B "{ workload = \"ops\"; name = \"b\"; }"

static void test_group(void)
{
	const struct job_parallel *g;
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f,
		     "vars = { who = \"b\"; };\n"
		     "steps = ( { setup = \"mkfs\"; fs = \"xfs\"; },\n"
		     "{ parallel = ( " A ", " B " ); stop = \"${who}\"; name = \"mix\"; "
		     "shared_files = true; },\n"
		     "{ workload = \"ops\"; name = \"c\"; },\n"
		     "{ parallel = ( { workload = \"ops\"; name = \"d\"; }, { workload = \"ops\"; "
		     "name = \"e\"; } ); } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL_FATAL(f.job.n_steps, 6);
	CU_ASSERT_PTR_NULL(f.job.steps[0].parallel);
	g = f.job.steps[1].parallel;
	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_PTR_EQUAL(g, f.job.steps[2].parallel);
	CU_ASSERT_STRING_EQUAL(g->name, "mix");
	CU_ASSERT(g->first == 1 && g->n == 2 && g->shared_files);
	CU_ASSERT(g->stop == PARALLEL_NAMED && g->stop_at == 2);
	CU_ASSERT_STRING_EQUAL(g->stop_word, "b");
	CU_ASSERT_PTR_NULL(f.job.steps[3].parallel);
	g = f.job.steps[4].parallel;
	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_STRING_EQUAL(g->name, "parallel");
	CU_ASSERT(g->stop == PARALLEL_ALL && !g->shared_files && g->first == 4 && g->n == 2);
	CU_ASSERT_STRING_EQUAL(g->stop_word, "all");
	fixture_close(&f);
}

/* Groups without a name are numbered; a name that is taken is left alone. */
static void test_names(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f,
		     "steps = (\n"
		     "{ parallel = ( { workload = \"ops\"; name = \"a\"; }, " B " ); },\n"
		     "{ parallel = ( { workload = \"ops\"; name = \"c\"; }, { workload = \"ops\"; "
		     "name = \"d\"; } ); name = \"parallel-2\"; },\n"
		     "{ parallel = ( { workload = \"ops\"; name = \"e\"; }, { workload = \"ops\"; "
		     "name = \"f\"; } ); } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL_FATAL(f.job.n_parallels, 3);
	CU_ASSERT_STRING_EQUAL(f.job.parallels[0]->name, "parallel");
	CU_ASSERT_STRING_EQUAL(f.job.parallels[2]->name, "parallel-3");
	fixture_close(&f);
}

/* The group's `when` counts for its members, beside their own. */
static void test_when(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f,
		     "matrix = { n = [1, 2, 3]; };\n"
		     "steps = ( { parallel = ( " A ", { workload = \"ops\"; name = \"b\"; when = "
		     "\"n != 2\"; } ); when = \"n > 1\"; } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	for (uint32_t v = 0; v < 3; v++) {
		CU_ASSERT_EQUAL(job_step_active(&f.job, 0, v), v > 0);
		CU_ASSERT_EQUAL(job_step_active(&f.job, 1, v), v == 2);
	}
	CU_ASSERT_EQUAL(f.job.steps[0].factors, 1);
	fixture_close(&f);
}

static void test_errors(void)
{
	CU_ASSERT_TRUE(fixture_steps_say(
		"{ parallel = ( " A ", " B " ); stop = \"frist\"; },\n"
		"{ parallel = ( { setup = \"mkfs\"; fs = \"xfs\"; }, { workload = \"ops\"; } ); "
		"},\n"
		"{ parallel = ( { parallel = ( " A " ); }, 5 ); },\n"
		"{ parallel = \"ops\"; },\n"
		"{ parallel = ( { workload = \"ops\"; name = \"x/y\"; }, { workload = \"ops\"; "
		"name = "
		"\"first\"; } ); stopp = \"all\"; workload = \"ops\"; },\n"
		"{ parallel = ( { workload = \"ops\"; name = \"g\"; }, { workload = \"ops\"; name "
		"= "
		"\"h\"; nosuch = 1; } ); shared_files = \"yes\"; stop = 1; },\n"
		"{ parallel = ( { workload = \"ops\"; name = \"i\"; }, { workload = \"ops\"; name "
		"= "
		"\"i\"; } ); stop = \"nobody\"; }",
		"t.job:2: stop = \"frist\": did you mean \"first\"?\n"
		"t.job:3: a setup step cannot stand in `parallel`: it has workloads only\n"
		"t.job:4: `parallel` cannot stand in `parallel`\n"
		"t.job:4: a step is a group: { setup = \"...\"; }\n"
		"t.job:5: parallel: expects a list of groups: ( { workload = \"...\"; }, ... )\n"
		"t.job:6: unknown key \"stopp\"; did you mean \"stop\"?\n"
		"t.job:6: a group is either a step or `parallel`, which holds steps\n"
		"t.job:6: name = \"x/y\": in `parallel` a name has 1 to 100 characters, no \"/\" "
		"and "
		"no \".\" in front: the files are in a directory of that name\n"
		"t.job:6: name = \"first\" is a word of stop in `parallel`\n"
		"t.job:7: shared_files: expects true or false\n"
		"t.job:7: h: unknown key \"nosuch\"; `fstrial plugins ops` lists what there is\n"
		"t.job:7: stop: expects a text\n"
		"t.job:8: two steps are called i: give each a name\n"
		"t.job:8: stop = \"nobody\": there are: all, first, i, i\n"));
	CU_ASSERT_TRUE(
		fixture_says("once = ( { parallel = ( " A ", " B " ); } );\nsteps = ( { setup = "
			     "\"mkfs\"; fs = \"xfs\"; } );\n",
			     "t.job:1: `parallel` cannot stand in `once`: it has setup steps "
			     "only\n"));
	CU_ASSERT_TRUE(fixture_says(
		"matrix = { n = [1, 2]; };\nsteps = ( { parallel = ( " A
		", { workload = \"ops\"; name "
		"= \"b\"; when = \"n > 1\"; } ); stop = \"b\"; } );\n",
		"t.job:2: stop = \"b\": that step has a `when`: without it nothing would stop the "
		"others\n"));
	CU_ASSERT_TRUE(fixture_steps_say(
		"{ parallel = ( " A ", " B
		" ); name = \"p\"; },\n{ parallel = ( { workload = \"ops\"; "
		"name = \"c\"; }, { workload = \"ops\"; name = \"d\"; } ); name = \"p\"; }",
		"t.job:2: two groups are called p\nt.job:3: two groups are called p\n"));
}

void test_job_parallel(void)
{
	CU_pSuite s = CU_add_suite("job parallel", NULL, NULL);

	CU_add_test(s, "a group", test_group);
	CU_add_test(s, "names", test_names);
	CU_add_test(s, "when", test_when);
	CU_add_test(s, "errors", test_errors);
}
