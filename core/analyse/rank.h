/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rank statistics of two samples, x the baseline and y the candidate: exact Mann-Whitney with ties,
 * Hodges-Lehmann shift and its interval, Cliff's delta, a permutation test of means.
 */
#pragma once

#include <stddef.h>

#include "core/util/macro.h"

/* Beyond this many values a side the normal approximation stands in for exact probabilities. */
enum { RANK_EXACT_MAX = 50 };

/* P(U <= u) and the smallest u with P(U <= u) >= p, without ties. */
double rank_cdf(double u, size_t m, size_t n);
size_t rank_quantile(double p, size_t m, size_t n);

struct rank_test {
	double u;     /* pairs in which y is larger, ties count half */
	double delta; /* Cliff's: -1 .. 1 */
	double p, p_less, p_greater; /* exact given the ties; two-sided is twice the smaller, at most 1 */
	double p_normal; /* with continuity correction */
	double p_min;	 /* the smallest two-sided p that these sizes can give */
};
void rank_mann_whitney(const double *x, size_t nx, const double *y, size_t ny, struct rank_test *t);

struct rank_shift {
	double shift; /* median of all differences y - x */
	double lo, hi; /* interval of at least 95 % where the sizes allow */
	double confidence; /* that it really has */
	size_t k;
};
void rank_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny, struct rank_shift *s);

/* The shift alone, without the memory and time that all differences take. */
double rank_shift(const double *x, size_t nx, const double *y, size_t ny);

/* Two-sided p of the difference of means over all splits; NaN when there are more than a million. */
double rank_permutation_p(const double *x, size_t nx, const double *y, size_t ny);

/* Mid-ranks (from 1) of v into r. */
void rank_midranks(const double *v, size_t n, double *r);
