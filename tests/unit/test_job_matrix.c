/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/job/matrix and skip. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "core/util/strbuf.h"
#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_job_matrix(void);

#define STEPS "steps = ( { setup = \"mkfs\"; fs = \"xfs\"; } );\n"

static void test_none(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.n_cells, 1);
	CU_ASSERT_EQUAL(f.job.n_variants, 1);
	{
		_cleanup_free_ char *text = job_variant_text(&f.job, 0);
		_cleanup_free_ char *id = job_variant_id(&f.job, 0);

		CU_ASSERT_STRING_EQUAL(text, "");
		CU_ASSERT_STRING_EQUAL(id, "v01");
	}
	fixture_close(&f);
}

static void test_product(void)
{
	static const char *const texts[] = { "a=1 b=x c=true", "a=1 b=y c=true", "a=2.5 b=x c=true",
					     "a=2.5 b=y c=true" };
	struct fixture f;
	json_t *o;

	fixture_open(&f);
	fixture_load(&f, "matrix = { a = (1, 2.5); b = ( { name = \"x\"; }, { name = \"y\"; } ); c "
			 "= true; };\n" STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.n_variants, 4);
	for (uint32_t i = 0; i < 4; i++) {
		_cleanup_free_ char *text = job_variant_text(&f.job, i);

		CU_ASSERT_STRING_EQUAL(text, texts[i]);
	}
	o = job_variant_json(&f.job, 3);
	CU_ASSERT_EQUAL(json_real_value(json_object_get(o, "a")), 2.5);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(o, "b")), "y");
	CU_ASSERT_TRUE(json_is_true(json_object_get(o, "c")));
	json_decref(o);
	fixture_close(&f);
}

static void test_skip(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f,
		     "matrix = { a = [2, 4, 8]; r = [\"128KiB\", \"1MiB\", \"8MiB\"]; };\n"
		     "skip = ( { a = 2; r = [\"128KiB\", \"8m\"]; }, { a = \"8\"; } );\n" STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.n_cells, 9);
	CU_ASSERT_EQUAL(f.job.n_variants, 4);
	CU_ASSERT_EQUAL(f.job.variants[0], 1);
	CU_ASSERT_EQUAL(f.job.variants[3], 5);
	CU_ASSERT_EQUAL(job_variant_choice(&f.job, 0, 0), 0);
	CU_ASSERT_EQUAL(job_variant_choice(&f.job, 0, 1), 1);
	fixture_close(&f);
	CU_ASSERT_TRUE(fixture_says("matrix = { l = ( { name = \"md\"; }, { name = \"lvm\"; } ); "
				    "};\nskip = { l = \"md\"; };\n" STEPS,
				    ""));
}

static void test_skip_errors(void)
{
	CU_ASSERT_TRUE(
		fixture_says("matrix = { a = [2, 4]; };\nskip = ( { b = 2; },\n { aa = 2; },\n { a "
			     "= 3; },\n { a = [2, 5]; },\n"
			     " 7,\n { a = ( { x = 1; } ); } );\n" STEPS,
			     "t.job:2: skip: the matrix has no factor \"b\"\n"
			     "t.job:3: skip: the matrix has no factor \"aa\"; did you mean \"a\"?\n"
			     "t.job:4: skip: a = 3: the matrix has no such value\n"
			     "t.job:5: skip: a = 5: the matrix has no such value\n"
			     "t.job:6: skip: expects groups, as in skip = ( { agcount = 2; } );\n"
			     "t.job:7: skip: a: expects a value or a list of values\n"));
	CU_ASSERT_TRUE(
		fixture_says("matrix = { a = [2, 4]; };\nskip = ( { a = [2, 4]; } );\n" STEPS,
			     "t.job:2: skip: drops every variant\n"));
}

static void test_errors(void)
{
	CU_ASSERT_TRUE(fixture_says(
		"matrix = { a = [];\n b = (1, 1);\n c = (1, { name = \"x\"; });\n d = ( { x = 1; } "
		");\n"
		" e = ( { name = \"x\"; }, { name = \"x\"; } );\n f = ( (1, 2) ); };\n" STEPS,
		"t.job:1: matrix: a has no value\n"
		"t.job:2: matrix: b has the value 1 twice\n"
		"t.job:3: matrix: c: either all values are groups or none is\n"
		"t.job:4: matrix: d: each group needs a name = \"...\"\n"
		"t.job:5: matrix: e has the value x twice\n"
		"t.job:6: matrix: f: a value is a text, a number or a group, not a list\n"));
	CU_ASSERT_TRUE(fixture_says("matrix = 5;\n" STEPS,
				    "t.job:1: matrix: expects a group of lists, as "
				    "in matrix = { agcount = [2, 4]; };\n"));
}

static void test_vars_in_values(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, "vars = { small = \"4KiB\"; };\nmatrix = { bs = [\"${small}\", \"8KiB\"]; "
			 "};\n" STEPS);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	{
		_cleanup_free_ char *text = job_variant_text(&f.job, 0);

		CU_ASSERT_STRING_EQUAL(text, "bs=4KiB");
	}
	fixture_close(&f);
	CU_ASSERT_TRUE(fixture_says(
		"matrix = { a = [1]; b = [\"${a}\"]; };\n" STEPS,
		"t.job:1: ${a} is a factor of the matrix, but this is one for all variants\n"));
}

static void add_factor(struct strbuf *sb, int f, int n)
{
	strbuf_addf(sb, " f%d = [", f);
	for (int i = 0; i < n; i++)
		strbuf_addf(sb, "%s%d", i ? ", " : "", i);
	strbuf_addstr(sb, "];\n");
}

static void test_large(void)
{
	struct strbuf sb = STRBUF_INIT;
	struct fixture f;

	strbuf_addstr(&sb, "matrix = {\n");
	for (int i = 0; i < 7; i++)
		add_factor(&sb, i, 10);
	strbuf_addstr(&sb, "};\nskip = ( { f0 = [1, 2, 3, 4, 5, 6, 7, 8, 9]; f1 = [1, 2, 3, 4, 5, "
			   "6, 7, 8, 9]; } );\n" STEPS);
	fixture_open(&f);
	fixture_load(&f, strbuf_str(&sb));
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.n_cells, 10000000);
	CU_ASSERT_EQUAL(f.job.n_variants, 1900000);
	{
		_cleanup_free_ char *id = job_variant_id(&f.job, 9);

		CU_ASSERT_STRING_EQUAL(id, "v0000010");
	}
	fixture_close(&f);
	strbuf_truncate(&sb, 0);
	strbuf_addstr(&sb, "matrix = {\n");
	for (int i = 0; i < 60; i++)
		add_factor(&sb, i, 9);
	strbuf_addstr(&sb, "};\n" STEPS);
	CU_ASSERT_TRUE(fixture_says(strbuf_str(&sb),
				    "t.job:2: matrix: more than 10000000 combinations\n"));
	strbuf_free(&sb);
}

void test_job_matrix(void)
{
	CU_pSuite s = CU_add_suite("job matrix", NULL, NULL);

	CU_add_test(s, "no matrix", test_none);
	CU_add_test(s, "product", test_product);
	CU_add_test(s, "skip", test_skip);
	CU_add_test(s, "errors in skip", test_skip_errors);
	CU_add_test(s, "errors in factors", test_errors);
	CU_add_test(s, "variables in values", test_vars_in_values);
	CU_add_test(s, "many cells", test_large);
}
