/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts over a family of cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/adjust.h"
#include "core/analyse/basic.h"
#include "core/analyse/moderate.h"
#include "core/analyse/rank.h"
#include "core/analyse/ttest.h"
#include "core/analyse/verdict.h"
#include "core/util/macro.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

enum { MODERATE_MIN_CELLS = 8 };

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_REGRESSED] = "REGRESSED", [VERDICT_SUSPECT] = "SUSPECT",
		[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE", [VERDICT_NO_RATIO] = "NO_RATIO",
		[VERDICT_NOT_WORSE] = "NOT_WORSE", [VERDICT_SAME] = "SAME",
		[VERDICT_IMPROVED] = "IMPROVED",
	};

	return names[v];
}

double verdict_margin(const char *metric)
{
	static const struct {
		const char *ending;
		double margin;
	} margins[] = { { "_max", NAN }, { "p999", 0.20 }, { "p99", 0.10 } };

	for (size_t i = 0; i < ARRAY_SIZE(margins); i++)
		if (str_ends(metric, margins[i].ending))
			return margins[i].margin;
	return 0.05;
}

double verdict_distance(const struct comparison *c)
{
	return -log(1 - c->delta);
}

static bool is_gated(const struct comparison *c)
{
	return c->base->primary && c->base->better != CELL_NEUTRAL && !isnan(verdict_margin(c->base->metric));
}

/* Logarithms of both sides, made once a cell. */
struct logs {
	double *x, *y; /* NULL where a value is not positive */
	size_t nx, ny;
	double s2; /* pooled variance */
	bool balanced;
};

static void logs_init(struct logs *l, const struct comparison *c)
{
	*l = (struct logs){ .nx = c->base->n, .ny = c->new->n };
	l->x = basic_log(c->base->v, l->nx);
	l->y = basic_log(c->new->v, l->ny);
	l->balanced = l->nx == l->ny;
	l->s2 = NAN;
	if (l->x && l->y && l->nx > 1 && l->ny > 1)
		l->s2 = (basic_var(l->x, l->nx) * (double)(l->nx - 1) + basic_var(l->y, l->ny) * (double)(l->ny - 1)) /
			(double)(l->nx + l->ny - 2);
}

/* Does the family's spread differ between the sides by more than chance? */
static bool family_noisier(const struct comparison *v, const struct logs *l, size_t n)
{
	_cleanup_free_ double *d = xcalloc(MAX(n, (size_t)1), sizeof(*d));
	struct ttest t;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		double vx = l[i].x ? basic_var(l[i].x, l[i].nx) : NAN, vy = l[i].y ? basic_var(l[i].y, l[i].ny) : NAN;

		if (is_gated(&v[i]) && vx > 0 && vy > 0)
			d[k++] = log(vy / vx);
	}
	ttest_one(d, k, &t);
	return k >= 3 && (t.lo > 0 || t.hi < 0) && fabs(t.diff) / 2 > log(2);
}

/* What the gated cells of a family know of each other's noise. */
struct family {
	bool noisier, moderated;
	struct moderate m;
	double df;
	size_t n;
	double errors, values; /* how many standard errors a loss must have that so many values a side find */
};

/* Moderation needs many cells with the same number of values on both sides, and equal noise. */
static bool family_moderated(const struct comparison *v, const struct logs *l, size_t n, struct family *f)
{
	_cleanup_free_ double *s2 = xcalloc(MAX(n, (size_t)1), sizeof(*s2));
	size_t usable = 0, repeats = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_gated(&v[i]) || !l[i].nx || !l[i].ny)
			continue;
		repeats = f->n ? repeats : l[i].nx;
		if (!l[i].balanced || l[i].nx != repeats)
			return false;
		s2[f->n++] = l[i].s2;
		usable += l[i].s2 > 0;
	}
	if (f->noisier || usable < MODERATE_MIN_CELLS || repeats < 2)
		return false;
	f->df = 2 * (double)repeats - 2;
	moderate_prior(s2, f->n, f->df, &f->m);
	return f->m.s02 > 0;
}

/* +1: a smaller value is a loss; -1: a larger one. */
static double loss_sign(const struct cell *c)
{
	return c->better == CELL_LOWER ? 1 : -1;
}

/* Counters and the like: no variance at all on either side. */
static bool compare_exact(struct comparison *c, const struct logs *l)
{
	if (!(l->s2 == 0) || !l->x || !l->y)
		return false;
	c->method = "exact";
	c->p = c->p_rank;
	c->ratio_lo = c->ratio_hi = c->ratio;
	return true;
}

static void compare_effect(struct comparison *c, const struct logs *l)
{
	double shift = rank_shift(l->x, l->nx, l->y, l->ny);
	struct rank_test t;

	rank_mann_whitney(c->base->v, c->base->n, c->new->v, c->new->n, &t);
	c->p_rank = t.p;
	c->ratio = exp(shift);
	c->loss = loss_sign(c->base) * shift;
}

/* Most cells have as many values as the one before. */
static double family_detectable(struct family *f, double values, double spread)
{
	if (f->values != values)
		f->errors = ttest_quick_errors(values, 0.05, 0.8);
	f->values = values;
	return f->errors * spread * sqrt(2 / values);
}

static void compare_test(struct comparison *c, const struct logs *l, struct family *f)
{
	struct ttest t;

	if (compare_exact(c, l))
		return;
	if (f->moderated && c->gated) {
		double v = moderate_variance(&f->m, l->s2, f->df);

		ttest_from(basic_mean(l->y, l->ny) - basic_mean(l->x, l->nx), sqrt(v * 2 / (double)l->nx),
			   moderate_df(&f->m, f->df, f->n), &t);
		c->method = "moderated t";
		c->spread = sqrt(v);
	} else {
		ttest_welch(l->x, l->nx, l->y, l->ny, &t);
		c->method = "Welch t";
		c->spread = sqrt(l->s2);
	}
	c->p = t.p;
	c->ratio_lo = exp(t.lo);
	c->ratio_hi = exp(t.hi);
	c->detectable = 1 - exp(-family_detectable(f, 2 / (1 / (double)l->nx + 1 / (double)l->ny), c->spread));
}

static enum verdict decide(struct comparison *c, const struct verdict_options *opt)
{
	double d = verdict_distance(c), sign = loss_sign(c->base);
	double a = sign * log(c->ratio_lo), b = sign * log(c->ratio_hi);
	double lo = fmin(a, b), hi = fmax(a, b);

	if (c->q <= opt->alpha && c->loss >= d)
		return VERDICT_REGRESSED;
	if (c->q <= opt->alpha && c->loss <= -d)
		return VERDICT_IMPROVED;
	if (lo > -d && hi < d) {
		if (c->q <= opt->alpha)
			c->why = "a difference, but a smaller one than the margin";
		return VERDICT_SAME;
	}
	if (hi < d)
		return VERDICT_NOT_WORSE;
	if (c->p <= opt->alpha && c->loss >= d) {
		c->why = "significant alone, not among so many comparisons";
		return VERDICT_SUSPECT;
	}
	/* The formula is for a loss of just the margin; what did not settle it with n needs more in any case. */
	c->needed = fmax(ttest_needed_n(d, c->spread, opt->alpha, 0.8), (double)MIN(c->base->n, c->new->n) + 2);
	c->needed = fmax(c->needed, (double)opt->min_n);
	return VERDICT_INCONCLUSIVE;
}

bool verdict_is_few(const struct comparison *c, const struct verdict_options *opt)
{
	return c->base->n < opt->min_n || c->new->n < opt->min_n;
}

static bool is_final(enum verdict v)
{
	return v == VERDICT_REGRESSED || v == VERDICT_IMPROVED || v == VERDICT_SUSPECT;
}

/* Hodges and Lehmann's shift and the difference of means on opposite sides: single values decide. */
static bool sides_disagree(const struct comparison *c, const struct logs *l)
{
	double mean_loss = loss_sign(c->base) * (basic_mean(l->y, l->ny) - basic_mean(l->x, l->nx));

	return mean_loss * c->loss < 0 && fabs(mean_loss - c->loss) > verdict_distance(c);
}

/*
 * The repeats of this cell are further apart than its sides, and without what the other cells say of noise its own
 * values show nothing.
 */
static bool spread_exceeds(const struct comparison *c, const struct logs *l, const struct verdict_options *opt)
{
	struct ttest t;

	if (!(sqrt(l->s2) > fabs(c->loss)))
		return false;
	ttest_welch(l->x, l->nx, l->y, l->ny, &t);
	return !(t.p <= opt->alpha);
}

/* A verdict that rests on too little, or on one odd value, is taken back. */
static void guard(struct comparison *c, const struct logs *l, const struct verdict_options *opt)
{
	if (verdict_is_few(c, opt)) {
		c->why = "too few repeats for a verdict";
		if (c->verdict == VERDICT_REGRESSED || c->verdict == VERDICT_IMPROVED)
			c->verdict = c->verdict == VERDICT_REGRESSED ? VERDICT_SUSPECT : VERDICT_INCONCLUSIVE;
		else if (c->verdict != VERDICT_SUSPECT)
			c->verdict = VERDICT_INCONCLUSIVE;
	} else if (c->hold) {
		c->verdict = VERDICT_INCONCLUSIVE;
		c->why = c->hold;
	} else if (sides_disagree(c, l)) {
		c->verdict = VERDICT_INCONCLUSIVE;
		c->why = "median and mean disagree: single values decide";
	} else if (is_final(c->verdict) && spread_exceeds(c, l, opt)) {
		c->verdict = VERDICT_INCONCLUSIVE;
		c->why = "the repeats spread more than the change";
	}
	if (!c->why && (cells_are_brief(c->base) || cells_are_brief(c->new)))
		c->why = "measured too short to be trusted: set a longer runtime, or more work";
}

static void compare_one(struct comparison *c, const struct logs *l, const struct verdict_options *opt,
			struct family *f)
{
	double margin = verdict_margin(c->base->metric);

	c->gated = is_gated(c);
	c->delta = opt->delta > 0 ? opt->delta : isnan(margin) ? 0.05 : margin;
	c->ratio = c->ratio_lo = c->ratio_hi = c->loss = c->p = c->p_rank = c->q = NAN;
	c->spread = c->needed = c->detectable = NAN;
	c->method = "";
	c->why = NULL;
	c->noisier = f->noisier;
	if (!l->x || !l->y || !l->nx || !l->ny) {
		c->why = l->nx && l->ny ? "a value is not positive" : "no value on one side";
		return;
	}
	compare_effect(c, l);
	if (l->nx > 1 && l->ny > 1)
		compare_test(c, l, f);
	if (opt->rank) {
		c->p = c->p_rank;
		c->method = "rank";
	}
}

void verdict_family(struct comparison *v, size_t n, const struct verdict_options *opt)
{
	struct logs *l = xcalloc(MAX(n, (size_t)1), sizeof(*l));
	double *p = xcalloc(MAX(n, (size_t)1), sizeof(*p)), *q = xcalloc(MAX(n, (size_t)1), sizeof(*q));
	struct family f = { 0 };

	for (size_t i = 0; i < n; i++)
		logs_init(&l[i], &v[i]);
	f.noisier = family_noisier(v, l, n);
	f.moderated = family_moderated(v, l, n, &f);
	for (size_t i = 0; i < n; i++) {
		compare_one(&v[i], &l[i], opt, &f);
		p[i] = v[i].gated ? v[i].p : NAN;
	}
	adjust_p(opt->holm ? ADJUST_HOLM : ADJUST_BH, p, n, q);
	for (size_t i = 0; i < n; i++) {
		v[i].q = v[i].gated ? q[i] : v[i].p;
		if (isnan(v[i].ratio)) {
			v[i].verdict = l[i].nx && l[i].ny ? VERDICT_NO_RATIO : VERDICT_INCONCLUSIVE;
		} else {
			v[i].verdict = decide(&v[i], opt);
			guard(&v[i], &l[i], opt);
		}
		free(l[i].x);
		free(l[i].y);
	}
	free(l);
	free(p);
	free(q);
}
