/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/str. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/xalloc.h"

static void test_compare(void)
{
	CU_ASSERT_TRUE(str_eq("a", "a"));
	CU_ASSERT_FALSE(str_eq("a", "b"));
	CU_ASSERT_FALSE(str_eq("a", NULL));
	CU_ASSERT_FALSE(str_eq(NULL, "a"));
	CU_ASSERT_TRUE(str_eq(NULL, NULL));
	CU_ASSERT_TRUE(str_starts("mkfs.xfs", "mkfs"));
	CU_ASSERT_TRUE(str_starts("x", ""));
	CU_ASSERT_FALSE(str_starts("mk", "mkfs"));
	CU_ASSERT_TRUE(str_ends("a.job", ".job"));
	CU_ASSERT_TRUE(str_ends("a", ""));
	CU_ASSERT_FALSE(str_ends("b", "a.job"));
}

static void test_trim(void)
{
	static const struct {
		const char *in;
		const char *out;
	} rows[] = {
		{ "", "" }, { "  ", "" }, { "a", "a" }, { " \t\r\na b\v\f ", "a b" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *s = xstrdup(rows[i].in);

		CU_ASSERT_STRING_EQUAL(str_trim(s), rows[i].out);
	}
}

static void test_split(void)
{
	static const struct {
		const char *in;
		const char *seps;
		const char *parts[4];
	} rows[] = {
		{ "", ",", { NULL } },
		{ " , ,", ",", { NULL } },
		{ "deadline, mq-deadline", ",", { "deadline", "mq-deadline" } },
		{ "a:b,c", ",:", { "a", "b", "c" } },
		{ ",a b,", ",", { "a b" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = 99, want = 0;
		char **v = str_split(rows[i].in, rows[i].seps, &n);

		while (rows[i].parts[want])
			want++;
		CU_ASSERT_EQUAL(n, want);
		for (size_t k = 0; k <= want; k++)
			CU_ASSERT_TRUE(str_eq(v[k], rows[i].parts[k]));
		str_freev(v);
	}
	str_freev(NULL);
	str_freev(str_split("a", ",", NULL));
}

static void test_nearest(void)
{
	static const char *const names[] = { "size", "bs", "iodepth", "numjobs", "rw", "runtime" };
	static const struct {
		const char *word;
		const char *nearest;
	} rows[] = {
		{ "size", "size" },	   { "sise", "size" },	   { "szie", "size" },
		{ "siz", "size" },	   { "iodpeth", "iodepth" }, { "io_depth", "iodepth" },
		{ "numjob", "numjobs" },   { "njobs", NULL }, { "xyz", NULL },
		{ "q", NULL },		   { "", NULL },	   { "banana", NULL },
		{ "rntme", NULL },	   { "runtim", "runtime" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *got = str_nearest(rows[i].word, names, ARRAY_SIZE(names));

		if (!str_eq(got, rows[i].nearest))
			printf("\n  %s: %s\n", rows[i].word, got ? got : "(none)");
		CU_ASSERT_TRUE(str_eq(got, rows[i].nearest));
	}
	CU_ASSERT_PTR_NULL(str_nearest("size", names, 0));
}

static void test_nearest_long(void)
{
	char word[200];
	const char *const names[] = { word };

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	CU_ASSERT_PTR_NULL(str_nearest(word, names, 1));
	CU_ASSERT_PTR_NULL(str_nearest("xxxx", names, 1));
	word[64] = '\0';
	CU_ASSERT_PTR_NOT_NULL(str_nearest(word, names, 1));
}

void test_util_str(void);

void test_util_str(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "compare", test_compare },
		{ "trim", test_trim },
		{ "split", test_split },
		{ "nearest", test_nearest },
		{ "nearest of long words", test_nearest_long },
	};
	CU_pSuite suite = CU_add_suite("util str", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
