/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drift, steady state, canaries. */
#include "core/analyse/guards.h"

#include <math.h>
#include <stdlib.h>

#include "core/analyse/basic.h"
#include "core/analyse/drift.h"
#include "core/analyse/ttest.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

/* ---- drift ---- */

/* What a value is off its cell's median, and when it was measured. */
struct residual {
	uint32_t trial;
	double v;
};

static int residual_order(const void *a, const void *b)
{
	const struct residual *x = a, *y = b;

	return (x->trial > y->trial) - (x->trial < y->trial);
}

/* The same metric of the same step in all variants; texts are the pool's. */
static bool same_metric(const struct cell *a, const struct cell *b)
{
	return a->step == b->step && a->metric == b->metric;
}

static uint32_t doc_end(const struct set *s, size_t doc)
{
	return doc + 1 < s->n_docs ? s->docs[doc + 1].first_trial : s->cells.n_trials;
}

static size_t add_residuals(const struct cell *c, struct residual *out)
{
	_cleanup_free_ double *logs = basic_log(c->v, c->n);
	double median;

	if (!logs || c->n < 2)
		return 0;
	median = basic_median(logs, c->n);
	for (size_t i = 0; i < c->n; i++)
		out[i] = (struct residual){ c->trial[i], logs[i] - median };
	return c->n;
}

/* Of all variants, in the order they were measured; caller frees. */
static struct residual *metric_residuals(const struct set *s, const struct cell *like, size_t *n)
{
	struct residual *r;
	size_t max = 0;

	*n = 0;
	for (size_t i = 0; i < s->cells.n; i++)
		max += same_metric(&s->cells.v[i], like) ? s->cells.v[i].n : 0;
	r = xcalloc(max + 1, sizeof(*r));
	for (size_t i = 0; i < s->cells.n; i++)
		if (same_metric(&s->cells.v[i], like))
			*n += add_residuals(&s->cells.v[i], r + *n);
	qsort(r, *n, sizeof(*r), residual_order);
	return r;
}

/* In any of the documents: between these there is no drift, but another boot. */
static bool metric_drifts(const struct set *s, const struct cell *like, double least)
{
	size_t n, at = 0;
	struct residual *r = metric_residuals(s, like, &n);
	double *y = xcalloc(n + 1, sizeof(*y));
	bool drifts = false;

	for (size_t doc = 0; doc < s->n_docs && !drifts; doc++) {
		size_t k = 0;

		for (; at < n && r[at].trial < doc_end(s, doc); at++)
			y[k++] = r[at].v;
		drifts = drift_flag(y, k, least);
	}
	free(r);
	free(y);
	return drifts;
}

/* Only where it decides: a metric that is not primary drifts unseen. */
void guards_find_drift(struct set *s, double margin)
{
	for (size_t i = 0; i < s->cells.n; i++) {
		struct cell *c = &s->cells.v[i];
		double own = margin > 0 ? margin : verdict_margin(c->metric);
		bool first = true, drifts;

		for (size_t k = 0; k < i && first; k++)
			first = !same_metric(&s->cells.v[k], c);
		if (!first || !c->primary || isnan(own))
			continue;
		drifts = metric_drifts(s, c, -log(1 - own) / 2);
		for (size_t k = i; drifts && k < s->cells.n; k++)
			s->cells.v[k].drifts |= same_metric(&s->cells.v[k], c);
	}
}

/* ---- canaries ---- */

static void canary_compare(const struct canary_values *base, const struct canary_values *new, double margin,
			   struct canary_shift *c)
{
	_cleanup_free_ double *x = basic_log(base->v, base->n), *y = basic_log(new->v, new->n);
	double half = -log(1 - margin / 2);
	struct ttest t;

	c->n_base = base->n;
	c->n_new = new->n;
	c->ratio = c->lo = c->hi = NAN;
	if (base->n < 2 || new->n < 2)
		return;
	ttest_welch(x, base->n, y, new->n, &t);
	if (isnan(t.p)) /* nothing varies: as exact as it is */
		t.diff = t.lo = t.hi = basic_mean(y, new->n) - basic_mean(x, base->n);
	c->ratio = exp(t.diff);
	c->lo = exp(t.lo);
	c->hi = exp(t.hi);
	c->moved = t.lo > half || t.hi < -half;
	c->worse = base->better == CELL_LOWER ? t.diff > 0 : t.diff < 0;
}

void guards_canaries(const struct set *base, const struct set *new, double margin, struct canary_shift *out)
{
	for (int i = 0; i < N_CANARIES; i++) {
		out[i] = (struct canary_shift){ .canary = (enum canary_kind)i };
		canary_compare(&base->canary[i], &new->canary[i], margin > 0 ? margin : 0.05, &out[i]);
	}
}

const char *guards_canary_says(const struct canary_shift *c)
{
	static const char *const says[N_CANARIES] = {
		[CANARY_COMPUTE] = "the machine itself computes at another speed: no verdict is about file systems",
		[CANARY_RAW] = "the device is another one below any file system: look at the block layer, or the device",
		[CANARY_TMPFS] = "files in memory are affected too: look at VFS or memory management",
	};

	return c->moved ? says[c->canary] : NULL;
}

/* ---- into verdicts ---- */

void guards_hold(struct comparison *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct cell *a = v[i].base, *b = v[i].new;

		v[i].hold = a->unsteady || b->unsteady ? "a steady state was not reached" :
			    a->drifts || b->drifts     ? "the values changed with time while they were measured" :
							 NULL;
	}
}

void guards_take_back(struct comparison *v, size_t n, const struct canary_shift *canaries)
{
	for (size_t i = 0; canaries[CANARY_RAW].moved && i < n; i++) {
		if (v[i].verdict != VERDICT_SAME && v[i].verdict != VERDICT_NOT_WORSE)
			continue;
		v[i].verdict = VERDICT_INCONCLUSIVE;
		v[i].why = "the raw device changed, and this did not";
	}
}
