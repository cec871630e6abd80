/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/report/quote: what names of a document become in each format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>

#include "core/report/quote.h"
#include "core/util/xalloc.h"

void test_report_quote(void);

struct row {
	const char *s, *out;
};

/* What fn prints of s. */
static char *printed(void (*fn)(const char *s, FILE *out), const char *s)
{
	char *text = NULL;
	size_t len;
	FILE *out = xopen_memstream(&text, &len);

	fn(s, out);
	fclose(out);
	return text;
}

static void check(void (*fn)(const char *s, FILE *out), const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = printed(fn, rows[i].s);

		if (strcmp(text, rows[i].out))
			printf("\n  %s, not %s\n", text, rows[i].out);
		CU_ASSERT_STRING_EQUAL(text, rows[i].out);
	}
}

static void csv_where_needed(const char *s, FILE *out)
{
	quote_csv(s, false, out);
}

static void csv_always(const char *s, FILE *out)
{
	quote_csv(s, true, out);
}

static void test_csv(void)
{
	static const struct row rows[] = {
		{ "", "" },
		{ "plain ä", "plain ä" },
		{ "a,b", "\"a,b\"" },
		{ "a;b", "\"a;b\"" },
		{ " a", "\" a\"" },
		{ "say \"a\"", "\"say \"\"a\"\"\"" },
		{ "two\nlines\r", "two lines " },
		{ "\x1b[2J\xc2\x9b\x7f", "?[2J??" },
		/* What a spreadsheet would run, and what only looks like it. */
		{ "=HYPERLINK(1)", "'=HYPERLINK(1)" },
		{ "@a|b", "'@a|b" },
		{ " -1+cmd|' /c x'!A0", "\"' -1+cmd|' /c x'!A0\"" },
		{ "\t=a(1)", "\"' =a(1)\"" },
		{ "-i size=512", "-i size=512" },
		{ "-2.5", "-2.5" },
		{ "=", "=" },
	};
	static const struct row quoted[] = { { "", "\"\"" }, { "a", "\"a\"" }, { "+a(b)", "\"'+a(b)\"" } };

	check(csv_where_needed, rows, ARRAY_SIZE(rows));
	check(csv_always, quoted, ARRAY_SIZE(quoted));
}

static void test_xml(void)
{
	static const struct row rows[] = {
		{ "a<b>&\"c\"'", "a&lt;b&gt;&amp;&quot;c&quot;'" },
		{ "\x01\x1b\n\xef\xbf\xbe\xff\xe2\x80\xae", "?? ???" },
		{ "漢字", "漢字" },
	};

	check(quote_xml, rows, ARRAY_SIZE(rows));
}

static void markdown(const char *s, FILE *out)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	quote_markdown(s, &sb);
	fputs(strbuf_str(&sb), out);
}

static void fenced(const char *s, FILE *out)
{
	struct fenced f;

	fputs(s, fenced_begin(&f));
	fenced_end(&f, out);
}

static void test_markdown(void)
{
	static const struct row cells[] = {
		{ "a|b_c*<i>`x`\\[y](z)~&amp;", "a\\|b\\_c\\*\\<i>\\`x\\`\\\\\\[y](z)\\~\\&amp;" },
		{ "a\n| b", "a \\| b" },
	};
	static const struct row blocks[] = {
		{ "", "" },
		{ "a\nb\n", "```\na\nb\n```\n" },
		{ "a", "```\na\n```\n" },
		{ "a\n````\nb ``` c\n", "`````\na\n````\nb ``` c\n`````\n" },
	};

	check(markdown, cells, ARRAY_SIZE(cells));
	check(fenced, blocks, ARRAY_SIZE(blocks));
}

static void lines(const char *s, FILE *out)
{
	quote_lines(out, 2, "name %s", s);
}

static void test_lines(void)
{
	static const struct row rows[] = {
		{ "a\nb\x1b[31m", "name a b?[31m\n" },
		{ "%s%n", "name %s%n\n" },
		{ "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789",
		  "name 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\n"
		  "  0123456789\n" },
	};

	check(lines, rows, ARRAY_SIZE(rows));
}

void test_report_quote(void)
{
	CU_pSuite s = CU_add_suite("report quote", NULL, NULL);

	CU_ADD_TEST(s, test_csv);
	CU_ADD_TEST(s, test_xml);
	CU_ADD_TEST(s, test_markdown);
	CU_ADD_TEST(s, test_lines);
}
