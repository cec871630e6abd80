/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/import/csv: records as spreadsheets write them. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/csv.h"
#include "core/util/strbuf.h"

void test_import_csv(void);

/* All records as "LINE[field|field]", and the error behind them. */
static char *read_all(const char *text)
{
	struct csv csv = { text, csv_separator(text), 1 };
	struct strbuf out = STRBUF_INIT;
	struct csv_record record;
	struct err e = { 0, "" };
	int r;

	while ((r = csv_next(&csv, &record, &e)) == 1) {
		strbuf_addf(&out, "%u[", record.line);
		for (size_t i = 0; i < record.n; i++)
			strbuf_addf(&out, "%s%s", i ? "|" : "", record.v[i]);
		strbuf_addch(&out, ']');
		csv_free(&record);
	}
	if (r < 0)
		strbuf_addf(&out, "!%u %s", csv.line, e.text);
	return strbuf_steal(&out);
}

static void test_records(void)
{
	static const struct {
		const char *text, *records;
	} rows[] = {
		{ "", "" },
		{ "\n \r\n", "" },
		{ "a", "1[a]" },
		{ "a,b\n1,2\n", "1[a|b]2[1|2]" },
		{ "a,b\r\n1,2\r\n", "1[a|b]2[1|2]" },
		{ "a,b\n\n\n1,2", "1[a|b]4[1|2]" },
		{ "a,b,\n,,\n", "1[a|b|]2[||]" },
		{ " a , b \n", "1[a|b]" },
		{ "a;b;c,d\n1;2;3,4", "1[a|b|c,d]2[1|2|3,4]" },
		{ "a\tb\n1\t\n", "1[a|b]2[1|]" },
		{ "\"a;x\",b\n", "1[a;x|b]" },
		{ "a,\"b \"\"c\"\", d\"\n", "1[a|b \"c\", d]" },
		{ "\"two\nlines\",b\n1,2", "1[two\nlines|b]3[1|2]" },
		{ "a, \"b\" ,c", "1[a|b|c]" },
		{ "\"\",\"\"", "1[|]" },
		{ "a,b\n\"1,2\n3,4", "1[a|b]!2 the quote that opens here is not closed" },
		{ "\"a\"b,c", "!1 text behind the closing quote: \"b,c\"" },
		{ "it's 5\" wide,b", "1[it's 5\" wide|b]" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *got = read_all(rows[i].text);

		if (strcmp(got, rows[i].records) != 0)
			printf("\n  %s: %s\n", rows[i].text, got);
		CU_ASSERT_STRING_EQUAL(got, rows[i].records);
		free(got);
	}
}

static void test_separator(void)
{
	CU_ASSERT_EQUAL(csv_separator("a,b;c,d"), ',');
	CU_ASSERT_EQUAL(csv_separator("a;b;c,d"), ';');
	CU_ASSERT_EQUAL(csv_separator("\"a;b;c\",d"), ',');
	CU_ASSERT_EQUAL(csv_separator("a\tb\n;;;;"), '\t');
	CU_ASSERT_EQUAL(csv_separator("word"), ',');
}

void test_import_csv(void)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} tests[] = {
		{ "records", test_records },
		{ "separator", test_separator },
	};
	CU_pSuite suite = CU_add_suite("import csv", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
