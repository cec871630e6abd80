/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/strbuf. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/strbuf.h"

static void test_empty(void)
{
	struct strbuf sb = STRBUF_INIT;
	char *s;

	CU_ASSERT_STRING_EQUAL(strbuf_str(&sb), "");
	strbuf_truncate(&sb, 0);
	s = strbuf_steal(&sb);
	CU_ASSERT_STRING_EQUAL(s, "");
	free(s);
	strbuf_add(&sb, NULL, 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&sb), "");
	strbuf_free(&sb);
	strbuf_free(&sb);
}

static void test_add(void)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, "ab");
	strbuf_addch(&sb, 'c');
	strbuf_add(&sb, "\0d", 2);
	CU_ASSERT_EQUAL(sb.len, 5);
	CU_ASSERT_EQUAL(memcmp(sb.buf, "abc\0d", 6), 0);
	strbuf_truncate(&sb, 2);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&sb), "ab");
	strbuf_truncate(&sb, 50);
	CU_ASSERT_EQUAL(sb.len, 2);
}

static void test_growth(void)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	for (int i = 0; i < 10000; i++)
		strbuf_addf(&sb, "%04d", i);
	CU_ASSERT_EQUAL(sb.len, 40000);
	CU_ASSERT_EQUAL(strlen(sb.buf), 40000);
	CU_ASSERT_EQUAL(memcmp(sb.buf + 39996, "9999", 5), 0);
}

/* Lengths around the room that addf reserves at first. */
static void test_addf_lengths(void)
{
	for (int n = 0; n < 300; n++) {
		_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

		strbuf_addstr(&sb, "x");
		strbuf_addf(&sb, "%*s", n, "");
		CU_ASSERT_EQUAL(sb.len, (size_t)n + 1);
		CU_ASSERT_EQUAL(strlen(sb.buf), (size_t)n + 1);
	}
}

static void test_steal(void)
{
	struct strbuf sb = STRBUF_INIT;
	char *s;

	strbuf_addf(&sb, "%s=%d", "n", 7);
	s = strbuf_steal(&sb);
	CU_ASSERT_STRING_EQUAL(s, "n=7");
	CU_ASSERT_PTR_NULL(sb.buf);
	CU_ASSERT_EQUAL(sb.len, 0);
	free(s);
}

void test_util_strbuf(void);

void test_util_strbuf(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "empty", test_empty },
		{ "add", test_add },
		{ "growth", test_growth },
		{ "addf lengths", test_addf_lengths },
		{ "steal", test_steal },
	};
	CU_pSuite suite = CU_add_suite("util strbuf", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
