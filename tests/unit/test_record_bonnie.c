/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/record/bonnie: sizes and numbers of files as bonnie++ writes them. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/record/bonnie.h"

void test_record_bonnie(void);

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static void test_sizes(void)
{
	static const struct {
		const char *text;
		bool good;
		double bytes, chunk;
		const char *again; /* NULL: the same */
	} rows[] = {
		{ "16G", true, 0x4p32, NAN, NULL },
		{ "2016M", true, 2016 * 0x1p20, NAN, NULL },
		{ "64352M", true, 64352 * 0x1p20, NAN, NULL },
		{ "16G:64k", true, 0x4p32, 65536, NULL },
		{ "64M:8k", true, 0x4p24, 8192, "64M" },
		{ "1024M", true, 0x1p30, NAN, "1G" },
		{ "2T", true, 0x2p40, NAN, "2048G" },
		{ "1000", true, 1000, NAN, NULL },
		{ "1.5g", true, 0x1.8p30, NAN, "1536M" },
		{ "", false, 0, 0, NULL },
		{ "G", false, 0, 0, NULL },
		{ "16GB", false, 0, 0, NULL },
		{ "16G:", false, 0, 0, NULL },
		{ "16G:64k:2", false, 0, 0, NULL },
		{ ".5G", false, 0, 0, NULL },
		{ "1.2.3G", false, 0, 0, NULL },
		{ "-1G", false, 0, 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct strbuf out = STRBUF_INIT;
		double bytes, chunk;
		bool good = bonnie_parse_size(rows[i].text, &bytes, &chunk);

		CU_ASSERT_EQUAL(good, rows[i].good);
		if (!good)
			continue;
		bonnie_format_size(bytes, chunk, &out);
		CU_ASSERT_TRUE(same(bytes, rows[i].bytes));
		CU_ASSERT_TRUE(same(chunk, rows[i].chunk));
		CU_ASSERT_STRING_EQUAL(strbuf_str(&out),
				       rows[i].again ? rows[i].again : rows[i].text);
		strbuf_free(&out);
	}
}

static void test_files(void)
{
	static const struct {
		const char *text;
		bool good;
		double n, max, min, dirs;
		const char *again; /* NULL: the same */
	} rows[] = {
		{ "16", true, 16384, NAN, NAN, NAN, NULL },
		{ "16:100000:16/64", true, 16384, 100000, 16, 64, NULL },
		{ "10:688128:5120:1", true, 10240, 688128, 5120, 1, "10:688128:5120/1" },
		{ "16/64", true, 16384, NAN, NAN, 64, NULL },
		{ "0.5:10:0", true, 512, 10, 0, NAN, NULL },
		{ "16:link", true, 16384, NAN, NAN, NAN, NULL },
		{ "16:symlink", true, 16384, NAN, NAN, NAN, NULL },
		{ "", false, 0, 0, 0, 0, NULL },
		{ "x", false, 0, 0, 0, 0, NULL },
		{ "16:100000/64", false, 0, 0, 0, 0, NULL },
		{ "16:100000:16/", false, 0, 0, 0, 0, NULL },
		{ "16:100000:16/64 ", false, 0, 0, 0, 0, NULL },
		{ "-16", false, 0, 0, 0, 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct strbuf out = STRBUF_INIT;
		struct bonnie_files f;
		bool good = bonnie_parse_files(rows[i].text, &f);

		CU_ASSERT_EQUAL(good, rows[i].good);
		if (!good)
			continue;
		bonnie_format_files(&f, &out);
		CU_ASSERT_TRUE(same(f.n, rows[i].n) && same(f.max, rows[i].max) &&
			       same(f.min, rows[i].min) && same(f.dirs, rows[i].dirs));
		CU_ASSERT_STRING_EQUAL(strbuf_str(&out),
				       rows[i].again ? rows[i].again : rows[i].text);
		strbuf_free(&out);
	}
}

void test_record_bonnie(void)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} tests[] = {
		{ "sizes", test_sizes },
		{ "files", test_files },
	};
	CU_pSuite suite = CU_add_suite("record bonnie", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
