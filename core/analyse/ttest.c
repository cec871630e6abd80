/* SPDX-License-Identifier: GPL-3.0-or-later */
/* t tests on GSL's distributions. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "core/analyse/basic.h"
#include "core/analyse/ttest.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

void ttest_from(double diff, double se, double df, struct ttest *t)
{
	double q;

	*t = (struct ttest){ diff, se, df, NAN, NAN, NAN, NAN };
	if (!(se > 0) || !(df > 0))
		return;
	t->t = diff / se;
	t->p = 2 * gsl_cdf_tdist_P(-fabs(t->t), df);
	q = gsl_cdf_tdist_Pinv(0.975, df);
	t->lo = diff - q * se;
	t->hi = diff + q * se;
}

void ttest_welch(const double *x, size_t nx, const double *y, size_t ny, struct ttest *t)
{
	double vx = basic_var(x, nx) / (double)nx, vy = basic_var(y, ny) / (double)ny, df;

	df = (vx + vy) * (vx + vy) / (vx * vx / ((double)nx - 1) + vy * vy / ((double)ny - 1));
	ttest_from(basic_mean(y, ny) - basic_mean(x, nx), sqrt(vx + vy), df, t);
}

void ttest_pooled(const double *x, size_t nx, const double *y, size_t ny, struct ttest *t)
{
	double df = (double)nx + (double)ny - 2;
	double v = (basic_var(x, nx) * ((double)nx - 1) + basic_var(y, ny) * ((double)ny - 1)) / df;

	ttest_from(basic_mean(y, ny) - basic_mean(x, nx), sqrt(v * (1 / (double)nx + 1 / (double)ny)), df, t);
}

void ttest_one(const double *v, size_t n, struct ttest *t)
{
	ttest_from(basic_mean(v, n), basic_sd(v, n) / sqrt((double)n), (double)n - 1, t);
}

void ttest_paired(const double *x, const double *y, size_t n, struct ttest *t)
{
	_cleanup_free_ double *d = xcalloc(MAX(n, (size_t)1), sizeof(*d));

	for (size_t i = 0; i < n; i++)
		d[i] = y[i] - x[i];
	ttest_one(d, n, t);
}

double ttest_greater(const struct ttest *t, double mu)
{
	return isnan(t->t) ? NAN : gsl_cdf_tdist_Q((t->diff - mu) / t->se, t->df);
}

double ttest_less(const struct ttest *t, double mu)
{
	return isnan(t->t) ? NAN : gsl_cdf_tdist_P((t->diff - mu) / t->se, t->df);
}

/*
 * P(T > q) for a noncentral t with df degrees and noncentrality ncp: the normal tail averaged over the
 * distribution of the standard deviation, by Simpson's rule over its quantiles' range.
 */
static double noncentral_upper(double q, double df, double ncp)
{
	enum { STEPS = 2000 };
	double lo = sqrt(gsl_cdf_chisq_Pinv(1e-14, df) / df), hi = sqrt(gsl_cdf_chisq_Qinv(1e-14, df) / df);
	double h = (hi - lo) / STEPS, sum = 0, log_c = log(2) + df / 2 * log(df / 2) - gsl_sf_lngamma(df / 2);

	for (int i = 0; i <= STEPS; i++) {
		double s = lo + h * i;
		double density = s > 0 ? exp(log_c + (df - 1) * log(s) - df * s * s / 2) : 0;
		double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;

		sum += weight * density * gsl_cdf_ugaussian_Q(q * s - ncp);
	}
	return sum * h / 3;
}

double ttest_power(double delta, double n, double alpha)
{
	double df = 2 * (n - 1), q;

	if (!(df > 0))
		return NAN;
	q = gsl_cdf_tdist_Qinv(alpha / 2, df);
	/* The far tail is left out, as R's power.t.test does: it is nil where power is worth having. */
	return noncentral_upper(q, df, sqrt(n / 2) * fabs(delta));
}

double ttest_detectable(double n, double sd, double alpha, double power)
{
	double lo = 0, hi = 100;

	if (!(n >= 2) || !(sd >= 0))
		return NAN;
	for (int i = 0; i < 60; i++) {
		double mid = (lo + hi) / 2;

		if (ttest_power(mid, n, alpha) < power)
			lo = mid;
		else
			hi = mid;
	}
	return hi * sd;
}

double ttest_quick_errors(double n, double alpha, double power)
{
	double df = 2 * (n - 1);

	return df > 0 ? gsl_cdf_tdist_Qinv(alpha / 2, df) + gsl_cdf_tdist_Pinv(power, df) : NAN;
}

double ttest_quick_detectable(double n, double sd, double alpha, double power)
{
	return sd >= 0 ? ttest_quick_errors(n, alpha, power) * sd * sqrt(2 / n) : NAN;
}

double ttest_needed_n(double diff, double sd, double alpha, double power)
{
	double n, before;

	if (!(fabs(diff) > 0) || !(sd >= 0))
		return NAN;
	n = 2 * pow((gsl_cdf_ugaussian_Qinv(alpha / 2) + gsl_cdf_ugaussian_Pinv(power)) * sd / diff, 2);
	for (int i = 0; i < 20; i++) {
		double df = 2 * (fmax(n, 2) - 1);

		before = n;
		n = 2 * pow((gsl_cdf_tdist_Qinv(alpha / 2, df) + gsl_cdf_tdist_Pinv(power, df)) * sd / diff, 2);
		if (fabs(n - before) < 0.01)
			break;
	}
	return fmax(2, ceil(n - 0.05));
}
