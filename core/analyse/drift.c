/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trends, runs, change points, steady state. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sf_gamma.h>

#include "core/analyse/basic.h"
#include "core/analyse/drift.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

/* P(inversions <= k) of a random permutation of n. */
static double inversions_cdf(size_t k, size_t n)
{
	size_t max = n * (n - 1) / 2;
	double *p = xcalloc(max + 1, sizeof(*p)), *q = xcalloc(max + 1, sizeof(*q)), sum = 0;

	p[0] = 1;
	for (size_t i = 2; i <= n; i++) {
		double window = 0;

		for (size_t j = 0; j <= max; j++) {
			window += p[j] - (j >= i ? p[j - i] : 0);
			q[j] = window / (double)i;
		}
		double *t = p;

		p = q;
		q = t;
	}
	for (size_t j = 0; j <= MIN(k, max); j++)
		sum += p[j];
	free(p);
	free(q);
	return fmin(sum, 1);
}

static void mann_kendall(const double *y, size_t n, struct drift *d)
{
	double pairs = (double)n * ((double)n - 1) / 2, up = 0, down = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			up += y[k] > y[i];
			down += y[k] < y[i];
		}
	d->mk_s = up - down;
	d->mk_tau = d->mk_s / pairs;
	d->mk_z = (d->mk_s - (d->mk_s > 0 ? 1 : d->mk_s < 0 ? -1 : 0)) /
		  sqrt((double)n * ((double)n - 1) * (2 * (double)n + 5) / 18);
	d->mk_p = 2 * gsl_cdf_ugaussian_P(-fabs(d->mk_z));
	if (n <= 50 && up + down == pairs) /* no ties */
		d->mk_p = fmin(1, 2 * inversions_cdf((size_t)fmin(up, down), n));
}

static double theil_sen(const double *y, size_t n)
{
	size_t at = 0, pairs = n * (n - 1) / 2;
	_cleanup_free_ double *s = xcalloc(MAX(pairs, (size_t)1), sizeof(*s));

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			s[at++] = (y[k] - y[i]) / (double)(k - i);
	return basic_median(s, at);
}

static void neighbours(const double *y, size_t n, struct drift *d)
{
	double mean = basic_mean(y, n), all = 0, lag = 0, step = 0;

	for (size_t i = 0; i < n; i++) {
		all += (y[i] - mean) * (y[i] - mean);
		if (!i)
			continue;
		lag += (y[i] - mean) * (y[i - 1] - mean);
		step += (y[i] - y[i - 1]) * (y[i] - y[i - 1]);
	}
	d->lag1 = lag / all;
	d->von_neumann = step / all;
}

static double choose(double n, double k)
{
	return k < 0 || k > n || n < 0 ? 0 : exp(gsl_sf_lnchoose((unsigned)n, (unsigned)k));
}

/* P(exactly r runs) of a above and b below. */
static double runs_p(size_t r, double a, double b)
{
	size_t half = r / 2;
	double k = (double)half, all = choose(a + b, a);

	if (r % 2 == 0)
		return 2 * choose(a - 1, k - 1) * choose(b - 1, k - 1) / all;
	return (choose(a - 1, k) * choose(b - 1, k - 1) + choose(a - 1, k - 1) * choose(b - 1, k)) / all;
}

static void runs(const double *y, size_t n, struct drift *d)
{
	double median = basic_median(y, n);
	int last = -1;

	for (size_t i = 0; i < n; i++) {
		int above = y[i] > median;

		if (y[i] == median)
			continue;
		d->runs += above != last;
		last = above;
		d->runs_above += above == 1;
		d->runs_below += above == 0;
	}
	for (size_t r = 2; r <= d->runs; r++)
		d->runs_p_few += runs_p(r, (double)d->runs_above, (double)d->runs_below);
}

void drift_test(const double *y, size_t n, struct drift *d)
{
	*d = (struct drift){ .mk_p = NAN, .slope = NAN, .lag1 = NAN, .von_neumann = NAN };
	if (n < 3)
		return;
	mann_kendall(y, n, d);
	d->slope = theil_sen(y, n);
	neighbours(y, n, d);
	runs(y, n, d);
}

bool drift_flag(const double *y, size_t n, double least)
{
	struct drift d = { 0 };

	if (n < DRIFT_MIN)
		return false;
	mann_kendall(y, n, &d);
	neighbours(y, n, &d);
	if (d.lag1 > fmax(0.3, 2 / sqrt((double)n)))
		return true;
	return d.mk_p < 0.01 && fabs(theil_sen(y, n)) * (double)n >= least;
}

void drift_page_hinkley(const double *y, size_t n, double delta, double *out)
{
	double mean = 0, m = 0, min = 0;

	for (size_t i = 0; i < n; i++) {
		mean += (y[i] - mean) / (double)(i + 1);
		m += mean - y[i] - delta;
		min = fmin(min, m);
		out[i] = m - min;
	}
}

void drift_steady_state(const double *y, size_t n, struct drift_steady *s)
{
	_cleanup_free_ double *x = xcalloc(MAX(n, (size_t)1), sizeof(*x)), *sorted = basic_sorted(y, n);
	double c0, cov00, cov01, cov11, rss;

	*s = (struct drift_steady){ .mean = basic_mean(y, n) };
	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		x[i] = (double)(i + 1);
	gsl_fit_linear(x, 1, y, 1, n, &c0, &s->slope, &cov00, &cov01, &cov11, &rss);
	s->excursion = (sorted[n - 1] - sorted[0]) / s->mean;
	s->slope_excursion = fabs(s->slope) * (double)(n - 1) / s->mean;
	s->steady = s->excursion <= 0.20 && s->slope_excursion <= 0.10;
}

/* Mean distance of all pairs within z[from .. to-1]; 0 below two values. */
static double within(const double *z, size_t from, size_t to)
{
	double sum = 0, pairs = 0;

	for (size_t i = from; i < to; i++)
		for (size_t k = i + 1; k < to; k++) {
			sum += fabs(z[i] - z[k]);
			pairs++;
		}
	return pairs > 0 ? sum / pairs : 0;
}

double drift_change_q(const double *z, size_t n, size_t left)
{
	double between = 0, a = (double)left, b = (double)(n - left);

	for (size_t i = 0; i < left; i++)
		for (size_t k = left; k < n; k++)
			between += fabs(z[i] - z[k]);
	return a * b / (a + b) * (2 * between / (a * b) - within(z, 0, left) - within(z, left, n));
}
