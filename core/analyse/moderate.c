/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Empirical Bayes moderation of variances. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sf_psi.h>

#include "core/analyse/basic.h"
#include "core/analyse/moderate.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

/* Third derivative of ln gamma's logarithm: psi''. */
static double tetragamma(double x)
{
	return gsl_sf_psi_n(2, x);
}

double moderate_trigamma_inverse(double x)
{
	double y;

	if (x > 1e7)
		return 1 / sqrt(x);
	if (x < 1e-6)
		return 1 / x;
	y = 0.5 + 1 / x; /* Newton on 1/trigamma, which is nearly straight, from below */
	for (int i = 0; i < 50; i++) {
		double tri = gsl_sf_psi_1(y), dif = tri * (1 - tri / x) / tetragamma(y);

		y += dif;
		if (fabs(dif) < 1e-14 * y)
			break;
	}
	return y;
}

void moderate_prior(const double *s2, size_t n, double df, struct moderate *m)
{
	_cleanup_free_ double *e = xcalloc(MAX(n, (size_t)1), sizeof(*e));
	double mean, var, sum = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(s2[i] > 0))
			continue;
		sum += s2[i];
		e[k++] = log(s2[i]) - gsl_sf_psi(df / 2) + log(df / 2);
	}
	*m = (struct moderate){ INFINITY, k ? sum / (double)k : NAN };
	if (k < 2)
		return;
	mean = basic_mean(e, k);
	var = basic_var(e, k) - gsl_sf_psi_1(df / 2);
	if (!(var > 0))
		return; /* no more than chance: their mean is everybody's */
	m->d0 = 2 * moderate_trigamma_inverse(var);
	m->s02 = exp(mean + gsl_sf_psi(m->d0 / 2) - log(m->d0 / 2));
}

double moderate_variance(const struct moderate *m, double s2, double df)
{
	if (isinf(m->d0))
		return m->s02;
	return (m->d0 * m->s02 + df * s2) / (m->d0 + df);
}

double moderate_df(const struct moderate *m, double df, size_t n)
{
	return fmin(m->d0 + df, df * (double)n);
}
