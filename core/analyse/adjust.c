/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multiplicity. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>

#include "core/analyse/adjust.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

/* Factor for the p of rank i (from 0, smallest first) of m. */
static double factor(enum adjust_method method, size_t i, size_t m)
{
	switch (method) {
	case ADJUST_BH:
		return (double)m / (double)(i + 1);
	case ADJUST_BONFERRONI:
		return (double)m;
	default: /* Holm and Hochberg */
		return (double)(m - i);
	}
}

void adjust_p(enum adjust_method method, const double *p, size_t n, double *q)
{
	_cleanup_free_ size_t *order = xcalloc(MAX(n, (size_t)1), sizeof(*order));
	_cleanup_free_ double *key = xcalloc(MAX(n, (size_t)1), sizeof(*key));
	size_t m = 0;
	double run;

	for (size_t i = 0; i < n; i++) {
		key[i] = isnan(p[i]) ? INFINITY : p[i];
		m += !isnan(p[i]);
		q[i] = NAN;
	}
	gsl_sort_index(order, key, 1, n);
	if (method == ADJUST_HOLM) { /* a step down: never smaller than the one before */
		run = 0;
		for (size_t i = 0; i < m; i++)
			q[order[i]] = run = fmax(run, fmin(1, p[order[i]] * factor(method, i, m)));
		return;
	}
	run = 1; /* a step up: never larger than the one behind */
	for (size_t i = m; i-- > 0;) {
		double v = fmin(1, p[order[i]] * factor(method, i, m));

		run = method == ADJUST_BONFERRONI ? v : fmin(run, v);
		q[order[i]] = run;
	}
}
