/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Log-linear latency histogram: 7 sub-bucket bits, 40-bit range, so that a bucket's midpoint is at
 * most 0.39 % off. One per thread and operation, merged by adding; percentiles are never averaged.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { HIST_SUB_BITS = 7, HIST_RANGE_BITS = 40, HIST_BUCKETS = 4352 };

struct hist {
	uint64_t count;
	uint64_t min, max; /* exact; min UINT64_MAX while count is 0 */
	uint64_t overflow; /* values of 2^40 and more, counted in the last bucket too */
	double sum;
	uint64_t buckets[HIST_BUCKETS];
};

static inline uint32_t hist_index(uint64_t v)
{
	unsigned e;

	if (v < (2u << HIST_SUB_BITS))
		return (uint32_t)v;
	if (v >> HIST_RANGE_BITS)
		return HIST_BUCKETS - 1;
	e = 63u - (unsigned)__builtin_clzll(v) - HIST_SUB_BITS;
	return (e << HIST_SUB_BITS) + (uint32_t)(v >> e);
}

static inline void hist_add(struct hist *h, uint64_t v)
{
	h->buckets[hist_index(v)]++;
	h->count++;
	h->sum += (double)(int64_t)v; /* signed: one instruction; ns fit */
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	if (__builtin_expect(v >> HIST_RANGE_BITS != 0, 0))
		h->overflow++;
}

/* Empty; freed with free(). */
struct hist *hist_new(void);
void hist_reset(struct hist *h);
void hist_merge(struct hist *into, const struct hist *from);
/* Bounds, both inclusive, and midpoint of bucket i. */
void hist_bucket(uint32_t i, uint64_t *lo, uint64_t *hi, double *mid);
/*
 * Value at quantile q in (0, 1]: rank max(1, ceil(q * count)), midpoint of its bucket clamped to
 * [min, max]. NaN when nothing was counted.
 */
double hist_value_at(const struct hist *h, double q);
/*
 * The same, but NaN when count * (1 - q) < 10 (too few samples to say), except for q <= 0.5 with
 * count >= 1.
 */
double hist_quantile(const struct hist *h, double q);
/*
 * {unit: "ns", count, min, max, mean, percentiles:
 * {"1","5","10","50","90","95","99","99.9","99.99": number or null}, histogram: {sub_bucket_bits,
 * range_bits, overflow, buckets: [[index, count], ...]}}. Nothing counted: count 0 and nulls. New
 * reference.
 */
json_t *hist_json(const struct hist *h);
/* Key of percentile i in hist_json(); NULL behind the last. */
const char *hist_percentile_key(size_t i);
