/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effects beyond single factors: combinations of levels, and variants that nothing explains. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "core/analyse/effects_private.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"

/* ---- what two levels do together ------------------------------------------------------------------ */

/* Values of a level of each factor; NULL: of any. */
struct tally {
	double sum;
	size_t n;
};

static struct tally tally(const struct sample *s, const struct factor *a, unsigned x, const struct factor *b, unsigned z)
{
	struct tally t = { 0, 0 };

	for (size_t i = 0; i < s->n; i++) {
		if ((a && a->level[i] != x) || (b && b->level[i] != z))
			continue;
		t.sum += s->y[i];
		t.n++;
	}
	return t;
}

static double mean(const struct tally *t)
{
	return t->sum / (double)t->n;
}

/*
 * Mean of a combination, less what each of the two levels does alone. The variance is that of a design with as many
 * values everywhere; with others the interval is about right.
 */
static void take_cell(struct effect *e, const struct model *m, const struct sample *s, const struct factor *a, unsigned x,
		      const struct factor *b, unsigned z)
{
	struct tally all = tally(s, NULL, 0, NULL, 0), of_a = tally(s, a, x, NULL, 0), of_b = tally(s, NULL, 0, b, z);
	struct tally both = tally(s, a, x, b, z);
	double q = gsl_cdf_tdist_Pinv(0.975, m->fit.df), alone, half;

	if (!both.n)
		return;
	alone = mean(&both) - mean(&of_a) - mean(&of_b) + mean(&all);
	half = q * m->fit.sigma *
	       sqrt(fmax(0, 1 / (double)both.n - 1 / (double)of_a.n - 1 / (double)of_b.n + 1 / (double)all.n));
	e->cells = xreallocarray(e->cells, e->n_cells + 1, sizeof(*e->cells));
	e->cells[e->n_cells++] = (struct effect_level){ xasprintf("%s=%s %s=%s", a->name, a->levels[x], b->name, b->levels[z]),
							exp(alone), exp(alone - half), exp(alone + half), both.n };
}

void effects_take_cells(struct effect *e, const struct model *m, const struct sample *s, const struct linear_term *t)
{
	const struct factor *a = &s->f[m->index[t->a]], *b = &s->f[m->index[t->b]];

	for (unsigned x = 0; x < a->n_levels; x++)
		for (unsigned z = 0; z < b->n_levels; z++)
			take_cell(e, m, s, a, x, b, z);
}

/* What the model expects of value i. */
double effects_expected(const struct model *m, size_t i)
{
	double y = m->fit.coef[0];
	size_t at = 1;

	for (size_t t = 0; t < m->n_terms; t++) {
		const struct linear_term *term = &m->terms[t];
		const struct linear_factor *a = &m->f[term->a], *b = term->b == LINEAR_NONE ? NULL : &m->f[term->b];

		for (unsigned x = 0; x < a->levels - 1; x++)
			for (unsigned z = 0; z < (b ? b->levels - 1 : 1); z++) {
				double c = a->level[i] == x ? 1 : a->level[i] == a->levels - 1 ? -1 : 0;

				if (b)
					c *= b->level[i] == z ? 1 : b->level[i] == b->levels - 1 ? -1 : 0;
				y += m->fit.coef[at++] * c;
			}
	}
	return y;
}

/* ---- single variants that no sum of factors explains ----------------------------------------------- */

enum { ODD_MAX = 3, ODD_MIN_VARIANTS = 8, ODD_MAX_VARIANTS = 400 };
#define ODD_T 6.0 /* standard errors: far beyond what the largest of some hundred shows by chance */

/* The sample without variant skip, for as long as it lives; factors are shared. */
static void sample_without(const struct sample *s, size_t skip, struct sample *out)
{
	size_t n = 0;

	*out = *s;
	out->y = xcalloc(s->n, sizeof(*out->y));
	out->variant = xcalloc(s->n, sizeof(*out->variant));
	for (unsigned k = 0; k < s->n_factors; k++)
		out->f[k].level = xcalloc(s->n, sizeof(*out->f[k].level));
	for (size_t i = 0; i < s->n; i++) {
		if (s->variant[i] == skip)
			continue;
		out->y[n] = s->y[i];
		out->variant[n] = s->variant[i];
		for (unsigned k = 0; k < s->n_factors; k++)
			out->f[k].level[n] = s->f[k].level[i];
		n++;
	}
	out->n = n;
}

static void sample_without_release(struct sample *s)
{
	free(s->y);
	free(s->variant);
	for (unsigned k = 0; k < s->n_factors; k++)
		free(s->f[k].level);
}

/* How far variant v is from what the others, by single factors, expect of it: in standard errors, and as a logarithm. */
static double odd_distance(const struct sample *s, size_t v, double *away)
{
	struct sample rest;
	struct model m;
	double sum = 0, t = 0;
	size_t n = 0;

	sample_without(s, v, &rest);
	effects_model_terms(&m, &rest, true);
	if (linear_fit(rest.y, rest.n, m.f, m.terms, m.n_terms, &m.fit, m.r) == 0 && m.fit.df >= 4) {
		for (unsigned k = 0; k < m.n; k++)
			m.f[k].level = s->f[m.index[k]].level;
		for (size_t i = 0; i < s->n; i++) {
			if (s->variant[i] != v)
				continue;
			sum += s->y[i] - effects_expected(&m, i);
			n++;
		}
		*away = n ? sum / (double)n : 0;
		t = n ? fabs(*away) / (m.fit.sigma * sqrt(1 / (double)n + (double)m.fit.params / (double)rest.n)) : 0;
	}
	linear_release(&m.fit);
	sample_without_release(&rest);
	return t;
}

static bool odd_worst(const struct sample *s, size_t n_variants, size_t *which, double *away)
{
	double worst = ODD_T, a = 0;
	bool found = false;

	for (size_t v = 0; v < n_variants; v++) {
		double t = odd_distance(s, v, &a);

		if (t <= worst || fabs(a) < log(1.05))
			continue;
		worst = t;
		*which = v;
		*away = a;
		found = true;
	}
	return found;
}

/*
 * Takes suspects out of the sample one after the other: what is left is what effects are looked for in, as one odd
 * variant looks like an effect of every factor. Replaces *s.
 */
void effects_take_odd(struct effects *out, struct sample *s, const json_t *variants)
{
	size_t n = json_array_size(variants), which;
	double away;

	while (out->n_odd < ODD_MAX && n >= ODD_MIN_VARIANTS && n <= ODD_MAX_VARIANTS && odd_worst(s, n, &which, &away)) {
		struct sample rest;

		out->odd = xrealloc(out->odd, (out->n_odd + 1) * sizeof(*out->odd));
		out->odd[out->n_odd++] = (struct effect_odd){
			js_dump(json_object_get(json_array_get(variants, which), "values")), exp(away)
		};
		sample_without(s, which, &rest);
		sample_without_release(s);
		*s = rest;
	}
}
