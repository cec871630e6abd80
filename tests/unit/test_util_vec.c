/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/vec. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/util/vec.h"

static void test_push(void)
{
	VEC(int) v = VEC_INIT;
	int bad = 0;

	for (int i = 0; i < 1000; i++)
		vec_push(&v, i);
	CU_ASSERT_EQUAL(v.n, 1000);
	CU_ASSERT_TRUE(v.cap >= v.n);
	for (int i = 0; i < 1000; i++)
		bad += v.v[i] != i;
	CU_ASSERT_EQUAL(bad, 0);
	vec_free(&v);
	CU_ASSERT_PTR_NULL(v.v);
	CU_ASSERT_EQUAL(v.n, 0);
	vec_free(&v);
}

static void test_reserve(void)
{
	VEC(double) v = VEC_INIT;
	double *p;

	vec_reserve(&v, 100);
	CU_ASSERT_TRUE(v.cap >= 100);
	p = v.v;
	for (int i = 0; i < 100; i++)
		vec_push(&v, i);
	CU_ASSERT_PTR_EQUAL(v.v, p);
	vec_free(&v);
}

void test_util_vec(void);

void test_util_vec(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "push", test_push },
		{ "reserve", test_reserve },
	};
	CU_pSuite suite = CU_add_suite("util vec", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
