/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/report/scale. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#include "core/report/scale.h"
#include "core/util/macro.h"

void test_report_scale(void);

static void test_units(void)
{
	static const struct {
		double reference, value;
		const char *unit, *shown, *text;
	} rows[] = {
		{ 5.1e8, 5.1e8, "bytes/s", "MiB/s", "486.4" },
		{ 5.1e8, 5.1e9, "bytes/s", "MiB/s", "4864" },
		{ 2e9, 1e9, "bytes/s", "GiB/s", "0.9313" },
		{ 512, 512, "bytes/s", "B/s", "512" },
		{ 1234567, 999, "ns", "ms", "9.990e-04" },
		{ 1234567, 2e6, "ns", "ms", "2.000" },
		{ 7, 7, "ns", "ns", "7" },
		{ 5e9, 5e9, "ns", "s", "5.000" },
		{ 1234, 1234, "ops/s", "/s", "1234" },
		{ 123456, 123456, "ops/s", "k/s", "123.5" },
		{ 12, 12, "count", "", "12" },
		{ 0.5, 0.25, "ratio", "", "0.2500" },
		{ 4096, 4096, "bytes", "KiB", "4.000" },
		{ 0, 0, "bytes/s", "B/s", "0" },
		{ 1000, NAN, "ns", "us", "-" },
		{ 3, 999.96, "frames", "frames", "1000" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scale s;
		char buf[40];

		scale_for(rows[i].reference, rows[i].unit, &s);
		CU_ASSERT_STRING_EQUAL(s.unit, rows[i].shown);
		CU_ASSERT_STRING_EQUAL(scale_format(rows[i].value, &s, buf, sizeof(buf)),
				       rows[i].text);
	}
}

static void test_places(void)
{
	static const struct {
		double value;
		unsigned places;
		const char *text;
	} rows[] = {
		{ 383, 2, "383.0" }, { 228194.5, 1, "228195" },	   { 7852.5, 1, "7853" },
		{ -0.5, 1, "-1" },   { 518441.25, 2, "518441.3" }, { 5, 1, "5" },
		{ NAN, 2, "-" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct scale s = { .unit = "KiB/s", .divisor = 1, .places = rows[i].places };
		char buf[40];

		CU_ASSERT_STRING_EQUAL(scale_format(rows[i].value, &s, buf, sizeof(buf)),
				       rows[i].text);
	}
}

void test_report_scale(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "units", test_units },
		{ "places", test_places },
	};
	CU_pSuite suite = CU_add_suite("report scale", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
