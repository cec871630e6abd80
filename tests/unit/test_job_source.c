/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/job/source: includes, places, and what libconfig does not tell. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <string.h>

#include "core/job/source.h"
#include "core/util/file.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"
#include "job_fixture.h"

void test_job_source(void);

struct text {
	struct fixture f;
	struct source s;
	struct diag d;
	char *said;
	int ret;
};

static void text_open(struct text *t)
{
	memset(t, 0, sizeof(*t));
	fixture_open(&t->f);
}

static void text_load(struct text *t, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", t->f.dir, name);
	size_t len = strlen(t->f.dir) + 1;

	t->ret = source_load(path, &t->s, &t->d);
	t->said = fixture_diag_text(&t->d);
	for (char *at = t->said; (at = strstr(at, t->f.dir));)
		memmove(at, at + len, strlen(at + len) + 1);
}

static void text_close(struct text *t)
{
	source_release(&t->s);
	diag_free(&t->d);
	free(t->said);
	fixture_close(&t->f);
}

/* What is said about a text as a file of its own. */
static void check_text(const char *text, const char *said)
{
	struct text t;

	text_open(&t);
	fixture_write(&t.f, "a.job", text);
	text_load(&t, "a.job");
	CU_ASSERT_EQUAL(t.ret, *said ? -EINVAL : 0);
	CU_ASSERT_TRUE(fixture_same(t.said, said));
	text_close(&t);
}

static void test_values(void)
{
	const struct value *v;
	struct text t;

	text_open(&t);
	fixture_write(
		&t.f, "a.job",
		"a = 1;\r\nb = 0x7fffffff;\n/* c\n */ c = -2147483648;\nd = 5000000000L;\ne = "
		"1.5;\n"
		"f = TRUE;\ng = \"x\" # no\n \"y\";\nh = ( 1,\n \"two\",\n { i = [1, 2]; } );\n");
	text_load(&t, "a.job");
	CU_ASSERT_EQUAL(t.ret, 0);
	CU_ASSERT_STRING_EQUAL(t.said, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(t.s.root);
	CU_ASSERT_EQUAL(value_get(t.s.root, "b")->u.i, 2147483647);
	CU_ASSERT_EQUAL(value_get(t.s.root, "c")->u.i, INT32_MIN);
	CU_ASSERT_EQUAL(value_get(t.s.root, "c")->line, 4);
	CU_ASSERT_EQUAL(value_get(t.s.root, "d")->u.i, 5000000000LL);
	CU_ASSERT_EQUAL(value_get(t.s.root, "e")->u.f, 1.5);
	CU_ASSERT_TRUE(value_get(t.s.root, "f")->u.b);
	CU_ASSERT_STRING_EQUAL(value_get(t.s.root, "g")->u.s, "xy");
	v = value_get(t.s.root, "h");
	CU_ASSERT_EQUAL(v->type, VALUE_LIST);
	CU_ASSERT_EQUAL(v->u.l.v[1]->line, 11);
	CU_ASSERT_EQUAL(value_get(v->u.l.v[2], "i")->u.l.n, 2);
	CU_ASSERT_EQUAL(t.s.n_files, 1);
	CU_ASSERT_PTR_NULL(t.s.files[1]);
	text_close(&t);
}

static void test_integers(void)
{
	check_text("a = 2147483647; b = -2147483648; c = 0x7FFFFFFF;", "");
	check_text("# 5000000000\ns = \"5000000000\"; /* 5000000000 */ // 5000000000\n", "");
	check_text("a = 1;\nb = 5000000000;\nc = [1, 2147483648];\nd = -2147483649;\ne = "
		   "0xFFFFFFFF;\n",
		   "a.job:2: 5000000000 does not fit into 32 bits: write \"5000000000\" in quotes, "
		   "or with a unit\n"
		   "a.job:3: 2147483648 does not fit into 32 bits: write \"2147483648\" in quotes, "
		   "or with a unit\n"
		   "a.job:4: -2147483649 does not fit into 32 bits: write \"-2147483649\" in "
		   "quotes, or with a unit\n"
		   "a.job:5: 0xFFFFFFFF does not fit into 32 bits: write \"0xFFFFFFFF\" in quotes, "
		   "or with a unit\n");
	check_text("a = 99999999999999999999L;",
		   "a.job:1: 99999999999999999999L does not fit into 64 bits\n");
	check_text("a = 9223372036854775807L;", "");
	check_text("a = 1e400;", "a.job:1: 1e400 is too large for a number\n");
}

static void test_syntax(void)
{
	check_text("a = 1;\nb = ;\n",
		   "a.job:2: syntax error near \"b = ;\": a value is missing after \"=\"\n");
	check_text("a = (1,\n 2,\n);",
		   "a.job:3: syntax error near \");\": no \",\" after the last of a list\n");
	check_text("fs = xfs;",
		   "a.job:1: syntax error near \"fs = xfs;\": text needs quotes: \"xfs\"\n");
	check_text("a = 1;\nbs = 4k;\n",
		   "a.job:2: syntax error near \"bs = 4k;\": text needs quotes: \"4k\"\n");
	check_text(
		"a = ( { b = 1; }\n { b = 2; } );",
		"a.job:2: syntax error near \"{ b = 2; } );\": a \",\" is missing before \"{\"\n");
	check_text("a 1;", "a.job:1: syntax error near \"a 1;\": \"=\" is missing after \"a\"\n");
	check_text("a = {\n b = 1;\n", "a.job:1: the \"{\" that stands here is never closed\n");
	check_text(
		"a = [1, 2.5];",
		"a.job:1: [ ] holds values of one type only: write ( ) around values of several\n");
	check_text("a = 1;;", "a.job:1: syntax error near \"a = 1;;\": one \";\" is enough\n");
	check_text("= 1;", "a.job:1: syntax error near \"= 1;\"\n");
	check_text("a = \"x;\nb = 2;\nc = \"y\";\n",
		   "a.job:3: the text that begins here has no closing \"; or is one missing in "
		   "line 1, where a text goes on in "
		   "the next line?\n");
	check_text("a = \"x;\nb = 2;\nc = \"y\" \"z;\nd = \"w\";\n",
		   "a.job:3: syntax error near \"c = \"y\" \"z;\": is its closing \" missing? The "
		   "text goes over 3 lines\n");
}

static void test_duplicates(void)
{
	check_text("a = 1;\nb = { c = 1;\n c = 2; };\nd = { c = 1; };\na = 3;\n",
		   "a.job:3: \"c\" is given twice, first in line 2\na.job:5: \"a\" is given twice, "
		   "first in line 1\n");
	check_text("a = ( { x = 1; }, { x = 1; } ); b = { x = 1; y = { x = 2; }; };", "");
}

static void test_open_ends(void)
{
	check_text("a = 1;\n/* never\nb = 2;\n",
		   "a.job:2: the comment that begins here has no end: */ is missing\n");
	check_text("a = 1;\nb = \"never\nc = 2;\n",
		   "a.job:2: the text that begins here has no closing \"\n");
	check_text("\xef\xbb\xbf"
		   "a = 1;\n",
		   "a.job:1: the file begins with a byte order mark: save it without one\n");
	check_text("a = 1;\nb = \"\xff\";\n", "a.job:2: the text is not UTF-8\n");
	check_text("a = \"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\";", "");
	check_text("a = \"\xc0\x80\";", "a.job:1: the text is not UTF-8\n");
	check_text("", "");
}

static void test_unreadable(void)
{
	struct text t;

	text_open(&t);
	text_load(&t, "none.job");
	CU_ASSERT_TRUE(fixture_same(t.said, "none.job: No such file or directory\n"));
	text_close(&t);
	text_open(&t);
	fixture_write(&t.f, "d/a.job", "");
	text_load(&t, "d");
	CU_ASSERT_TRUE(fixture_same(t.said, "d: Is a directory\n"));
	text_close(&t);
}

static void test_nul(void)
{
	_cleanup_free_ char *path = NULL;
	struct text t;

	text_open(&t);
	path = xasprintf("%s/a.job", t.f.dir);
	CU_ASSERT_EQUAL(file_write_atomic(path, "a = 1;\n\0b", 9, NULL), 0);
	text_load(&t, "a.job");
	CU_ASSERT_TRUE(fixture_same(t.said, "a.job:2: a NUL byte: this is not a text file\n"));
	text_close(&t);
}

static void test_too_large(void)
{
	struct strbuf sb = STRBUF_INIT;
	struct text t;

	text_open(&t);
	while (sb.len <= SOURCE_MAX_BYTES)
		strbuf_addstr(&sb, "# comment comment comment comment comment comment comment\n");
	fixture_write(&t.f, "a.job", strbuf_str(&sb));
	text_load(&t, "a.job");
	CU_ASSERT_TRUE(fixture_same(t.said, "a.job: a job file of more than 1 MiB is not read\n"));
	text_close(&t);
	text_open(&t);
	strbuf_truncate(&sb, 900000);
	strbuf_addstr(&sb, "\n");
	fixture_write(&t.f, "b.job", strbuf_str(&sb));
	fixture_write(&t.f, "a.job", "@include \"b.job\"\n@include \"b.job\"\n");
	text_load(&t, "a.job");
	CU_ASSERT_TRUE(fixture_same(
		t.said,
		"a.job:2: @include \"b.job\": with this file the job is larger than 1 MiB\n"));
	text_close(&t);
	strbuf_free(&sb);
}

static void test_include(void)
{
	struct text t;
	const struct value *v;

	text_open(&t);
	fixture_write(&t.f, "a.job",
		      "a = 1;\n  @include \"sub/b.job\" # relative\nz = 9;\ng = {\n@include "
		      "\"sub/c.job\"\n};\n"
		      "/*\n@include \"none.job\"\n*/\ns = \"\n@include \\\"none.job\\\"\n\";\n");
	fixture_write(&t.f, "sub/b.job", "b = 2;\n@include \"c.job\"\nb2 = 3;");
	fixture_write(&t.f, "sub/c.job", "\nc = 3;\n");
	text_load(&t, "a.job");
	CU_ASSERT_EQUAL(t.ret, 0);
	CU_ASSERT_STRING_EQUAL(t.said, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(t.s.root);
	v = value_get(t.s.root, "c");
	CU_ASSERT_EQUAL(v->line, 2);
	CU_ASSERT_PTR_NOT_NULL(strstr(v->file, "/sub/c.job"));
	CU_ASSERT_EQUAL(value_get(t.s.root, "b2")->line, 3);
	CU_ASSERT_EQUAL(value_get(t.s.root, "z")->line, 3);
	CU_ASSERT_EQUAL(value_get(value_get(t.s.root, "g"), "c")->u.i, 3);
	CU_ASSERT_EQUAL(t.s.n_files, 4);
	CU_ASSERT_EQUAL(strlen(t.s.sha256), 64);
	CU_ASSERT_PTR_NOT_NULL(strstr(t.s.text, "@include \"sub/b.job\""));
	text_close(&t);
}

static void test_include_absolute(void)
{
	_cleanup_free_ char *text = NULL;
	struct text t;

	text_open(&t);
	text = xasprintf("@include \"%s/b.job\"\n", t.f.dir);
	fixture_write(&t.f, "a.job", text);
	fixture_write(&t.f, "b.job", "b = 2;\n");
	text_load(&t, "a.job");
	CU_ASSERT_STRING_EQUAL(t.said, "");
	CU_ASSERT_PTR_NOT_NULL(value_get(t.s.root, "b"));
	text_close(&t);
}

static void test_include_bad(void)
{
	struct text t;

	check_text("a = 1;\n@include \"none.job\"\n",
		   "a.job:2: @include \"none.job\": No such file or directory\n");
	check_text("a = 1; @include \"a.job\"\n",
		   "a.job:1: @include stands on a line of its own: @include \"FILE\"\n");
	check_text("@include a.job\n",
		   "a.job:1: @include stands on a line of its own: @include \"FILE\"\n");
	check_text("\n@include \"a.job\"\n",
		   "a.job:2: @include \"a.job\": the file includes itself: a.job -> a.job\n");
	text_open(&t);
	fixture_write(&t.f, "a.job", "@include \"b.job\"\n@include \"nix.job\"\n");
	fixture_write(&t.f, "b.job", "x = 1;\n@include \"c.job\"\n");
	fixture_write(&t.f, "c.job", "@include \"b.job\"\nn = 3000000000;\n/* open");
	text_load(&t, "a.job");
	CU_ASSERT_TRUE(fixture_same(
		t.said,
		"c.job:1: @include \"b.job\": the file includes itself: b.job -> c.job -> b.job\n"
		"c.job:2: 3000000000 does not fit into 32 bits: write \"3000000000\" in quotes, "
		"or with a unit\n"
		"c.job:3: the comment that begins here has no end: */ is missing\n"
		"a.job:2: @include \"nix.job\": No such file or directory\n"));
	text_close(&t);
}

static void test_include_duplicates(void)
{
	struct text t;

	text_open(&t);
	fixture_write(&t.f, "a.job", "a = 1;\n@include \"b.job\"\nbs = 2;\n");
	fixture_write(&t.f, "b.job", "\nbs = 1;\n");
	text_load(&t, "a.job");
	CU_ASSERT_TRUE(fixture_same(t.said, "a.job:3: \"bs\" is given twice, first in b.job:2\n"));
	text_close(&t);
	text_open(&t);
	fixture_write(&t.f, "a.job", "a = 1;\n@include \"b.job\"\n");
	fixture_write(&t.f, "b.job", "\nbs = ;\n");
	text_load(&t, "a.job");
	CU_ASSERT_TRUE(fixture_same(
		t.said, "b.job:2: syntax error near \"bs = ;\": a value is missing after \"=\"\n"));
	text_close(&t);
}

static void test_include_depth(void)
{
	struct text t;

	for (int deep = 10; deep <= 11; deep++) {
		text_open(&t);
		for (int i = 0; i <= deep; i++) {
			_cleanup_free_ char *name = xasprintf("%c.job", 'a' + i);
			_cleanup_free_ char *text = xasprintf("@include \"%c.job\"\n", 'b' + i);

			fixture_write(&t.f, name, i == deep ? "x = 1;\n" : text);
		}
		text_load(&t, "a.job");
		CU_ASSERT_TRUE(fixture_same(
			t.said, deep == 10
					? ""
					: "k.job:1: @include \"l.job\": includes are nested more "
					  "than ten deep\n"));
		text_close(&t);
	}
}

void test_job_source(void)
{
	CU_pSuite s = CU_add_suite("job source", NULL, NULL);

	CU_add_test(s, "values and their places", test_values);
	CU_add_test(s, "integers that do not fit", test_integers);
	CU_add_test(s, "syntax errors with hints", test_syntax);
	CU_add_test(s, "names given twice", test_duplicates);
	CU_add_test(s, "open ends and bytes", test_open_ends);
	CU_add_test(s, "files that cannot be read", test_unreadable);
	CU_add_test(s, "NUL bytes", test_nul);
	CU_add_test(s, "files that are too large", test_too_large);
	CU_add_test(s, "includes", test_include);
	CU_add_test(s, "includes by full path", test_include_absolute);
	CU_add_test(s, "includes that fail", test_include_bad);
	CU_add_test(s, "duplicates and errors over files", test_include_duplicates);
	CU_add_test(s, "depth of includes", test_include_depth);
}
