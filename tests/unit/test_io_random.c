/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/random: each block once, shapes, seeds. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/random.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

void test_io_random(void);

enum { BLOCKS = 1000, DRAWS = 1000000 };

static void start(struct random_blocks *r, const struct io_random *spec, uint64_t seed)
{
	random_init(r, spec, spec->kind != IO_UNIFORM, seed, 0);
}

static void test_each_once(void)
{
	static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 1000, 4096, 65537 };
	static const struct io_random spec = { .kind = IO_UNIFORM };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t n = sizes[i], bad = 0, first[2] = { 0, 0 };
		uint8_t *seen = xcalloc(n, 1);
		struct random_blocks r;

		start(&r, &spec, i);
		for (uint8_t pass = 0; pass < 2; pass++) {
			for (uint64_t k = 0; k < n; k++) {
				uint64_t b = random_block(&r, n);

				bad += b >= n || seen[b]++ != pass;
				first[pass] = k < 8 ? first[pass] * n + b : first[pass];
			}
			CU_ASSERT_EQUAL(random_block(&r, n), FST_ALL_TAKEN);
		}
		CU_ASSERT_EQUAL(bad, 0);
		/* Another pass takes another order. */
		CU_ASSERT_TRUE(n < 1000 || first[0] != first[1]);
		free(seen);
	}
}

/*
 * Without repeats, too, what comes first tells nothing of what comes next: neighbours as often as
 * by chance, all parts of the file alike at any time.
 */
static void test_order(void)
{
	static const struct io_random spec = { .kind = IO_UNIFORM };
	const uint64_t n = 1 << 20 | 12345;
	double chi_early = 0, chi_step = 0;
	uint64_t early[64] = { 0 }, step[64] = { 0 }, next = 0, last = 0;
	struct random_blocks r;

	start(&r, &spec, 5);
	for (uint64_t k = 0; k < 64 * 1024; k++) {
		uint64_t b = random_block(&r, n);

		early[b * 64 / n]++;
		step[(b + n - last) % n * 64 / n]++;
		next += b == last + 1;
		last = b;
	}
	for (int i = 0; i < 64; i++) {
		chi_early += pow((double)early[i] - 1024, 2) / 1024;
		chi_step += pow((double)step[i] - 1024, 2) / 1024;
	}
	/* 63 degrees of freedom: one in ten thousand seeds is above 112. */
	CU_ASSERT_TRUE(chi_early < 112);
	CU_ASSERT_TRUE(chi_step < 112);
	CU_ASSERT_TRUE(next < 10);
}

static void test_uniform(void)
{
	static const struct io_random spec = { .kind = IO_UNIFORM };
	uint64_t count[64] = { 0 };
	struct random_blocks r;
	double chi = 0;

	random_init(&r, &spec, true, 3, 0);
	for (int i = 0; i < 64 * 1024; i++)
		count[random_block(&r, 64)]++;
	for (int i = 0; i < 64; i++)
		chi += pow((double)count[i] - 1024, 2) / 1024;
	CU_ASSERT_TRUE(chi < 112);
}

static int descending(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

/* Accesses of each block, the most popular one first; false: one fell outside. */
static bool popular(const struct io_random *spec, uint64_t n, uint32_t *count, bool sort)
{
	struct random_blocks r;
	bool good = true;

	start(&r, spec, 11);
	memset(count, 0, n * sizeof(*count));
	for (int i = 0; i < DRAWS; i++) {
		uint64_t b = random_block(&r, n);

		good = good && b < n;
		count[b < n ? b : 0]++;
	}
	if (sort)
		qsort(count, n, sizeof(*count), descending);
	return good;
}

/* Five standard deviations of a count with that mean. */
static bool about(double got, double want)
{
	return fabs(got - want) <= 5 * sqrt(want) + 1;
}

static void test_zipf(void)
{
	static const double thetas[] = { 0.5, 0.99, 1, 1.0000001, 1.2, 3 };
	uint32_t count[BLOCKS];

	for (size_t i = 0; i < ARRAY_SIZE(thetas); i++) {
		const struct io_random spec = { .kind = IO_ZIPF, .theta = thetas[i] };
		double sum = 0, head = 0;

		CU_ASSERT_TRUE(popular(&spec, BLOCKS, count, true));
		for (int k = 1; k <= BLOCKS; k++)
			sum += pow(k, -thetas[i]);
		CU_ASSERT_TRUE(about(count[0], DRAWS / sum));
		CU_ASSERT_TRUE(about(count[1], DRAWS / sum * pow(2, -thetas[i])));
		CU_ASSERT_TRUE(about(count[2], DRAWS / sum * pow(3, -thetas[i])));
		for (int k = 0; k < 100; k++)
			head += count[k];
		sum = 1 / sum;
		for (int k = 1; k <= 100; k++)
			head -= DRAWS * sum * pow(k, -thetas[i]);
		/* Ranks are told apart by luck where counts are close. */
		CU_ASSERT_TRUE(fabs(head) < 0.01 * DRAWS);
	}
}

static void test_pareto(void)
{
	static const struct io_random spec = { .kind = IO_PARETO, .theta = 0.2 };
	uint32_t count[BLOCKS];
	double head = 0, inner = 0;

	CU_ASSERT_TRUE(popular(&spec, BLOCKS, count, true));
	for (int k = 0; k < BLOCKS / 5; k++) {
		head += count[k];
		inner += k < BLOCKS / 25 ? count[k] : 0;
	}
	CU_ASSERT_TRUE(about(head, 0.8 * DRAWS));
	CU_ASSERT_TRUE(about(inner, 0.64 * DRAWS));
}

static void test_normal(void)
{
	static const struct io_random spec = { .kind = IO_NORMAL, .theta = 10 };
	uint32_t count[BLOCKS];
	double head = 0;

	CU_ASSERT_TRUE(popular(&spec, BLOCKS, count, true));
	for (int k = 0; k < BLOCKS / 5; k++)
		head += count[k];
	/* One standard deviation to both sides. */
	CU_ASSERT_TRUE(fabs(head - 0.6827 * DRAWS) < 0.005 * DRAWS);
}

static void test_zoned(void)
{
	static const struct io_random spec = { .kind = IO_ZONED,
					       .n_zones = 3,
					       .zones = { { 50, 5 }, { 30, 15 }, { 20, 80 } } };
	static const struct io_random thin = { .kind = IO_ZONED,
					       .n_zones = 2,
					       .zones = { { 99, 0.001 }, { 1, 99.999 } } };
	uint32_t count[BLOCKS];
	double zone[3] = { 0 };

	CU_ASSERT_TRUE(popular(&spec, BLOCKS, count, false));
	for (int k = 0; k < BLOCKS; k++)
		zone[(k >= 50) + (k >= 200)] += count[k];
	CU_ASSERT_TRUE(about(zone[0], 0.5 * DRAWS));
	CU_ASSERT_TRUE(about(zone[1], 0.3 * DRAWS));
	CU_ASSERT_TRUE(about(zone[2], 0.2 * DRAWS));
	/* A zone of less than one block is one. */
	CU_ASSERT_TRUE(popular(&thin, 3, count, false));
	CU_ASSERT_TRUE(count[0] > 0.99 * DRAWS);
	CU_ASSERT_TRUE(popular(&thin, 1, count, false));
}

/* The popular blocks do not lie side by side, and are the same for all workers. */
static void test_scattered(void)
{
	static const struct io_random spec = { .kind = IO_ZIPF, .theta = 1.2 };
	uint32_t *count = xcalloc(2 * BLOCKS, sizeof(*count));
	uint32_t top[2][8], spread = 0;

	for (uint32_t w = 0; w < 2; w++) {
		struct random_blocks r;

		random_init(&r, &spec, true, 9, w);
		memset(count, 0, BLOCKS * sizeof(*count));
		for (int i = 0; i < DRAWS; i++)
			count[random_block(&r, BLOCKS)]++;
		for (int k = 0; k < 3; k++) {
			top[w][k] = 0;
			for (uint32_t b = 0; b < BLOCKS; b++)
				top[w][k] = count[b] > count[top[w][k]] ? b : top[w][k];
			count[top[w][k]] = 0;
		}
	}
	for (int k = 0; k < 3; k++) {
		CU_ASSERT_EQUAL(top[0][k], top[1][k]);
		spread += k && abs((int)top[0][k] - (int)top[0][k - 1]) > 1;
	}
	CU_ASSERT_EQUAL(spread, 2);
	free(count);
}

static void test_seeds(void)
{
	static const struct io_random specs[] = { { .kind = IO_UNIFORM },
						  { .kind = IO_ZIPF, .theta = 0.9 },
						  { .kind = IO_NORMAL, .theta = 10 } };

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct random_blocks a, b, other, worker;
		int same = 0, same_worker = 0, wrong = 0;

		random_init(&a, &specs[i], i != 0, 1, 0);
		random_init(&b, &specs[i], i != 0, 1, 0);
		random_init(&other, &specs[i], i != 0, 2, 0);
		random_init(&worker, &specs[i], i != 0, 1, 1);
		for (int k = 0; k < 100; k++) {
			uint64_t x = random_block(&a, 1 << 20);

			wrong += x != random_block(&b, 1 << 20);
			same += x == random_block(&other, 1 << 20);
			same_worker += x == random_block(&worker, 1 << 20);
		}
		CU_ASSERT_EQUAL(wrong, 0);
		CU_ASSERT_TRUE(same < 10);
		CU_ASSERT_TRUE(same_worker < 50);
	}
}

static void test_none(void)
{
	static const struct io_random spec = { .kind = IO_ZIPF, .theta = 0.9 };
	struct random_blocks r;

	start(&r, &spec, 1);
	CU_ASSERT_EQUAL(random_block(&r, 0), FST_ALL_TAKEN);
	CU_ASSERT_EQUAL(random_block(&r, 1), 0);
	CU_ASSERT_EQUAL(random_block(&r, 0), FST_ALL_TAKEN);
}

void test_io_random(void)
{
	CU_pSuite s = CU_add_suite("io random", NULL, NULL);

	CU_ADD_TEST(s, test_each_once);
	CU_ADD_TEST(s, test_order);
	CU_ADD_TEST(s, test_uniform);
	CU_ADD_TEST(s, test_zipf);
	CU_ADD_TEST(s, test_pareto);
	CU_ADD_TEST(s, test_normal);
	CU_ADD_TEST(s, test_zoned);
	CU_ADD_TEST(s, test_scattered);
	CU_ADD_TEST(s, test_seeds);
	CU_ADD_TEST(s, test_none);
}
