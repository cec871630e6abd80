/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of a job's results: components of variance, and what can be seen through it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/basic.h"
#include "core/analyse/calibrate.h"
#include "core/analyse/cells.h"
#include "core/analyse/moderate.h"
#include "core/analyse/noise.h"
#include "core/analyse/ttest.h"
#include "core/analyse/verdict.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

enum { MODERATE_CELLS = 8, MAX_REPEATS = 50 };

static const double alpha = 0.05, power = 0.8;

/* Loss as a ratio less 1 from a difference of logarithms. */
static double as_loss(double d)
{
	return 1 - exp(-d);
}

static bool cell_usable(const struct cell *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!(c->v[i] > 0))
			return false;
	return c->n > 0;
}

static void family_add(struct noise_family *f, const struct cell *first)
{
	struct noise_lane lane = { xcalloc(f->n_docs, sizeof(*lane.in)) };

	for (size_t d = 0; d < f->n_docs; d++) {
		const struct cell *c = cells_find(&f->docs[d], first->key);

		lane.in[d] = c && cell_usable(c) ? c : NULL;
	}
	f->lanes = xreallocarray(f->lanes, f->n + 1, sizeof(*f->lanes));
	f->lanes[f->n++] = lane;
}

static void family_release(struct noise_family *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->lanes[i].in);
	free(f->lanes);
}

/* ---- what can be seen ---------------------------------------------------------------------------------- */

static double needed_n(double margin, double sd)
{
	return sd > 0 ? fmax(2, ceil(ttest_needed_n(-log(1 - margin), sd, alpha, power))) : NAN;
}

static double detectable(size_t n, double sd)
{
	return n > 1 && sd > 0 ? as_loss(ttest_detectable((double)n, sd, alpha, power)) : NAN;
}

static void find_cells(const struct noise_family *f, struct calibrate *c)
{
	_cleanup_free_ double *s2 = xcalloc(f->n, sizeof(*s2));
	struct moderate m = { 0 };
	size_t usable = 0;
	double df = NAN;

	c->v = xcalloc(f->n, sizeof(*c->v));
	c->n = SIZE_MAX;
	for (size_t i = 0; i < f->n; i++) {
		struct calibrate_cell *cell = &c->v[c->n_cells++];
		const struct cell *any = NULL;
		double *all = NULL;
		struct noise_nested s;
		size_t n = 0;

		noise_nested_of(&f->lanes[i], f->n_docs, &s);
		s2[i] = s.dfw > 0 ? s.ssw / s.dfw : NAN;
		usable += s2[i] > 0;
		df = isnan(df) || s.dfw == df ? s.dfw : 0;
		all = xcalloc(s.n + 1, sizeof(*all));
		for (size_t d = 0; d < f->n_docs; d++) {
			const struct cell *in = f->lanes[i].in[d];

			any = in ? in : any;
			for (size_t k = 0; in && k < in->n; k++)
				all[n++] = in->v[k];
		}
		cell->variant = xstrdup(any ? any->variant : "");
		cell->n = n;
		cell->median = basic_median(all, n);
		c->n = n < c->n ? n : c->n;
		free(all);
	}
	if (usable >= MODERATE_CELLS && df > 0)
		moderate_prior(s2, f->n, df, &m);
	for (size_t i = 0; i < f->n; i++) {
		double v = m.s02 > 0 ? moderate_variance(&m, s2[i], df) : s2[i];

		c->v[i].spread = sqrt(v);
		c->v[i].detectable = detectable(c->v[i].n, c->v[i].spread);
		c->v[i].needed = needed_n(c->margin, c->v[i].spread);
	}
}

/* The unit of analysis is the session's mean: more repeats in one help only as far as sessions agree. */
static void find_plans(struct calibrate *c)
{
	static const size_t sessions[CALIBRATE_PLANS] = { 3, 5, 10 };
	double d = -log(1 - c->margin);

	for (size_t i = 0; i < CALIBRATE_PLANS; i++) {
		c->plans[i] = (struct calibrate_plan){ sessions[i], 0 };
		for (size_t n = 1; n <= MAX_REPEATS && !c->plans[i].repeats && c->within > 0; n++) {
			double sd = sqrt(c->session * c->session + c->within * c->within / (double)n);

			if (ttest_detectable((double)sessions[i], sd, alpha, power) <= d)
				c->plans[i].repeats = n;
		}
	}
}

/* ---- halves that are alike ------------------------------------------------------------------------------ */

/* Values of odd or even blocks, the same number on both sides. */
static void split_cell(const struct cell *c, bool even, struct cell *out)
{
	size_t half = 0, odd = 0;

	for (size_t i = 0; i < c->n; i++)
		odd += c->block[i] % 2;
	half = odd < c->n - odd ? odd : c->n - odd;
	*out = *c;
	out->v = xcalloc(half + 1, sizeof(*out->v));
	out->n = 0;
	for (size_t i = 0; i < c->n && out->n < half; i++)
		if ((c->block[i] % 2 == 0) == even)
			out->v[out->n++] = c->v[i];
}

static void find_split(const struct noise_family *f, struct calibrate *c)
{
	const struct verdict_options opt = { .alpha = alpha, .min_n = 2 };
	struct cell *sides = xcalloc(2 * f->n, sizeof(*sides));
	struct comparison *v = xcalloc(f->n, sizeof(*v));
	size_t n = 0;

	c->split = NAN;
	for (size_t i = 0; i < f->n; i++) {
		const struct cell *first = f->lanes[i].in[0];

		if (!first || first->n < 4)
			continue;
		split_cell(first, false, &sides[2 * n]);
		split_cell(first, true, &sides[2 * n + 1]);
		v[n] = (struct comparison){ .base = &sides[2 * n], .new = &sides[2 * n + 1] };
		n++;
	}
	verdict_family(v, n, &opt);
	for (size_t i = 0; i < n; i++) {
		c->split_changed += v[i].verdict == VERDICT_REGRESSED || v[i].verdict == VERDICT_IMPROVED;
		if (isnan(v[i].ratio) || (!isnan(c->split) && fabs(log(v[i].ratio)) <= fabs(log(1 + c->split))))
			continue;
		c->split = v[i].ratio - 1;
		free(c->split_variant);
		c->split_variant = xstrdup(v[i].base->variant);
	}
	for (size_t i = 0; i < 2 * n; i++)
		free(sides[i].v);
	free(sides);
	free(v);
}

/* ---- all metrics ------------------------------------------------------------------------------------------- */

static double trial_time(json_t *const *docs, size_t n_docs)
{
	double *t = NULL, median;
	json_t *trial;
	size_t i, n = 0;

	for (size_t d = 0; d < n_docs; d++)
	{
		json_array_foreach(json_object_get(docs[d], "trials"), i, trial)
		{
			if (!str_eq(js_get_str(trial, "status", ""), "ok"))
				continue;
			t = xreallocarray(t, n + 1, sizeof(*t));
			t[n++] = js_get_real(trial, "elapsed_ns", NAN);
		}
	}
	median = basic_median(t, n);
	free(t);
	return median;
}

/* Sessions that measured it. */
static size_t count_sessions(const struct noise_family *f)
{
	size_t n = 0;

	for (size_t d = 0; d < f->n_docs; d++) {
		bool any = false;

		for (size_t i = 0; i < f->n && !any; i++)
			any = f->lanes[i].in[d] != NULL;
		n += any;
	}
	return n;
}

static void calibrate_family(const struct noise_family *f, const struct cell *first, struct calibrate *c)
{
	double margin = verdict_margin(first->metric);
	struct noise p;

	c->step = xstrdup(first->step);
	c->metric = xstrdup(first->metric);
	c->unit = xstrdup(first->unit);
	c->primary = first->primary;
	c->margin = isnan(margin) ? 0.05 : margin;
	c->sessions = count_sessions(f);
	c->within = c->block = c->session = c->detectable = c->needed = c->split = NAN;
	if (!f->n) {
		c->why = "a value is not positive, or there is none";
		return;
	}
	noise_components(f, &p);
	c->within = p.within;
	c->block = p.block;
	c->session = p.session;
	c->blocks = p.blocks;
	find_cells(f, c);
	if (isnan(c->within)) {
		c->why = "one value a variant says nothing of the noise";
		return;
	}
	c->detectable = detectable(c->n, c->within);
	c->needed = needed_n(c->margin, c->within);
	if (!isnan(c->session))
		find_plans(c);
	find_split(f, c);
}

/* Same step and metric as an earlier cell: it is in that one's family. */
static bool family_seen(const struct cells *c, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_eq(c->v[i].step, c->v[at].step) && str_eq(c->v[i].metric, c->v[at].metric))
			return true;
	return false;
}

struct calibrate *calibrate_find(json_t *const *docs, size_t n_docs, bool all, size_t *n)
{
	struct cells *c = xcalloc(n_docs, sizeof(*c));
	struct calibrate *out = NULL;
	double trial_ns = trial_time(docs, n_docs);

	*n = 0;
	for (size_t d = 0; d < n_docs; d++)
		cells_collect(docs[d], &c[d]);
	for (size_t i = 0; i < c[0].n; i++) {
		struct noise_family f = { c, n_docs, NULL, 0 };

		if ((!all && !c[0].v[i].primary) || family_seen(&c[0], i))
			continue;
		for (size_t k = i; k < c[0].n; k++)
			if (str_eq(c[0].v[k].step, c[0].v[i].step) && str_eq(c[0].v[k].metric, c[0].v[i].metric) &&
			    cell_usable(&c[0].v[k]))
				family_add(&f, &c[0].v[k]);
		out = xreallocarray(out, *n + 1, sizeof(*out));
		out[*n] = (struct calibrate){ .trial_ns = trial_ns };
		calibrate_family(&f, &c[0].v[i], &out[(*n)++]);
		family_release(&f);
	}
	for (size_t d = 0; d < n_docs; d++)
		cells_release(&c[d]);
	free(c);
	return out;
}

void calibrate_release(struct calibrate *c)
{
	for (size_t i = 0; i < c->n_cells; i++)
		free(c->v[i].variant);
	free(c->v);
	free(c->step);
	free(c->metric);
	free(c->unit);
	free(c->split_variant);
	*c = (struct calibrate){ 0 };
}
