/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * database: which page comes next. A rank is drawn (0 is the hottest) and permuted, so that hot
 * pages are scattered over the table as in a real one.
 */
#pragma once

#include <math.h>
#include <stdint.h>

struct db_pick {
	uint64_t n; /* pages */
	int distribution;
	uint64_t hot; /* ranks below are the hot set */
	double hot_share;
	/* zipf, by rejection-inversion (Hoermann and Derflinger 1996) */
	double theta, at_one, at_n, s;
	/* the permutation */
	unsigned bits; /* of each half */
	uint64_t key[4];
};

static inline uint64_t db_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline double db_zipf_area(double theta, double x)
{
	double l = log(x), t = (1 - theta) * l;

	return (fabs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2) * l;
}

static inline double db_zipf_density(double theta, double x)
{
	return exp(-theta * log(x));
}

static inline double db_zipf_inverse(double theta, double x)
{
	double t = fmax(-1, x * (1 - theta));

	return exp((fabs(t) > 1e-8 ? log1p(t) / t : 1 - t / 2) * x);
}

static inline void db_pick_init(struct db_pick *p, uint64_t seed)
{
	p->hot = p->hot ? p->hot : 1;
	p->at_one = db_zipf_area(p->theta, 1.5) - 1;
	p->at_n = db_zipf_area(p->theta, (double)p->n + 0.5);
	p->s = 2 - db_zipf_inverse(p->theta,
				   db_zipf_area(p->theta, 2.5) - db_zipf_density(p->theta, 2));
	p->bits = 1;
	while (p->bits < 31 && (UINT64_C(1) << (2 * p->bits)) < p->n)
		p->bits++;
	for (unsigned i = 0; i < 4; i++)
		p->key[i] = db_mix(seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* A bijection of [0, n): a Feistel network over the next power of 4, walked until it is inside. */
static inline uint64_t db_pick_permute(const struct db_pick *p, uint64_t rank)
{
	const uint64_t mask = (UINT64_C(1) << p->bits) - 1;

	do {
		uint64_t left = rank >> p->bits, right = rank & mask;

		for (unsigned i = 0; i < 4; i++) {
			uint64_t next = left ^ (db_mix(right ^ p->key[i]) & mask);

			left = right;
			right = next;
		}
		rank = left << p->bits | right;
	} while (rank >= p->n);
	return rank;
}

/* In [0, n). */
static inline uint64_t db_below(uint64_t random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)random * n >> 64);
}

static inline double db_unit(uint64_t random)
{
	return (double)(random >> 11) * 0x1p-53;
}

static inline uint64_t db_pick_zipf(const struct db_pick *p, struct fst_worker *w)
{
	for (;;) {
		double u = p->at_n + db_unit(fst_random(w)) * (p->at_one - p->at_n);
		double x = db_zipf_inverse(p->theta, u);
		double k = fmin(fmax(floor(x + 0.5), 1), (double)p->n);

		if (k - x <= p->s ||
		    u >= db_zipf_area(p->theta, k + 0.5) - db_zipf_density(p->theta, k))
			return (uint64_t)k - 1;
	}
}

/* Rank of the next page, 0 the hottest. */
static inline uint64_t db_pick_rank(const struct db_pick *p, struct fst_worker *w)
{
	if (p->distribution == 1)
		return db_pick_zipf(p, w);
	if (p->distribution == 2 && p->hot < p->n) {
		if (db_unit(fst_random(w)) < p->hot_share)
			return db_below(fst_random(w), p->hot);
		return p->hot + db_below(fst_random(w), p->n - p->hot);
	}
	return db_below(fst_random(w), p->n);
}
