/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stratified tests over the cells of a family. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "core/analyse/basic.h"
#include "core/analyse/rank.h"
#include "core/analyse/strata.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

/* Beyond this many different sums the exact distribution is not worth its time. */
enum { SUMS_MAX = 20000 };

struct sum {
	double value, p;
};

/* A distribution over sums, sorted by value. */
struct sums {
	struct sum *v;
	size_t n;
};

static int sum_compare(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Equal but for rounding become one. */
static void sums_merge(struct sums *d)
{
	size_t kept = 0;

	qsort(d->v, d->n, sizeof(*d->v), sum_compare);
	for (size_t i = 0; i < d->n; i++) {
		if (kept && d->v[i].value - d->v[kept - 1].value < 1e-9)
			d->v[kept - 1].p += d->v[i].p;
		else
			d->v[kept++] = d->v[i];
	}
	d->n = kept;
}

/* Every choice of k of the ranks, each as likely. */
static void sums_choose(const double *r, size_t n, size_t k, double scale, size_t from, double sum, double p,
			struct sums *d)
{
	if (!k) {
		d->v[d->n++] = (struct sum){ sum * scale, p };
		return;
	}
	for (size_t i = from; i + k <= n; i++)
		sums_choose(r, n, k - 1, scale, i + 1, sum + r[i], p, d);
}

static bool sums_convolve(struct sums *into, const struct sums *more)
{
	struct sums out = { NULL, 0 };

	if (into->n * more->n > (size_t)SUMS_MAX * 64)
		return false;
	out.v = xcalloc(into->n * more->n, sizeof(*out.v));
	for (size_t i = 0; i < into->n; i++)
		for (size_t k = 0; k < more->n; k++)
			out.v[out.n++] = (struct sum){ into->v[i].value + more->v[k].value,
						       into->v[i].p * more->v[k].p };
	sums_merge(&out);
	free(into->v);
	*into = out;
	return into->n <= SUMS_MAX;
}

/* Adds one stratum to the statistic; its exact distribution to dist unless that has become too large. */
static void stratum_add(const struct stratum *h, struct strata_test *t, struct sums *dist)
{
	size_t n = h->nx + h->ny;
	_cleanup_free_ double *v = xcalloc(n, sizeof(*v)), *r = xcalloc(n, sizeof(*r));
	double scale = 1 / ((double)n + 1), w = 0, choices;
	struct sums own = { NULL, 0 };

	memcpy(v, h->x, h->nx * sizeof(*v));
	memcpy(v + h->nx, h->y, h->ny * sizeof(*v));
	rank_midranks(v, n, r);
	for (size_t i = h->nx; i < n; i++)
		w += r[i];
	t->s += w * scale;
	t->expected += (double)h->ny / 2;
	t->variance += (double)(h->nx * h->ny) / (double)n * scale * scale * basic_var(r, n);
	choices = dist->n ? exp(gsl_sf_lnchoose((unsigned)n, (unsigned)h->ny)) : INFINITY;
	if (choices > 1e6) {
		dist->n = 0;
		return;
	}
	own.v = xcalloc((size_t)lround(choices), sizeof(*own.v));
	sums_choose(r, n, h->ny, scale, 0, 0, 1 / round(choices), &own);
	sums_merge(&own);
	if (!sums_convolve(dist, &own))
		dist->n = 0;
	free(own.v);
}

void strata_van_elteren(const struct stratum *v, size_t n, bool exact, struct strata_test *t)
{
	struct sums dist = { xcalloc(1, sizeof(struct sum)), exact };
	double less = 0, greater = 0;

	*t = (struct strata_test){ 0 };
	dist.v[0].p = 1;
	for (size_t i = 0; i < n; i++)
		stratum_add(&v[i], t, &dist);
	t->z = (t->s - t->expected) / sqrt(t->variance);
	t->p_normal = 2 * gsl_cdf_ugaussian_P(-fabs(t->z));
	for (size_t i = 0; i < dist.n; i++) {
		less += dist.v[i].value <= t->s + 1e-8 ? dist.v[i].p : 0;
		greater += dist.v[i].value >= t->s - 1e-8 ? dist.v[i].p : 0;
	}
	t->p_less = dist.n ? less : NAN;
	t->p_two_sided = dist.n ? fmin(1, 2 * fmin(less, greater)) : NAN;
	free(dist.v);
}

void strata_suite(const struct stratum *v, size_t n, struct strata_suite *s)
{
	_cleanup_free_ double *g = xcalloc(MAX(n, (size_t)1), sizeof(*g));

	s->n = 0;
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ double *lx = basic_log(v[i].x, v[i].nx), *ly = basic_log(v[i].y, v[i].ny);

		if (lx && ly && v[i].nx && v[i].ny)
			g[s->n++] = basic_mean(ly, v[i].ny) - basic_mean(lx, v[i].nx);
	}
	ttest_one(g, s->n, &s->t);
}
