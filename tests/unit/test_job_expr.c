/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/job/expr, in jobs. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "core/job/expr.h"
#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_job_expr(void);

/* Variants: 0 xfs 2 md, 1 xfs 2 lvm, 2 xfs 8 md, 3 xfs 8 lvm, 4 ext4 2 md, ... 7 ext4 8 lvm. */
static const char head[] =
	"matrix = { fs = [\"xfs\", \"ext4\"]; agcount = [2, 8];\n"
	" layout = ( { name = \"md\"; chunk = \"64KiB\"; wait = \"90s\"; }, { name = \"lvm\"; } ); "
	"};\n"
	"vars = { on = true; off = 0; big = \"${agcount}\"; word = \"mq-deadline\"; };\n"
	"steps = ( { setup = \"mkfs\"; fs = \"xfs\"; } );\n";

static void test_values(void)
{
	static const struct {
		const char *text;
		unsigned holds; /* bit v: in variant v */
		uint64_t factors;
	} rows[] = {
		{ "fs == xfs", 0x0f, 1 },
		{ "fs != xfs", 0xf0, 1 },
		{ "xfs == fs", 0x0f, 1 },
		{ "'xfs' == fs", 0x0f, 1 },
		{ "agcount > 4", 0xcc, 2 },
		{ "agcount>=8", 0xcc, 2 },
		{ "agcount < 8", 0x33, 2 },
		{ "4 < agcount", 0xcc, 2 },
		{ "agcount == 2.0", 0x33, 2 },
		{ "layout == md", 0x55, 4 },
		{ "!(layout == md)", 0xaa, 4 },
		{ "!!(layout == md)", 0x55, 4 },
		{ "fs == xfs && agcount > 4 || !(layout == md)", 0xae, 7 },
		{ "fs == xfs && (agcount > 4 || !(layout == md))", 0x0e, 7 },
		{ "fs==xfs||fs==ext4&&agcount==2", 0x3f, 3 },
		{ "layout.chunk == 65536", 0x55, 4 },
		{ "layout.chunk == \"64k\"", 0x55, 4 },
		{ "layout.chunk >= 4KiB", 0x55, 4 },
		{ "layout.chunk != 64KiB", 0xaa, 4 },
		{ "layout.wait > 1m", 0x55, 4 },
		{ "on", 0xff, 0 },
		{ "off", 0, 0 },
		{ "!off && fs == ext4", 0xf0, 1 },
		{ "big == 8", 0xcc, 2 },
		{ "word == mq-deadline", 0xff, 0 },
		{ "${fs} == xfs", 0x0f, 1 },
		{ "cpus >= 1", 0xff, 0 },
		{ "target.size == 2GiB", 0xff, 0 },
		{ "  fs  ==  xfs  ", 0x0f, 1 },
	};
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, head);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct value *at = value_new_str(rows[i].text, "t.job", 1);
		uint64_t factors = 0;
		struct job_expr *e = expr_parse(&f.job, at, &factors, &f.d);
		unsigned holds = 0;

		CU_ASSERT_PTR_NOT_NULL(e);
		for (uint32_t v = 0; e && v < 8; v++)
			holds |= (unsigned)expr_eval(e, &f.job, v) << v;
		CU_ASSERT_EQUAL(holds, rows[i].holds);
		CU_ASSERT_EQUAL(factors, rows[i].factors);
		if (holds != rows[i].holds)
			fprintf(stderr, "\n%s: %x %s\n", rows[i].text, holds,
				f.d.n ? f.d.v[f.d.n - 1].text : "");
		expr_free(e);
		value_free(at);
	}
	CU_ASSERT_EQUAL(f.d.n, 0);
	fixture_close(&f);
}

static void test_errors(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "fs = xfs", "character 4: to compare, write \"==\"" },
		{ "fs == ", "character 7: a name or value is missing at the end" },
		{ "", "character 1: a name or value is missing at the end" },
		{ "== xfs", "character 1: a name or value is expected before \"== xfs\"" },
		{ "(fs == xfs", "character 11: a \")\" is missing" },
		{ "fs == xfs)", "character 10: \")\" is too much" },
		{ "fs == xfs & agcount == 2", "character 11: write \"&&\" and \"||\"" },
		{ "fs == 'xfs", "character 7: a closing ' is missing" },
		{ "fs == xfs agcount", "character 11: \"agcount\" is too much" },
		{ "sf == xfs", "character 1: unknown name \"sf\"; did you mean \"fs\"?" },
		{ "agcont > 4", "character 1: unknown name \"agcont\"; did you mean \"agcount\"?" },
		{ "nothing", "character 1: unknown name \"nothing\"" },
		{ "fs == xsf", "character 7: fs is never \"xsf\": it is one of xfs, ext4" },
		{ "layout.chunk == 4KiB",
		  "character 17: layout.chunk is never \"4KiB\": it is one of 64KiB" },
		{ "fs > 4",
		  "character 1: fs has values that are no numbers, and these have no order" },
		{ "agcount > many", "character 11: \"many\" is no number and has no order" },
		{ "${nix} == 4", "character 1: unknown name \"nix\"" },
		{ "$fs == xfs", "character 1: \"$\" without {name}" },
		{ "fs == xfs && !", "character 15: a name or value is missing at the end" },
	};
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, head);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct value *at = value_new_str(rows[i].text, "t.job", 1);
		_cleanup_free_ char *want = xasprintf("when = \"%s\": %s", rows[i].text,
						      rows[i].why);
		uint64_t factors = 0;

		CU_ASSERT_PTR_NULL(expr_parse(&f.job, at, &factors, &f.d));
		CU_ASSERT_EQUAL(f.d.n, i + 1);
		CU_ASSERT_TRUE(f.d.n && fixture_same(f.d.v[f.d.n - 1].text, want));
		value_free(at);
	}
	fixture_close(&f);
}

static void test_deep(void)
{
	char text[3000];
	struct fixture f;
	struct value *at;
	uint64_t factors = 0;

	memset(text, '!', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	fixture_open(&f);
	fixture_load(&f, head);
	at = value_new_str(text, "t.job", 1);
	CU_ASSERT_PTR_NULL(expr_parse(&f.job, at, &factors, &f.d));
	value_free(at);
	fixture_close(&f);
}

static void test_in_steps(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, "matrix = { fs = [\"xfs\", \"ext4\"]; agcount = [2, 4]; };\n"
			 "steps = ( { setup = \"mkfs\"; fs = \"${fs}\"; when = \"fs == ext4\"; },\n"
			 "{ setup = \"mkfs\"; fs = \"${fs}\"; agcount = \"${agcount}\"; when = "
			 "\"fs == xfs\"; } );\n");
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_FALSE(job_step_active(&f.job, 0, 0));
	CU_ASSERT_TRUE(job_step_active(&f.job, 0, 2));
	CU_ASSERT_TRUE(job_step_active(&f.job, 1, 1));
	CU_ASSERT_FALSE(job_step_active(&f.job, 1, 3));
	fixture_close(&f);
	/* A value is looked at only where its step is active. */
	CU_ASSERT_TRUE(fixture_says(
		"matrix = { l = ( { name = \"a\"; n = 1; }, { name = \"b\"; } ); };\n"
		"steps = ( { setup = \"tune\"; n = \"${l.n}\"; when = \"l == a\"; } );\n",
		""));
	CU_ASSERT_TRUE(
		fixture_says("matrix = { l = ( { name = \"a\"; n = 1; }, { name = \"b\"; } ); };\n"
			     "steps = ( { setup = \"tune\"; n = \"${l.n}\"; } );\n",
			     "t.job:2: tune: ${l.n}: l \"b\" has no n\n"));
	CU_ASSERT_TRUE(fixture_steps_say("{ setup = \"tune\"; when = 5; }",
					 "t.job:2: tune: when: expects a text, is an integer\n"));
}

void test_job_expr(void)
{
	CU_pSuite s = CU_add_suite("job expr", NULL, NULL);

	CU_add_test(s, "values", test_values);
	CU_add_test(s, "errors", test_errors);
	CU_add_test(s, "nesting has an end", test_deep);
	CU_add_test(s, "in steps", test_in_steps);
}
