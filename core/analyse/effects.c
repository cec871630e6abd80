/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Main effects and interactions of a matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "core/analyse/adjust.h"
#include "core/analyse/basic.h"
#include "core/analyse/cells.h"
#include "core/analyse/effects_private.h"
#include "core/analyse/ttest.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

static char *level_text(const json_t *v)
{
	return json_is_string(v) ? xstrdup(json_string_value(v)) : js_dump(v);
}

static unsigned level_number(struct factor *f, const json_t *v)
{
	char *text = level_text(v);

	for (unsigned i = 0; i < f->n_levels; i++)
		if (str_eq(f->levels[i], text)) {
			free(text);
			return i;
		}
	f->levels = xrealloc(f->levels, (f->n_levels + 1) * sizeof(*f->levels));
	f->levels[f->n_levels] = text;
	return f->n_levels++;
}

/* Factors and levels in the order of the matrix, whatever the order of the trials was. */
static void sample_factors(struct sample *s, const json_t *variants)
{
	json_t *variant, *level;
	const char *key;
	size_t i;

	json_array_foreach(variants, i, variant)
	{
		unsigned k = 0;

		json_object_foreach(json_object_get(variant, "values"), key, level)
		{
			struct factor *f = &s->f[k];

			if (k == MAX_FACTORS)
				break;
			if (!f->name)
				f->name = xstrdup(key);
			level_number(f, level);
			k++;
		}
		s->n_factors = k > s->n_factors ? k : s->n_factors;
	}
}

static void sample_add(struct sample *s, const json_t *values, size_t variant, double v)
{
	const char *key;
	json_t *level;
	unsigned k = 0;

	s->bad |= !(v > 0);
	s->y = xrealloc(s->y, (s->n + 1) * sizeof(*s->y));
	s->variant = xrealloc(s->variant, (s->n + 1) * sizeof(*s->variant));
	s->y[s->n] = v > 0 ? log(v) : 0;
	s->variant[s->n] = variant;
	json_object_foreach((json_t *)values, key, level)
	{
		struct factor *f = &s->f[k];

		if (k == MAX_FACTORS)
			break;
		f->level = xrealloc(f->level, (s->n + 1) * sizeof(*f->level));
		f->level[s->n] = level_number(f, level);
		k++;
	}
	s->n++;
}

static void sample_release(struct sample *s)
{
	for (unsigned i = 0; i < s->n_factors; i++) {
		for (unsigned k = 0; k < s->f[i].n_levels; k++)
			free(s->f[i].levels[k]);
		free(s->f[i].levels);
		free(s->f[i].level);
		free(s->f[i].name);
	}
	free(s->y);
	free(s->variant);
}

/* ---- the model -------------------------------------------------------------------------------- */

/* Factors that really vary; then all pairs of them unless single says not. */
void effects_model_terms(struct model *m, const struct sample *s, bool single)
{
	m->n = 0;
	m->n_terms = 0;
	for (unsigned i = 0; i < s->n_factors; i++) {
		if (s->f[i].n_levels < 2)
			continue;
		m->f[m->n] = (struct linear_factor){ s->f[i].level, s->f[i].n_levels };
		m->index[m->n++] = i;
	}
	for (unsigned i = 0; i < m->n; i++)
		m->terms[m->n_terms++] = (struct linear_term){ i, LINEAR_NONE };
	for (unsigned i = 0; !single && i < m->n; i++)
		for (unsigned k = i + 1; k < m->n; k++)
			m->terms[m->n_terms++] = (struct linear_term){ i, k };
}

/* With pairs where they can be told apart and leave something to judge them by, else without. */
static int model_fit(struct model *m, const struct sample *s, bool *pairs)
{
	int r;

	effects_model_terms(m, s, false);
	*pairs = m->n_terms > m->n;
	r = linear_fit(s->y, s->n, m->f, m->terms, m->n_terms, &m->fit, m->r);
	if (r == 0 && m->fit.df >= 4)
		return 0;
	linear_release(&m->fit);
	effects_model_terms(m, s, true);
	*pairs = false;
	return linear_fit(s->y, s->n, m->f, m->terms, m->n_terms, &m->fit, m->r);
}

static void effect_levels(struct effect *e, const struct model *m, const struct sample *s, const struct factor *f)
{
	double all = basic_mean(s->y, s->n), q = gsl_cdf_tdist_Pinv(0.975, m->fit.df), low = INFINITY, high = -INFINITY;

	e->n_levels = f->n_levels;
	e->levels = xcalloc(f->n_levels, sizeof(*e->levels));
	for (unsigned k = 0; k < f->n_levels; k++) {
		double sum = 0, half;
		size_t n = 0;

		for (size_t i = 0; i < s->n; i++) {
			sum += f->level[i] == k ? s->y[i] : 0;
			n += f->level[i] == k;
		}
		half = q * m->fit.sigma * sqrt(1 / (double)n - 1 / (double)s->n);
		sum = sum / (double)n - all;
		e->levels[k] = (struct effect_level){ xstrdup(f->levels[k]), exp(sum), exp(sum - half), exp(sum + half), n };
		low = fmin(low, sum);
		high = fmax(high, sum);
	}
	e->range = exp(high - low);
}

static void take_effects(struct effects *out, const struct model *m, const struct sample *s)
{
	double p[MAX_TERMS], q[MAX_TERMS];

	for (size_t i = 0; i < m->n_terms; i++)
		p[i] = m->r[i].p;
	adjust_p(ADJUST_HOLM, p, m->n_terms, q);
	out->v = xcalloc(MAX(m->n_terms, (size_t)1), sizeof(*out->v));
	out->n_effects = m->n_terms;
	for (size_t i = 0; i < m->n_terms; i++) {
		const struct linear_term *t = &m->terms[i];
		const struct factor *a = &s->f[m->index[t->a]];
		struct effect *e = &out->v[i];

		e->pair = t->b != LINEAR_NONE;
		e->name = e->pair ? xasprintf("%s x %s", a->name, s->f[m->index[t->b]].name) : xstrdup(a->name);
		e->p = p[i];
		e->p_holm = q[i];
		e->f = m->r[i].f;
		e->omega2 = m->r[i].omega2;
		e->active = q[i] <= 0.05;
		e->range = NAN;
		if (e->pair)
			effects_take_cells(e, m, s, t);
		else
			effect_levels(e, m, s, a);
	}
}

/* A level without a value, as all its variants failed, is no level: nothing can be said of it. */
static void sample_drop_empty(struct sample *s)
{
	for (unsigned k = 0; k < s->n_factors; k++) {
		struct factor *f = &s->f[k];

		for (unsigned l = 0; l < f->n_levels;) {
			bool used = false;

			for (size_t i = 0; i < s->n && !used; i++)
				used = f->level[i] == l;
			if (used) {
				l++;
				continue;
			}
			free(f->levels[l]);
			f->n_levels--;
			for (unsigned rest = l; rest < f->n_levels; rest++)
				f->levels[rest] = f->levels[rest + 1];
			for (size_t i = 0; i < s->n; i++)
				f->level[i] -= f->level[i] > l;
		}
	}
}

static void analyse(struct effects *out, struct sample *s, const json_t *variants)
{
	struct model m = { .n = 0 };

	out->n = s->n;
	if (s->bad) {
		out->why = "a value is not positive";
		return;
	}
	if (s->n < 4) {
		out->why = "too few values";
		return;
	}
	sample_drop_empty(s);
	effects_take_odd(out, s, variants);
	sample_drop_empty(s);
	out->n = s->n;
	if (model_fit(&m, s, &out->pairs) < 0 || m.n == 0 || m.fit.df < 1) {
		out->why = m.n ? "too few values for so many combinations" : "nothing varies";
	} else {
		out->sigma = exp(m.fit.sigma) - 1;
		out->detectable = exp(ttest_quick_detectable((double)s->n / 2, m.fit.sigma, 0.05, 0.8));
		take_effects(out, &m, s);
	}
	linear_release(&m.fit);
}

/* ---- from the document -------------------------------------------------------------------------- */

/* The variant that a cell belongs to. */
static bool cell_of_variant(const json_t *values, const struct cell *c)
{
	_cleanup_free_ char *text = cells_variant_text(values);

	return str_eq(text, c->variant);
}

static void sample_collect(struct sample *s, const json_t *doc, const struct cells *cells, const char *step,
			   const char *metric)
{
	const json_t *variants = json_object_get(doc, "variants");

	sample_factors(s, variants);
	for (size_t i = 0; i < cells->n; i++) {
		const struct cell *c = &cells->v[i];

		if (!str_eq(c->step, step) || !str_eq(c->metric, metric))
			continue;
		for (size_t k = 0; k < json_array_size(variants); k++) {
			const json_t *values = json_object_get(json_array_get(variants, k), "values");

			if (!cell_of_variant(values, c))
				continue;
			for (size_t v = 0; v < c->n; v++)
				sample_add(s, values, k, c->v[v]);
			break;
		}
	}
}

struct effects *effects_find(const json_t *doc, bool all, size_t *n)
{
	static const char *const better[] = { "neutral", "higher", "lower" };
	_cleanup_json_ json_t *seen = js_object();
	struct effects *out = NULL;
	struct cells cells;

	*n = 0;
	cells_collect(doc, &cells);
	for (size_t i = 0; i < cells.n; i++) {
		const struct cell *c = &cells.v[i];
		_cleanup_free_ char *name = xasprintf("%s.%s", c->step, c->metric);
		struct sample s = { .n = 0 };

		if ((!all && !c->primary) || json_object_get(seen, name))
			continue;
		js_set(seen, name, json_true());
		sample_collect(&s, doc, &cells, c->step, c->metric);
		if (s.n) {
			out = xrealloc(out, (*n + 1) * sizeof(*out));
			out[*n] = (struct effects){ .step = xstrdup(c->step), .metric = xstrdup(c->metric),
						    .unit = xstrdup(c->unit), .better = xstrdup(better[c->better]) };
			analyse(&out[(*n)++], &s, json_object_get(doc, "variants"));
		}
		sample_release(&s);
	}
	cells_release(&cells);
	return out;
}

void effects_release(struct effects *e)
{
	for (size_t i = 0; i < e->n_effects; i++) {
		for (size_t k = 0; k < e->v[i].n_levels; k++)
			free(e->v[i].levels[k].name);
		for (size_t k = 0; k < e->v[i].n_cells; k++)
			free(e->v[i].cells[k].name);
		free(e->v[i].cells);
		free(e->v[i].levels);
		free(e->v[i].name);
	}
	for (size_t i = 0; i < e->n_odd; i++)
		free(e->odd[i].variant);
	free(e->v);
	free(e->odd);
	free(e->step);
	free(e->metric);
	free(e->unit);
	free(e->better);
}
