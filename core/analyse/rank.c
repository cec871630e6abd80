/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact rank statistics by counting. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>

#include "core/analyse/basic.h"
#include "core/analyse/rank.h"
#include "core/util/xalloc.h"

/*
 * Number of ways to choose k of the given doubled ranks (integers) with each sum, as doubles: exact up
 * to 2^53, and beyond that good to the last digits that a probability is shown with.
 */
static double *count_sums(const unsigned *doubled, size_t n, size_t k, size_t *max_sum)
{
	size_t total = 0, so_far = 0;
	double *ways;

	for (size_t i = 0; i < n; i++)
		total += doubled[i];
	*max_sum = total;
	ways = xcalloc((k + 1) * (total + 1), sizeof(*ways));
	ways[0] = 1;
	for (size_t i = 0; i < n; so_far += doubled[i++]) {
		/* Of i ranks no more can have been chosen, and the n - i others must suffice to make them k. */
		const size_t least = k > n - i ? k - (n - i) : 0;

		for (size_t j = MIN(k, i + 1); j-- > least;) {
			const double *from = ways + j * (total + 1);
			double *to = ways + (j + 1) * (total + 1) + doubled[i];

			for (size_t s = so_far + 1; s-- > 0;)
				to[s] += from[s];
		}
	}
	return ways;
}

/* P(sum of y's doubled ranks <= w) and >= w. */
static void sum_tails(const unsigned *doubled, size_t n, size_t k, size_t w, double *lower, double *upper)
{
	size_t total;
	double *ways = count_sums(doubled, n, k, &total), all = 0, lo = 0, hi = 0;
	const double *of_k = ways + k * (total + 1);

	for (size_t s = 0; s <= total; s++) {
		all += of_k[s];
		lo += s <= w ? of_k[s] : 0;
		hi += s >= w ? of_k[s] : 0;
	}
	*lower = lo / all;
	*upper = hi / all;
	free(ways);
}

double rank_cdf(double u, size_t m, size_t n)
{
	_cleanup_free_ unsigned *doubled = xcalloc(m + n, sizeof(*doubled));
	double lower, upper, base = (double)(m * (m + 1));

	if (u < 0)
		return 0;
	for (size_t i = 0; i < m + n; i++)
		doubled[i] = (unsigned)(2 * (i + 1));
	sum_tails(doubled, m + n, m, (size_t)(2 * floor(u) + base), &lower, &upper);
	return lower;
}

size_t rank_quantile(double p, size_t m, size_t n)
{
	size_t u = 0;

	while (u < m * n && rank_cdf((double)u, m, n) < p * (1 - 1e-12))
		u++;
	return u;
}

void rank_midranks(const double *v, size_t n, double *r)
{
	_cleanup_free_ size_t *order = xcalloc(MAX(n, (size_t)1), sizeof(*order));

	gsl_sort_index(order, v, 1, n);
	for (size_t i = 0; i < n;) {
		size_t k = i;

		while (k < n && v[order[k]] == v[order[i]])
			k++;
		for (size_t t = i; t < k; t++)
			r[order[t]] = ((double)i + (double)k + 1) / 2;
		i = k;
	}
}

/* sum of t^3 - t over groups of t equal values. */
static double tie_sum(const double *v, size_t n)
{
	_cleanup_free_ double *s = basic_sorted(v, n);
	double sum = 0;

	for (size_t i = 0; i < n;) {
		size_t k = i;

		while (k < n && s[k] == s[i])
			k++;
		sum += pow((double)(k - i), 3) - (double)(k - i);
		i = k;
	}
	return sum;
}

static double normal_p(double u, size_t nx, size_t ny, double ties)
{
	double m = (double)nx, n = (double)ny, all = m + n;
	double z = u - m * n / 2;
	double sigma = sqrt(m * n / 12 * (all + 1 - ties / (all * (all - 1))));

	if (!(sigma > 0))
		return 1;
	z = (z - (z > 0 ? 0.5 : z < 0 ? -0.5 : 0)) / sigma;
	return 2 * fmin(gsl_cdf_ugaussian_P(z), gsl_cdf_ugaussian_Q(z));
}

static double *joined(const double *x, size_t nx, const double *y, size_t ny)
{
	double *v = xcalloc(nx + ny, sizeof(*v));

	memcpy(v, x, nx * sizeof(*v));
	memcpy(v + nx, y, ny * sizeof(*v));
	return v;
}

void rank_mann_whitney(const double *x, size_t nx, const double *y, size_t ny, struct rank_test *t)
{
	_cleanup_free_ double *v = joined(x, nx, y, ny), *r = xcalloc(nx + ny, sizeof(*r));
	_cleanup_free_ unsigned *doubled = xcalloc(nx + ny, sizeof(*doubled));
	double w = 0, ties = tie_sum(v, nx + ny);

	rank_midranks(v, nx + ny, r);
	for (size_t i = 0; i < nx + ny; i++) {
		doubled[i] = (unsigned)lround(2 * r[i]);
		w += i >= nx ? r[i] : 0;
	}
	t->u = w - (double)(ny * (ny + 1)) / 2;
	t->delta = 2 * t->u / (double)(nx * ny) - 1;
	t->p_normal = normal_p(t->u, nx, ny, ties);
	t->p_min = 2 * exp(-gsl_sf_lnchoose((unsigned)(nx + ny), (unsigned)nx));
	if (nx > RANK_EXACT_MAX || ny > RANK_EXACT_MAX) {
		t->p = t->p_normal;
		t->p_less = t->p_greater = NAN;
		return;
	}
	sum_tails(doubled, nx + ny, ny, (size_t)lround(2 * w), &t->p_less, &t->p_greater);
	t->p = fmin(1, 2 * fmin(t->p_less, t->p_greater));
}

void rank_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny, struct rank_shift *s)
{
	size_t n = nx * ny, at = 0;
	_cleanup_free_ double *d = xcalloc(MAX(n, (size_t)1), sizeof(*d));

	for (size_t i = 0; i < ny; i++)
		for (size_t k = 0; k < nx; k++)
			d[at++] = y[i] - x[k];
	gsl_sort(d, 1, n);
	s->shift = basic_median(d, n);
	s->k = 1;
	s->confidence = NAN;
	if (nx <= RANK_EXACT_MAX && ny <= RANK_EXACT_MAX) {
		s->k = MAX(rank_quantile(0.025, ny, nx), (size_t)1);
		s->confidence = 1 - 2 * rank_cdf((double)s->k - 1, ny, nx);
	}
	s->lo = d[s->k - 1];
	s->hi = d[n - s->k];
}

enum { SHIFT_SORTED = 512 };

/* Doubles as whole numbers in the same order, so that the space between any two can be halved. */
static int64_t order_of(double v)
{
	int64_t bits;

	v += 0.0; /* -0 is 0 */
	memcpy(&bits, &v, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static double of_order(int64_t order)
{
	int64_t bits = order < 0 ? INT64_MIN - order : order;
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Both sorted: how many differences y - x are at most t? */
static size_t count_at_most(const double *x, size_t nx, const double *y, size_t ny, double t)
{
	size_t n = 0, k = nx;

	/* The larger y is, the larger x has to be: k is where those begin that are large enough. */
	for (size_t i = ny; i-- > 0;) {
		while (k > 0 && y[i] - x[k - 1] <= t)
			k--;
		n += nx - k;
	}
	return n;
}

/* The k-th smallest difference, from 1. */
static double difference(const double *x, size_t nx, const double *y, size_t ny, size_t k)
{
	int64_t lo = order_of(y[0] - x[nx - 1]), hi = order_of(y[ny - 1] - x[0]);

	while (lo < hi) {
		int64_t mid = lo + (int64_t)(((uint64_t)hi - (uint64_t)lo) / 2);

		if (count_at_most(x, nx, y, ny, of_order(mid)) >= k)
			hi = mid;
		else
			lo = mid + 1;
	}
	return of_order(lo);
}

/* All of them, where they are few. */
static double shift_by_sorting(const double *x, size_t nx, const double *y, size_t ny)
{
	double d[SHIFT_SORTED];
	size_t n = 0;

	for (size_t i = 0; i < ny; i++)
		for (size_t k = 0; k < nx; k++)
			d[n++] = y[i] - x[k];
	return basic_median(d, n);
}

static double shift_by_halving(const double *x, size_t nx, const double *y, size_t ny)
{
	_cleanup_free_ double *sx = basic_sorted(x, nx), *sy = basic_sorted(y, ny);
	size_t n = nx * ny;

	if (n % 2)
		return difference(sx, nx, sy, ny, n / 2 + 1);
	return (difference(sx, nx, sy, ny, n / 2) + difference(sx, nx, sy, ny, n / 2 + 1)) / 2;
}

double rank_shift(const double *x, size_t nx, const double *y, size_t ny)
{
	if (!nx || !ny)
		return NAN;
	return nx * ny <= SHIFT_SORTED ? shift_by_sorting(x, nx, y, ny) : shift_by_halving(x, nx, y, ny);
}

struct splits {
	const double *v;
	size_t n, k;
	double sum, observed;
	double hit, all;
};

/* Every choice of k of the n values as the first sample. */
static void split_each(struct splits *s, size_t from, size_t left, double chosen)
{
	if (!left) {
		double mean_x = chosen / (double)s->k;
		double mean_y = (s->sum - chosen) / (double)(s->n - s->k);

		s->all++;
		s->hit += fabs(mean_y - mean_x) >= fabs(s->observed) - 1e-9 * fmax(1, fabs(s->observed));
		return;
	}
	for (size_t i = from; i + left <= s->n; i++)
		split_each(s, i + 1, left - 1, chosen + s->v[i]);
}

double rank_permutation_p(const double *x, size_t nx, const double *y, size_t ny)
{
	_cleanup_free_ double *v = joined(x, nx, y, ny);
	struct splits s = { .v = v, .n = nx + ny, .k = nx };

	if (gsl_sf_lnchoose((unsigned)s.n, (unsigned)nx) > log(1e6))
		return NAN;
	for (size_t i = 0; i < s.n; i++)
		s.sum += v[i];
	s.observed = basic_mean(y, ny) - basic_mean(x, nx);
	split_each(&s, 0, nx, 0);
	return s.hit / s.all;
}
