/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/hist: the golden bucket table, quantiles, merging, JSON. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/hist.h"
#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/prng.h"

void test_io_hist(void);

static const struct {
	uint64_t value;
	uint32_t index;
	uint64_t lo, hi;
	double mid;
} golden[] = {
	{ 0, 0, 0, 0, 0 },
	{ 1, 1, 1, 1, 1 },
	{ 127, 127, 127, 127, 127 },
	{ 128, 128, 128, 128, 128 },
	{ 255, 255, 255, 255, 255 },
	{ 256, 256, 256, 257, 256.5 },
	{ 257, 256, 256, 257, 256.5 },
	{ 511, 383, 510, 511, 510.5 },
	{ 512, 384, 512, 515, 513.5 },
	{ 1000, 506, 1000, 1003, 1001.5 },
	{ 1023, 511, 1020, 1023, 1021.5 },
	{ 1024, 512, 1024, 1031, 1027.5 },
	{ 4095, 767, 4080, 4095, 4087.5 },
	{ 65535, 1279, 65280, 65535, 65407.5 },
	{ 100000, 1347, 99840, 100351, 100095.5 },
	{ 1000000, 1780, 999424, 1003519, 1001471.5 },
	{ 123456789, 2667, 123207680, 123731967, 123469823.5 },
	{ 1000000000, 3054, 998244352, 1002438655, 1000341503.5 },
	{ 8589934592, 3456, 8589934592, 8657043455, 8623489023.5 },
	{ 17179869183, 3583, 17112760320, 17179869183, 17146314751.5 },
	{ 60000000000, 3807, 59861106688, 60129542143, 59995324415.5 },
	{ 1099511627775, 4351, 1095216660480, 1099511627775, 1097364144127.5 },
};

static const uint64_t sample[] = { 87,	91,  92,  95,  99,  103, 104,  110,  118,   125,
				   131, 160, 212, 240, 300, 512, 1020, 4100, 25000, 1000000 };
static const struct {
	double q, value;
} sample_quantiles[] = {
	{ 0.5, 125 },	   { 0.9, 4111.5 },    { 0.95, 25023.5 },
	{ 0.99, 1000000 }, { 0.999, 1000000 }, { 1, 1000000 },
};

static struct hist *hist_of(const uint64_t *v, size_t n)
{
	struct hist *h = hist_new();

	for (size_t i = 0; i < n; i++)
		hist_add(h, v[i]);
	return h;
}

static void test_buckets(void)
{
	uint64_t lo, hi, next = 0;
	double mid, worst = 0;

	for (size_t i = 0; i < ARRAY_SIZE(golden); i++) {
		CU_ASSERT_EQUAL(hist_index(golden[i].value), golden[i].index);
		hist_bucket(golden[i].index, &lo, &hi, &mid);
		CU_ASSERT_EQUAL(lo, golden[i].lo);
		CU_ASSERT_EQUAL(hi, golden[i].hi);
		CU_ASSERT_EQUAL(mid, golden[i].mid);
	}
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		hist_bucket(i, &lo, &hi, &mid);
		if (lo != next || hi < lo || hist_index(lo) != i || hist_index(hi) != i)
			CU_FAIL("buckets do not tile the range");
		next = hi + 1;
		worst = fmax(worst, lo ? (mid - (double)lo) / (double)lo : 0);
	}
	CU_ASSERT_EQUAL(next, 1ull << HIST_RANGE_BITS);
	CU_ASSERT_TRUE(worst <= 1.0 / 256);
}

static void test_quantiles(void)
{
	struct hist *h = hist_of(sample, ARRAY_SIZE(sample));

	for (size_t i = 0; i < ARRAY_SIZE(sample_quantiles); i++)
		CU_ASSERT_EQUAL(hist_value_at(h, sample_quantiles[i].q), sample_quantiles[i].value);
	CU_ASSERT_EQUAL(hist_value_at(h, 0.001), 87);
	free(h);
}

/* A percentile needs ten samples above it. */
static void test_too_few(void)
{
	static const struct {
		double q;
		uint64_t enough;
	} needs[] = {
		{ 0.9, 100 }, { 0.95, 200 }, { 0.99, 1000 }, { 0.999, 10000 }, { 0.9999, 100000 }
	};
	struct hist *h = hist_new();

	CU_ASSERT_TRUE(isnan(hist_quantile(h, 0.5)));
	CU_ASSERT_TRUE(isnan(hist_value_at(h, 0.5)));
	hist_add(h, 42);
	CU_ASSERT_EQUAL(hist_quantile(h, 0.5), 42);
	CU_ASSERT_EQUAL(hist_quantile(h, 0.01), 42);
	CU_ASSERT_TRUE(isnan(hist_quantile(h, 1)));
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		while (h->count < needs[i].enough - 1)
			hist_add(h, 42);
		CU_ASSERT_TRUE(isnan(hist_quantile(h, needs[i].q)));
		hist_add(h, 42);
		CU_ASSERT_EQUAL(hist_quantile(h, needs[i].q), 42);
	}
	free(h);
}

static void test_overflow(void)
{
	struct hist *h = hist_new();

	hist_add(h, 1ull << HIST_RANGE_BITS);
	hist_add(h, UINT64_MAX >> 1);
	hist_add(h, (1ull << HIST_RANGE_BITS) - 1);
	CU_ASSERT_EQUAL(h->overflow, 2);
	CU_ASSERT_EQUAL(h->count, 3);
	CU_ASSERT_EQUAL(h->buckets[HIST_BUCKETS - 1], 3);
	CU_ASSERT_EQUAL(h->max, UINT64_MAX >> 1);
	hist_reset(h);
	CU_ASSERT_EQUAL(h->count + h->overflow + h->max + h->buckets[HIST_BUCKETS - 1], 0);
	CU_ASSERT_EQUAL(h->min, UINT64_MAX);
	free(h);
}

static void test_merge(void)
{
	struct hist *all = hist_new(), *a = hist_new(), *b = hist_new();
	struct prng rng;

	prng_seed(&rng, 1, 0);
	hist_merge(a, b); /* nothing into nothing */
	CU_ASSERT_EQUAL(a->min, UINT64_MAX);
	for (int i = 0; i < 10000; i++) {
		uint64_t v = prng_next(&rng) >> (prng_next(&rng) % 40 + 20);

		hist_add(all, v);
		hist_add(i % 3 ? a : b, v);
	}
	hist_merge(a, b);
	CU_ASSERT_EQUAL(memcmp(a->buckets, all->buckets, sizeof(a->buckets)), 0);
	CU_ASSERT_EQUAL(a->count, all->count);
	CU_ASSERT_EQUAL(a->min, all->min);
	CU_ASSERT_EQUAL(a->max, all->max);
	CU_ASSERT_EQUAL(a->overflow, all->overflow);
	CU_ASSERT_DOUBLE_EQUAL(a->sum, all->sum, all->sum * 1e-12);
	free(all);
	free(a);
	free(b);
}

static void test_json(void)
{
	struct hist *h = hist_of(sample, ARRAY_SIZE(sample));
	json_t *o = hist_json(h), *p = json_object_get(o, "percentiles"),
	       *b = json_object_get(o, "histogram"), *pair;
	json_int_t sum = 0;
	size_t i;

	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(o, "unit")), "ns");
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "count")), 20);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "min")), 87);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "max")), 1000000);
	CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_object_get(o, "mean")), 1032699 / 20.0, 1e-9);
	CU_ASSERT_EQUAL(json_object_size(p), 9);
	CU_ASSERT_EQUAL(json_number_value(json_object_get(p, "50")), 125);
	CU_ASSERT_TRUE(json_is_null(json_object_get(p, "99.9")));
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(b, "sub_bucket_bits")), 7);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(b, "range_bits")), 40);
	json_array_foreach(json_object_get(b, "buckets"), i, pair)
		sum += json_integer_value(json_array_get(pair, 1));
	CU_ASSERT_EQUAL(sum, 20);
	json_decref(o);
	hist_reset(h);
	o = hist_json(h);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "count")), 0);
	CU_ASSERT_TRUE(json_is_null(json_object_get(o, "min")));
	CU_ASSERT_TRUE(json_is_null(json_object_get(o, "max")));
	CU_ASSERT_TRUE(json_is_null(json_object_get(o, "mean")));
	CU_ASSERT_TRUE(json_is_null(json_object_get(json_object_get(o, "percentiles"), "50")));
	json_decref(o);
	free(h);
}

void test_io_hist(void)
{
	CU_pSuite s = CU_add_suite("io/hist", NULL, NULL);

	CU_ADD_TEST(s, test_buckets);
	CU_ADD_TEST(s, test_quantiles);
	CU_ADD_TEST(s, test_too_few);
	CU_ADD_TEST(s, test_overflow);
	CU_ADD_TEST(s, test_merge);
	CU_ADD_TEST(s, test_json);
}
