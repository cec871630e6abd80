/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/import/number: numbers and times as people write them. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/number.h"

void test_import_number(void);

struct row {
	const char *text;
	double value;	     /* NAN: refused */
	const char *message; /* part of it */
};

static void check(const struct row *rows, size_t n,
		  int (*parse)(const char *, double *, struct err *))
{
	for (size_t i = 0; i < n; i++) {
		struct err e = { 0, "" };
		double v = -1;
		int r = parse(rows[i].text, &v, &e);
		bool good = isnan(rows[i].value)
				    ? r < 0 && (!rows[i].message || strstr(e.text, rows[i].message))
				    : r == 0 && fabs(v - rows[i].value) <= 1e-12 * fabs(v);

		if (!good)
			printf("\n  \"%s\": %d %.17g %s\n", rows[i].text, r, v, e.text);
		CU_ASSERT_TRUE(good);
	}
}

static void test_numbers(void)
{
	static const struct row rows[] = {
		{ "0", 0, NULL },
		{ "505013", 505013, NULL },
		{ "518441.3", 518441.3, NULL },
		{ "-3.5", -3.5, NULL },
		{ "1e3", 1000, NULL },
		{ "1000,5", NAN, "has a comma" },
		{ "98,567", NAN, "has a comma" },
		{ "-1,5", NAN, "has a comma" },
		{ "", NAN, "no number" },
		{ "fast", NAN, "no number" },
		{ "12 MB/s", NAN, "no number" },
		{ "+++++", NAN, "no number" },
		{ "0x10", NAN, "no number" },
		{ "nan", NAN, "no number" },
		{ "inf", NAN, "no number" },
		{ "1e999", NAN, "no number" },
	};

	check(rows, ARRAY_SIZE(rows), import_number);
}

static void test_durations(void)
{
	static const struct row rows[] = {
		{ "12:40.55", 760.55, NULL },
		{ "1:13:45", 4425, NULL },
		{ "34:28.51elapsed", 2068.51, NULL },
		{ "34:28.51 elapsed", 2068.51, NULL },
		{ "0:40.10elapsed 91%CPU (0avgtext+0avgdata)", 40.1, NULL },
		{ " 40.10 ", 40.1, NULL },
		{ "0m40.100s", 40.1, NULL },
		{ "75m1.5s", 4501.5, NULL },
		{ "94511us", 0.094511, NULL },
		{ "279ms", 0.279, NULL },
		{ "105s", 105, NULL },
		{ "7ns", 7e-9, NULL },
		{ "0", 0, NULL },
		{ "11.42/avg", NAN, "no time" },
		{ "12:61", NAN, "no time" },
		{ "12:5", NAN, "no time" },
		{ "12:405", NAN, "no time" },
		{ "1.5:30", NAN, "no time" },
		{ "1:2:3:4", NAN, "no time" },
		{ "1:60:00", NAN, "no time" },
		{ "34:28,51", NAN, "decimal comma" },
		{ "40,10", NAN, "decimal comma" },
		{ "-5", NAN, "no time" },
		{ "", NAN, "no time" },
		{ "40.10 elapsed and more", NAN, "no time" },
		{ "5m", NAN, "no time" },
		{ "1m60s", NAN, "no time" },
	};

	check(rows, ARRAY_SIZE(rows), import_duration);
}

static void test_censored(void)
{
	CU_ASSERT_TRUE(import_is_censored("+++"));
	CU_ASSERT_TRUE(import_is_censored("+++++"));
	CU_ASSERT_FALSE(import_is_censored("++"));
	CU_ASSERT_FALSE(import_is_censored("+++1"));
	CU_ASSERT_FALSE(import_is_censored(""));
}

void test_import_number(void)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} tests[] = {
		{ "numbers", test_numbers },
		{ "durations", test_durations },
		{ "censored", test_censored },
	};
	CU_pSuite suite = CU_add_suite("import number", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
