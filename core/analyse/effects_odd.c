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

/* The variant that is furthest off in standard errors, those that are less than 5 % off left out; how far. */
static double odd_worst(const struct sample *s, size_t n_variants, size_t *which)
{
	double worst = 0, away = 0;

	for (size_t v = 0; v < n_variants; v++) {
		double t = odd_distance(s, v, &away);

		if (t <= worst || fabs(away) < log(1.05))
			continue;
		worst = t;
		*which = v;
	}
	return worst;
}

/* *s becomes what it is without variant skip; first says that its parts are not its own. */
static void sample_drop(struct sample *s, size_t skip, bool first)
{
	struct sample rest;

	sample_without(s, skip, &rest);
	if (!first)
		sample_without_release(s);
	*s = rest;
}

/*
 * Variants into odd, how many. One odd variant hides another, as each makes the other look like noise: so the worst
 * ones are taken out one after the other, however they look, and the last of them that is odd without those before it
 * says that these are odd, too (Rosner's procedure). With repeats there is no need to: several variants that only look
 * odd for single factors are a pair of factors, which the model has then.
 */
static size_t odd_find(const struct sample *s, size_t n_variants, size_t *odd)
{
	struct sample rest = *s;
	size_t found = 0;

	for (size_t k = 0; k < ODD_MAX; k++) {
		double t = odd_worst(&rest, n_variants, &odd[k]);

		if (t > ODD_T)
			found = k + 1;
		if (!(t > 0) || (t <= ODD_T && s->n > n_variants))
			break;
		sample_drop(&rest, odd[k], !k);
	}
	if (rest.y != s->y)
		sample_without_release(&rest);
	return found;
}

/* How far odd[which] is from what the variants that are not odd expect of it. */
static double odd_ratio(const struct sample *s, const size_t *odd, size_t n, size_t which)
{
	struct sample rest = *s;
	double away = 0;
	bool first = true;

	for (size_t k = 0; k < n; k++) {
		if (k == which)
			continue;
		sample_drop(&rest, odd[k], first);
		first = false;
	}
	(void)odd_distance(&rest, odd[which], &away);
	if (!first)
		sample_without_release(&rest);
	return exp(away);
}

void effects_take_odd(struct effects *out, struct sample *s, const json_t *variants)
{
	size_t n = json_array_size(variants), odd[ODD_MAX];

	if (n < ODD_MIN_VARIANTS || n > ODD_MAX_VARIANTS)
		return;
	out->n_odd = odd_find(s, n, odd);
	out->odd = xcalloc(MAX(out->n_odd, (size_t)1), sizeof(*out->odd));
	for (size_t k = 0; k < out->n_odd; k++)
		out->odd[k] = (struct effect_odd){ js_dump(json_object_get(json_array_get(variants, odd[k]), "values")),
						   odd_ratio(s, odd, out->n_odd, k) };
	for (size_t k = 0; k < out->n_odd; k++)
		sample_drop(s, odd[k], false);
}
