/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures over many files: fairness, quantiles, spread over groups. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Jain's index: 1 when all are equal, 1/n when one has all. NaN for none, or nothing but zeros. */
static inline double streams_jain(const double *v, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += v[i];
		squares += v[i] * v[i];
	}
	return squares > 0 ? sum * sum / ((double)n * squares) : NAN;
}

static inline int streams_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The smallest value that a share q of all does not exceed; sorts v. NaN for none. */
static inline double streams_quantile(double *v, size_t n, double q)
{
	size_t rank;

	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), streams_compare);
	rank = (size_t)ceil(q * (double)n);
	return v[rank ? rank - 1 : 0];
}

/*
 * Entropy of the shares over that of equal ones: 1 when each group has as much, 0 when one has all. NaN
 * when there is nothing, or one group only.
 */
static inline double streams_entropy(const uint64_t *v, size_t n)
{
	double sum = 0, h = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[i];
	if (!(sum > 0) || n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		double p = (double)v[i] / sum;

		if (p > 0)
			h -= p * log(p);
	}
	return h / log((double)n);
}
