/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/job/subst, ref and vars, in jobs. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "core/job/subst.h"
#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_job_subst(void);

static const char head[] =
	"matrix = { agcount = [2, 4]; layout = ( { name = \"md\"; chunk = \"64KiB\"; },\n"
	" { name = \"lvm\"; stripes = [1, 2]; } ); };\n"
	"vars = { fs = \"xfs\"; both = \"${fs}-${agcount}\"; n = 7; flag = true; list = (\"a\", "
	"\"b\");\n"
	" deep = \"<${both}>\"; disk = { size = \"1GiB\"; }; };\n"
	"steps = ( { setup = \"mkfs\"; fs = \"xfs\"; } );\n";

/* What a text becomes in variant (agcount=4 layout=md), by value_text(). */
static char *put(struct fixture *f, const char *text, uint32_t variant, enum value_type *type)
{
	struct value *v = value_new_str(text, "t.job", 1), *out = NULL;
	char *back = NULL;

	if (!subst_value(&f->job, variant, v, &out, &f->d)) {
		*type = out->type;
		back = value_text(out);
	}
	value_free(out);
	value_free(v);
	return back ? back : xstrdup("(none)");
}

static void test_texts(void)
{
	static const struct {
		const char *text, *becomes;
		enum value_type type;
	} rows[] = {
		{ "plain", "plain", VALUE_STR },
		{ "${agcount}", "4", VALUE_INT },
		{ "agcount=${agcount},x", "agcount=4,x", VALUE_STR },
		{ "${n}", "7", VALUE_INT },
		{ "${flag}", "true", VALUE_BOOL },
		{ "${both}", "xfs-4", VALUE_STR },
		{ "${deep}${deep}", "<xfs-4><xfs-4>", VALUE_STR },
		{ "${disk.size}", "1GiB", VALUE_STR },
		{ "${layout.chunk}", "64KiB", VALUE_STR },
		{ "${layout.name}", "md", VALUE_STR },
		{ "x-${layout}", "x-md", VALUE_STR },
		{ "$$", "$", VALUE_STR },
		{ "$${agcount}", "${agcount}", VALUE_STR },
		{ "a$b $", "a$b $", VALUE_STR },
		{ "${ram}", "1073741824B", VALUE_STR },
		{ "2*${ram}", "2*1073741824B", VALUE_STR },
		{ "size=${ram}", "size=1073741824", VALUE_STR },
		{ "${target.size}", "2147483648B", VALUE_STR },
		{ "${cpus}", "3", VALUE_INT },
		{ "${agcount}*2", "4*2", VALUE_STR },
	};
	struct fixture f;

	fixture_open(&f);
	fixture_load(&f, head);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	f.job.names.ram = 1ULL << 30;
	f.job.names.cpus = 3;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum value_type type = VALUE_GROUP;
		_cleanup_free_ char *got = put(&f, rows[i].text, 2, &type);

		CU_ASSERT_STRING_EQUAL(got, rows[i].becomes);
		CU_ASSERT_EQUAL(type, rows[i].type);
		if (strcmp(got, rows[i].becomes))
			fprintf(stderr, "\n%s: %s\n", rows[i].text, got);
	}
	fixture_close(&f);
}

static void test_types(void)
{
	struct fixture f;
	struct value *v, *out = NULL;

	fixture_open(&f);
	fixture_load(&f, head);
	v = value_new_str("${list}", "t.job", 1);
	CU_ASSERT_EQUAL(subst_value(&f.job, 0, v, &out, &f.d), 0);
	CU_ASSERT_EQUAL(out->type, VALUE_LIST);
	CU_ASSERT_EQUAL(out->u.l.n, 2);
	value_free(out);
	value_free(v);
	v = value_new_str("${layout}", "t.job", 1);
	CU_ASSERT_EQUAL(subst_value(&f.job, 0, v, &out, &f.d), 0);
	CU_ASSERT_EQUAL(out->type, VALUE_GROUP);
	CU_ASSERT_EQUAL(out->line, 1);
	value_free(out);
	value_free(v);
	fixture_close(&f);
}

static void test_places(void)
{
	struct fixture f;
	struct value *v, *out = NULL;

	fixture_open(&f);
	fixture_load(&f, head);
	v = value_new_str("${layout.stripes}", "elsewhere.job", 99);
	CU_ASSERT_EQUAL(subst_value(&f.job, 1, v, &out, &f.d), 0);
	CU_ASSERT_EQUAL(out->line, 2);
	value_free(out);
	/* In the other variant there is none. */
	CU_ASSERT_NOT_EQUAL(subst_value(&f.job, 0, v, &out, &f.d), 0);
	CU_ASSERT_EQUAL(f.d.n, 1);
	CU_ASSERT_EQUAL(f.d.v[0].line, 99);
	CU_ASSERT_STRING_EQUAL(f.d.v[0].text, "${layout.stripes}: layout \"md\" has no stripes");
	value_free(v);
	fixture_close(&f);
}

static void test_unknown(void)
{
	CU_ASSERT_TRUE(fixture_says(
		"matrix = { agcount = [2]; };\nvars = { size1 = 1; g = { a = 1; }; };\n"
		"steps = ( { setup = \"mkfs\"; fs = \"${agcont}\"; agcount = \"${siez1}\"; },\n"
		"{ setup = \"tune\"; text = \"${nothing}\"; list = [\"${g.b}\", \"${ra}\"]; path = "
		"\"${x\"; } );\n",
		"t.job:3: mkfs: unknown name \"agcont\"; did you mean \"agcount\"?\n"
		"t.job:3: mkfs: unknown name \"siez1\"; did you mean \"size1\"?\n"
		"t.job:4: tune: unknown name \"nothing\"\n"
		"t.job:4: tune: unknown name \"g.b\"; did you mean \"g.a\"?\n"
		"t.job:4: tune: unknown name \"ra\"; did you mean \"ram\"?\n"
		"t.job:4: tune: \"${x\": \"${\" without its \"}\"; $$ is a plain $\n"));
}

static void test_circles(void)
{
	CU_ASSERT_TRUE(fixture_says("vars = { a = \"${b}\";\n b = \"x${c}\";\n c = \"${a}\";\n d = "
				    "\"${d}\";\n e = \"${a}\"; };\n"
				    "steps = ( { setup = \"mkfs\"; fs = \"${a}\"; }, { setup = "
				    "\"tune\"; text = \"${e}\"; } );\n",
				    "t.job:1: vars: a refers to itself: a -> b -> c -> a\n"
				    "t.job:4: vars: d refers to itself: d -> d\n"));
}

static void test_names(void)
{
	CU_ASSERT_TRUE(
		fixture_says("matrix = { ram = [1]; a = [2]; };\nvars = { cpus = 1; a = 2; };\n"
			     "steps = ( { setup = \"mkfs\"; fs = \"x\"; } );\n",
			     "t.job:1: matrix: \"ram\" is a known name, take another\n"
			     "t.job:2: vars: \"cpus\" is a known name, take another\n"
			     "t.job:2: vars: \"a\" is a factor of the matrix, too\n"));
}

static void test_set(void)
{
	static const char job[] = "vars = { fs = \"xfs\"; };\nmatrix = { agcount = [2, 4]; l = ( { "
				  "name = \"a\"; }, { name = \"b\"; } ); };\n"
				  "skip = ( { agcount = 4; l = \"a\"; } );\n"
				  "steps = ( { setup = \"mkfs\"; fs = \"${fs}\"; agcount = "
				  "\"${agcount}\"; when = \"agcount == 2 || l == b\"; } );\n";
	struct fixture f;
	struct step s;

	fixture_open(&f);
	fixture_load(&f, job);
	CU_ASSERT_EQUAL(f.job.n_variants, 3);
	f.set[0] = "fs=ext4";
	f.set[1] = "agcount=4";
	fixture_load(&f, job);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.n_variants, 1);
	CU_ASSERT_EQUAL(job_step_resolve(&f.job, 0, 0, &s, &f.d), 0);
	CU_ASSERT_STRING_EQUAL(((const struct mkfs_cfg *)s.cfg)->fs, "ext4");
	CU_ASSERT_EQUAL(((const struct mkfs_cfg *)s.cfg)->agcount, 4);
	step_release(&s);
	f.set[0] = "l=b";
	f.set[1] = "agcount=16"; /* not in the list, though `when` and `skip` name those that are */
	fixture_load(&f, job);
	CU_ASSERT_STRING_EQUAL(f.said, "");
	CU_ASSERT_EQUAL(f.job.n_variants, 1);
	f.set[0] = "l=c";
	f.set[1] = "agcont=16";
	f.set[2] = "nothing=1";
	f.set[3] = "novalue";
	fixture_load(&f, job);
	CU_ASSERT_TRUE(fixture_same(
		f.said,
		"--set agcont: the job has no variable or factor of that name; did you mean "
		"\"agcount\"?\n"
		"--set nothing: the job has no variable or factor of that name; there are: fs, "
		"agcount, l\n"
		"--set novalue: NAME=VALUE is expected\n"
		"--set l=c: l is one of a, b\n"));
	f.set[0] = "agcount=many";
	f.set[1] = f.set[2] = f.set[3] = NULL;
	fixture_load(&f, job);
	CU_ASSERT_TRUE(fixture_same(f.said, "t.job:4: mkfs: agcount = \"many\": not a number\n"));
	fixture_close(&f);
}

void test_job_subst(void)
{
	CU_pSuite s = CU_add_suite("job subst", NULL, NULL);

	CU_add_test(s, "texts", test_texts);
	CU_add_test(s, "lists and groups keep their type", test_types);
	CU_add_test(s, "values keep their places", test_places);
	CU_add_test(s, "unknown names", test_unknown);
	CU_add_test(s, "variables in circles", test_circles);
	CU_add_test(s, "names that are taken", test_names);
	CU_add_test(s, "--set", test_set);
}
