/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/report/table. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/table.h"
#include "core/util/text.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

void test_report_table(void);

static void test_alignment(void)
{
	static const struct table_column columns[] = { { "name", 0 },
						       { "n", TABLE_RIGHT },
						       { "unit", 0 } };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct table t;

	table_init(&t, columns, ARRAY_SIZE(columns));
	table_row(&t, (const char *[]){ "write", "5", "MiB/s" });
	table_gap(&t);
	table_row(&t, (const char *[]){ "größe", "1234", NULL });
	CU_ASSERT_EQUAL(table_width(&t), 18);
	table_format(&t, 100, &out);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&out), "name      n  unit\n"
						 "write     5  MiB/s\n"
						 "\n"
						 "größe  1234\n");
	table_free(&t);
}

static size_t longest_line(const char *s)
{
	size_t longest = 0;

	while (*s) {
		size_t n = strcspn(s, "\n");
		_cleanup_free_ char *line = xstrndup(s, n);

		longest = MAX(longest, text_width(line));
		s += n + (s[n] == '\n');
	}
	return longest;
}

static void test_cut(void)
{
	static const struct table_column columns[] = { { "a", TABLE_CUT }, { "b", TABLE_RIGHT } };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct table t;

	table_init(&t, columns, ARRAY_SIZE(columns));
	table_row(&t, (const char *[]){ "a rather long text with 漢字 in it", "12345" });
	table_format(&t, 20, &out);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&out), "a                  b\n"
						 "a rather lon…  12345\n");
	CU_ASSERT_EQUAL(longest_line(strbuf_str(&out)), 20);
	table_free(&t);
}

static void test_wrap(void)
{
	static const struct table_column columns[] = { { "a", 0 },
						       { "b", TABLE_WRAP },
						       { "c", 0 } };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct table t;

	table_init(&t, columns, ARRAY_SIZE(columns));
	table_row(&t, (const char *[]){ "x", "one two three fourfivesixseven", "z" });
	table_format(&t, 16, &out);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&out), "a  b           c\n"
						 "x  one two     z\n"
						 "   three\n"
						 "   fourfivesi\n"
						 "   xseven\n");
	table_free(&t);
}

/* Columns that may not shrink stay whole, and cells are made harmless. */
static void test_rigid(void)
{
	static const struct table_column columns[] = { { "a", 0 }, { "b", 0 } };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct table t;

	table_init(&t, columns, ARRAY_SIZE(columns));
	table_row(&t, (const char *[]){ "\x1b[2Jabcdefghij", "line\nbreak" });
	table_format(&t, 10, &out);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&out), "a               b\n"
						 "?[2Jabcdefghij  line break\n");
	table_free(&t);
}

static void test_empty(void)
{
	static const struct table_column columns[] = { { "a", 0 } };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct table t;

	table_init(&t, columns, ARRAY_SIZE(columns));
	table_format(&t, 10, &out);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&out), "a\n");
	table_free(&t);
}

static void test_markdown(void)
{
	static const struct table_column columns[] = { { "a_b", 0 }, { "n", TABLE_RIGHT } };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct table t;

	table_init(&t, columns, ARRAY_SIZE(columns));
	table_row(&t, (const char *[]){ "x|y *z*", "5" });
	table_gap(&t);
	table_row(&t, (const char *[]){ "<b>\n", NULL });
	table_markdown(&t, &out);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&out), "| a\\_b | n |\n"
						 "| --- | ---: |\n"
						 "| x\\|y \\*z\\* | 5 |\n"
						 "| \\<b>  |  |\n");
	table_free(&t);
}

void test_report_table(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "alignment", test_alignment }, { "cut", test_cut },
		{ "wrap", test_wrap },		 { "rigid", test_rigid },
		{ "empty", test_empty },	 { "markdown", test_markdown },
	};
	CU_pSuite suite = CU_add_suite("report table", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
