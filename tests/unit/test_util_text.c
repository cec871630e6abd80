/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/report/text. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/util/text.h"
#include "core/util/macro.h"

void test_util_text(void);

static void test_widths(void)
{
	static const struct {
		const char *s;
		size_t width;
	} rows[] = {
		{ "", 0 },	   { "abc", 3 },	  { "gr\xc3\xbc\xc3\x9f", 4 },
		{ "…", 1 },	   { "e\xcc\x81", 1 },	  { "漢字", 4 },
		{ "\xff\xfe", 2 }, { "a\x1b[31mb", 7 },	  { "\xe2\x82", 2 },
		{ "\xc0\x80", 2 }, { "\xed\xa0\x80", 3 }, { "\xf0\x9f\x98\x80", 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CU_ASSERT_EQUAL(text_width(rows[i].s), rows[i].width);
}

static void test_truncation(void)
{
	static const struct {
		const char *s;
		size_t width;
		const char *out;
	} rows[] = {
		{ "abcdef", 6, "abcdef" },  { "abcdef", 5, "abcd…" }, { "abcdef", 1, "…" },
		{ "abcdef", 0, "" },	    { "äöüß", 3, "äö…" },     { "漢字漢字", 6, "漢字…" },
		{ "漢字漢字", 5, "漢字…" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *s = text_truncate(rows[i].s, rows[i].width);

		CU_ASSERT_STRING_EQUAL(s, rows[i].out);
		CU_ASSERT_TRUE(text_width(s) <= rows[i].width);
	}
}

/* Nothing that a result file says reaches the terminal as a command. */
static void test_cleaning(void)
{
	static const struct {
		const char *s, *out;
	} rows[] = {
		{ "plain ä 漢", "plain ä 漢" },
		{ "a\x1b]0;title\x07z", "a?]0;title?z" },
		{ "two\nlines\tand\r", "two lines and " },
		{ "bad \xff\xc3 bytes", "bad ?? bytes" },
		{ "c1 \xc2\x9b"
		  "31m",
		  "c1 ?31m" },
		{ "\xe2\x80\xae"
		  "reversed",
		  "?reversed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *s = text_clean(rows[i].s);

		CU_ASSERT_STRING_EQUAL(s, rows[i].out);
	}
}

static void test_wrapping(void)
{
	static const struct {
		const char *s;
		size_t column, indent, width;
		const char *out;
	} rows[] = {
		{ "", 0, 0, 10, "\n" },
		{ "one two three", 0, 2, 8, "one two\n  three\n" },
		{ "one two", 5, 5, 8, "one\n     two\n" },
		{ "abcdefghijkl", 0, 0, 5, "abcde\nfghij\nkl\n" },
		{ "x abcdefgh", 0, 1, 4, "x\n abc\n def\n gh\n" },
		{ "漢字漢字", 0, 0, 5, "漢字\n漢字\n" },
		{ "a\nb", 0, 2, 10, "a\n  b\n" },
		{ "a\n  b c", 0, 2, 6, "a\n    b\n    c\n" },
		{ "a\n\nb", 0, 2, 10, "a\n\n  b\n" },
		{ "ends\n", 0, 2, 10, "ends\n" },
		{ "ab", 9, 9, 4, "a\n         b\n" }, /* no room at all: still ends */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

		text_wrap(&out, rows[i].s, rows[i].column, rows[i].indent, rows[i].width);
		CU_ASSERT_STRING_EQUAL(strbuf_str(&out), rows[i].out);
	}
}

void test_util_text(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "widths", test_widths },
		{ "truncation", test_truncation },
		{ "cleaning", test_cleaning },
		{ "wrapping", test_wrapping },
	};
	CU_pSuite suite = CU_add_suite("util text", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
