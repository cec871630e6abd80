/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log-linear latency histogram. */
#include "core/io/hist.h"

#include <math.h>
#include <string.h>

#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

/* A percentile is shown when at least so many samples lie above it. */
enum { HIST_TAIL_SAMPLES = 10 };

static const struct {
	const char *key;
	double q;
} hist_percentiles[] = {
	{ "1", 0.01 },	{ "5", 0.05 },	{ "10", 0.1 },	   { "50", 0.5 },	{ "90", 0.9 },
	{ "95", 0.95 }, { "99", 0.99 }, { "99.9", 0.999 }, { "99.99", 0.9999 },
};

const char *hist_percentile_key(size_t i)
{
	return i < ARRAY_SIZE(hist_percentiles) ? hist_percentiles[i].key : NULL;
}

struct hist *hist_new(void)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	h->min = UINT64_MAX;
	return h;
}

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (!from->count)
		return;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
	into->count += from->count;
	into->overflow += from->overflow;
	into->sum += from->sum;
	into->min = MIN(into->min, from->min);
	into->max = MAX(into->max, from->max);
}

void hist_bucket(uint32_t i, uint64_t *lo, uint64_t *hi, double *mid)
{
	uint32_t e = i >> HIST_SUB_BITS;

	/* The first two groups of 2^7 are exact; from there e is one more than the shift was. */
	e = e ? e - 1 : 0;
	*lo = (uint64_t)(i - (e << HIST_SUB_BITS)) << e;
	*hi = *lo + (1ull << e) - 1;
	*mid = ((double)*lo + (double)*hi) / 2;
}

double hist_value_at(const struct hist *h, double q)
{
	uint64_t rank, seen = 0, lo, hi;
	double mid, exact;
	uint32_t i;

	if (!h->count)
		return NAN;
	/* 0.95 * 20 is 19.000000000000004 on the wrong machine: what is whole stays whole. */
	exact = q * (double)h->count;
	rank = (uint64_t)ceil(exact - exact * 1e-12);
	rank = MIN(MAX(rank, (uint64_t)1), h->count);
	for (i = 0; i < HIST_BUCKETS - 1; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			break;
	}
	hist_bucket(i, &lo, &hi, &mid);
	return fmin(fmax(mid, (double)h->min), (double)h->max);
}

double hist_quantile(const struct hist *h, double q)
{
	/* 1000 * (1 - 0.99) is 10.000000000000009 or 9.99999...: hence the small allowance. */
	if (q > 0.5 && (double)h->count * (1 - q) < HIST_TAIL_SAMPLES - 1e-6)
		return NAN;
	return hist_value_at(h, q);
}

static json_t *hist_json_buckets(const struct hist *h)
{
	json_t *buckets = js_array();

	for (uint32_t i = 0; h->count && i < HIST_BUCKETS; i++) {
		if (h->buckets[i]) {
			json_t *pair = js_array();

			js_push(pair, js_u64(i));
			js_push(buckets, js_push(pair, js_u64(h->buckets[i])));
		}
	}
	return buckets;
}

json_t *hist_json(const struct hist *h)
{
	json_t *o = js_object(), *p = js_object(), *b = js_object();
	bool any = h->count != 0;

	for (size_t i = 0; i < ARRAY_SIZE(hist_percentiles); i++)
		js_set(p, hist_percentiles[i].key,
		       js_real(hist_quantile(h, hist_percentiles[i].q)));
	js_set(b, "sub_bucket_bits", js_u64(HIST_SUB_BITS));
	js_set(b, "range_bits", js_u64(HIST_RANGE_BITS));
	js_set(b, "overflow", js_u64(h->overflow));
	js_set(b, "buckets", hist_json_buckets(h));
	js_set(o, "unit", js_str("ns"));
	js_set(o, "count", js_u64(h->count));
	js_set(o, "min", any ? js_u64(h->min) : json_null());
	js_set(o, "max", any ? js_u64(h->max) : json_null());
	js_set(o, "mean", any ? js_real(h->sum / (double)h->count) : json_null());
	js_set(o, "percentiles", p);
	return js_set(o, "histogram", b);
}
