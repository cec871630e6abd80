/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/prng. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/macro.h"
#include "core/util/prng.h"

/* First outputs of xoshiro256** for the state 1, 2, 3, 4, by the authors' reference code. */
static void test_reference(void)
{
	static const uint64_t expected[] = {
		11520ULL, 0ULL, 1509978240ULL, 1215971899390074240ULL,
	};
	struct prng p = { { 1, 2, 3, 4 } };

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		CU_ASSERT_EQUAL(prng_next(&p), expected[i]);
}

static void test_repeatable(void)
{
	struct prng a, b;

	prng_seed(&a, 42, 7);
	prng_seed(&b, 42, 7);
	for (int i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(prng_next(&a), prng_next(&b));
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Small seeds and stream numbers in every combination give different numbers. */
static void test_streams_differ(void)
{
	uint64_t first[64 * 64];
	int same = 0;

	for (uint64_t i = 0; i < ARRAY_SIZE(first); i++) {
		struct prng p;

		prng_seed(&p, i / 64, i % 64);
		first[i] = prng_next(&p);
	}
	qsort(first, ARRAY_SIZE(first), sizeof(first[0]), compare_u64);
	for (size_t i = 1; i < ARRAY_SIZE(first); i++)
		same += first[i] == first[i - 1];
	CU_ASSERT_EQUAL(same, 0);
}

static void test_below(void)
{
	unsigned int count[10] = { 0 };
	struct prng p;

	prng_seed(&p, 3, 0);
	for (int i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(prng_below(&p, 1), 0);
	for (int i = 0; i < 100000; i++)
		count[prng_below(&p, 10)]++;
	for (int i = 0; i < 10; i++)
		CU_ASSERT_TRUE(count[i] > 9500 && count[i] < 10500);
}

/* Every length is filled to its end and not beyond. */
static void test_fill(void)
{
	struct prng p;

	prng_seed(&p, 5, 0);
	for (size_t len = 0; len <= 40; len++) {
		unsigned char seen[41] = { 0 }, buf[42];

		for (int round = 0; round < 20; round++) {
			memset(buf, 0, sizeof(buf));
			prng_fill(&p, buf, len);
			for (size_t i = 0; i < len; i++)
				seen[i] |= buf[i];
			CU_ASSERT_EQUAL(buf[len], 0);
		}
		for (size_t i = 0; i < len; i++)
			CU_ASSERT_NOT_EQUAL(seen[i], 0);
	}
}

static void test_shuffle(void)
{
	unsigned int first[4] = { 0 };
	struct prng p;

	prng_seed(&p, 9, 0);
	for (int round = 0; round < 40000; round++) {
		uint32_t v[4] = { 0, 1, 2, 3 };

		prng_shuffle(&p, v, 4);
		CU_ASSERT_EQUAL(v[0] + v[1] + v[2] + v[3], 6);
		first[v[0] & 3]++;
	}
	for (int i = 0; i < 4; i++)
		CU_ASSERT_TRUE(first[i] > 9500 && first[i] < 10500);
	prng_shuffle(&p, NULL, 0);
}

void test_util_prng(void);

void test_util_prng(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "reference", test_reference },
		{ "repeatable", test_repeatable },
		{ "streams differ", test_streams_differ },
		{ "below", test_below },
		{ "fill", test_fill },
		{ "shuffle", test_shuffle },
	};
	CU_pSuite suite = CU_add_suite("util prng", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
