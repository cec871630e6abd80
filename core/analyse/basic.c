/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simple statistics of one sample. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "core/analyse/basic.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

double basic_mean(const double *v, size_t n)
{
	return n ? gsl_stats_mean(v, 1, n) : NAN;
}

double basic_var(const double *v, size_t n)
{
	return n > 1 ? gsl_stats_variance(v, 1, n) : NAN;
}

double basic_sd(const double *v, size_t n)
{
	return n > 1 ? gsl_stats_sd(v, 1, n) : NAN;
}

double *basic_sorted(const double *v, size_t n)
{
	double *s = xcalloc(MAX(n, (size_t)1), sizeof(*s));

	for (size_t i = 0; i < n; i++)
		s[i] = v[i];
	gsl_sort(s, 1, n);
	return s;
}

double basic_quantile(const double *v, size_t n, double q)
{
	_cleanup_free_ double *s = basic_sorted(v, n);

	return n ? gsl_stats_quantile_from_sorted_data(s, 1, n, q) : NAN;
}

double basic_median(const double *v, size_t n)
{
	return basic_quantile(v, n, 0.5);
}

double basic_mad(const double *v, size_t n)
{
	double median = basic_median(v, n), result;
	double *away = xcalloc(MAX(n, (size_t)1), sizeof(*away));

	for (size_t i = 0; i < n; i++)
		away[i] = fabs(v[i] - median);
	result = 1.4826 * basic_median(away, n);
	free(away);
	return result;
}

double *basic_log(const double *v, size_t n)
{
	double *out = xcalloc(MAX(n, (size_t)1), sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0)) {
			free(out);
			return NULL;
		}
		out[i] = log(v[i]);
	}
	return out;
}

size_t basic_median_ci(size_t n, double *confidence)
{
	unsigned k = 0;

	/* The smallest k that binomial(n, 1/2) does not exceed with probability 0.025. */
	while (k < n && gsl_cdf_binomial_P(k, 0.5, (unsigned)n) < 0.025)
		k++;
	k = MAX(k, 1u);
	*confidence = 1 - 2 * gsl_cdf_binomial_P(k - 1, 0.5, (unsigned)n);
	return k;
}
