/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of the repeats of one metric. */
#include "core/analyse/summary.h"

#include <math.h>
#include <stdlib.h>

static int summary_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void summary_compute(double *v, size_t n, struct summary *s)
{
	double scale, mean = 0, m2 = 0;

	*s = (struct summary){ n, NAN, NAN, NAN, NAN, NAN };
	if (!n)
		return;
	qsort(v, n, sizeof(*v), summary_order);
	s->min = v[0];
	s->max = v[n - 1];
	/* Halved before they are added, so that two huge values do not overflow. */
	s->median = n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
	scale = fmax(fabs(s->min), fabs(s->max));
	if (scale == 0) {
		s->mean = 0;
		return;
	}
	/* Welford's way, on values of at most 1: no sum of squares that cancels or overflows. */
	for (size_t i = 0; i < n; i++) {
		double x = v[i] / scale, d = x - mean;

		mean += d / (double)(i + 1);
		m2 += d * (x - mean);
	}
	s->mean = mean * scale;
	if (n >= 2 && mean != 0)
		s->spread = sqrt(m2 / (double)(n - 1)) / fabs(mean);
}
