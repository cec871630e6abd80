/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/analyse/summary. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <float.h>
#include <math.h>

#include "core/analyse/summary.h"
#include "core/util/macro.h"

void test_analyse_summary(void);

static void test_values(void)
{
	/* spread: NAN stands for none */
	static const struct {
		double v[5];
		size_t n;
		double median, min, max, mean, spread;
	} rows[] = {
		{ { 7 }, 1, 7, 7, 7, 7, NAN },
		{ { 3, 1 }, 2, 2, 1, 3, 2, M_SQRT2 / 2 },
		{ { 5, 1, 3 }, 3, 3, 1, 5, 3, 2.0 / 3 },
		{ { 4, 1, 2, 3 }, 4, 2.5, 1, 4, 2.5, 0.5163977794943222 },
		{ { 2, 2, 2, 2, 2 }, 5, 2, 2, 2, 2, 0 },
		{ { -1, -3 }, 2, -2, -3, -1, -2, M_SQRT2 / 2 },
		{ { 0, 0 }, 2, 0, 0, 0, 0, NAN },
		{ { -1, 1 }, 2, 0, -1, 1, 0, NAN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double v[5];
		struct summary s;

		for (size_t k = 0; k < rows[i].n; k++)
			v[k] = rows[i].v[k];
		summary_compute(v, rows[i].n, &s);
		CU_ASSERT_EQUAL(s.n, rows[i].n);
		CU_ASSERT_DOUBLE_EQUAL(s.median, rows[i].median, 1e-12);
		CU_ASSERT_DOUBLE_EQUAL(s.min, rows[i].min, 0);
		CU_ASSERT_DOUBLE_EQUAL(s.max, rows[i].max, 0);
		CU_ASSERT_DOUBLE_EQUAL(s.mean, rows[i].mean, 1e-12);
		if (isnan(rows[i].spread))
			CU_ASSERT_TRUE(isnan(s.spread));
		if (!isnan(rows[i].spread))
			CU_ASSERT_DOUBLE_EQUAL(s.spread, rows[i].spread, 1e-12);
	}
}

static void test_nothing(void)
{
	struct summary s;

	summary_compute(NULL, 0, &s);
	CU_ASSERT_EQUAL(s.n, 0);
	CU_ASSERT_TRUE(isnan(s.median) && isnan(s.min) && isnan(s.max) && isnan(s.mean));
	CU_ASSERT_TRUE(isnan(s.spread));
}

/* Where a sum, or a sum of squares, would overflow or lose everything. */
static void test_extremes(void)
{
	double huge[] = { DBL_MAX, DBL_MAX / 2 }, near[] = { 1e15 + 2, 1e15, 1e15 + 1 };
	struct summary s;

	summary_compute(huge, 2, &s);
	CU_ASSERT_DOUBLE_EQUAL(s.median / DBL_MAX, 0.75, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(s.mean / DBL_MAX, 0.75, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(s.spread, M_SQRT2 / 6 * 2, 1e-9);
	summary_compute(near, 3, &s);
	CU_ASSERT_DOUBLE_EQUAL(s.mean, 1e15 + 1, 0.2);
	CU_ASSERT_DOUBLE_EQUAL(s.spread * 1e15, 1, 0.3);
}

void test_analyse_summary(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "values", test_values },
		{ "nothing", test_nothing },
		{ "extremes", test_extremes },
	};
	CU_pSuite suite = CU_add_suite("analyse summary", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
