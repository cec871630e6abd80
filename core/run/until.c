/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When does a variant have repeats enough? */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "core/run/until.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* Mean and sum of squares of the logarithms, kept up as values come (Welford). */
struct until_cell {
	char *name; /* "step metric" */
	double wanted;
	uint32_t n;
	double mean, squares;
	bool no_ratio; /* a value is not positive */
};

void until_begin(struct until *u, const struct until_rule *rule, uint32_t n_variants)
{
	*u = (struct until){ .rule = rule, .n = n_variants, .started_ns = clock_now_ns() };
	u->v = xcalloc(n_variants, sizeof(*u->v));
	for (uint32_t i = 0; i < n_variants; i++)
		u->v[i].half_width = NAN;
}

static struct until_cell *cell_of(struct until_variant *v, const char *name, double wanted)
{
	for (size_t i = 0; i < v->n_cells; i++)
		if (str_eq(v->cells[i].name, name))
			return &v->cells[i];
	v->cells = xreallocarray(v->cells, v->n_cells + 1, sizeof(*v->cells));
	v->cells[v->n_cells] = (struct until_cell){ .name = xstrdup(name), .wanted = wanted };
	return &v->cells[v->n_cells++];
}

static void cell_add(struct until_cell *c, double value)
{
	double y = log(value), delta = y - c->mean;

	c->n++;
	c->no_ratio |= !(value > 0);
	if (c->no_ratio)
		return;
	c->mean += delta / c->n;
	c->squares += delta * (y - c->mean);
}

void until_add(struct until *u, uint32_t variant, const json_t *steps, bool ok)
{
	struct until_variant *v = &u->v[variant];
	json_t *step, *metric;
	const char *key;
	size_t i;

	v->repeats++;
	v->failed += !ok;
	json_array_foreach((json_t *)steps, i, step)
	{
		json_object_foreach(json_object_get(step, "metrics"), key, metric)
		{
			_cleanup_free_ char *name = xasprintf("%s %s", js_get_str(step, "name", ""), key);
			double wanted = u->rule->wanted(key);

			if (!str_eq(js_get_str(step, "status", ""), "ok") || isnan(wanted) ||
			    !json_is_true(json_object_get(metric, "primary")) ||
			    !json_is_number(json_object_get(metric, "value")))
				continue;
			cell_add(cell_of(v, name, wanted), json_number_value(json_object_get(metric, "value")));
		}
	}
}

/* Half of the 95 % interval of the mean logarithm. */
static double cell_half_width(const struct until_cell *c)
{
	if (c->n < 2)
		return NAN;
	return gsl_cdf_tdist_Pinv(0.975, c->n - 1) * sqrt(c->squares / (c->n - 1) / c->n);
}

/* NULL, or why it need not go on. */
static const char *variant_reason(struct until_variant *v)
{
	bool precise = true;

	v->half_width = NAN;
	if (v->failed == v->repeats)
		return "failed";
	if (!v->n_cells)
		return "no-metric";
	for (size_t i = 0; i < v->n_cells; i++) {
		double half = cell_half_width(&v->cells[i]);

		if (v->cells[i].no_ratio)
			continue; /* has no relative width */
		precise = precise && half <= v->cells[i].wanted;
		v->half_width = fmax(v->half_width, half);
	}
	return precise ? "half-width" : NULL;
}

bool until_next_block(struct until *u, uint32_t block)
{
	bool late = u->rule->max_time_ns && clock_now_ns() - u->started_ns > u->rule->max_time_ns;
	bool any = false;

	for (uint32_t i = 0; i < u->n; i++) {
		struct until_variant *v = &u->v[i];

		if (v->reason)
			continue;
		if (block >= u->rule->min_repeats)
			v->reason = variant_reason(v);
		if (!v->reason && block >= u->rule->max_repeats)
			v->reason = "max-repeats";
		if (!v->reason && late && block)
			v->reason = "max-time";
		any = any || !v->reason;
	}
	return any;
}

bool until_wants(const struct until *u, uint32_t variant)
{
	return !u->v[variant].reason;
}

static json_t *variants_json(const struct until *u, const struct job *job)
{
	json_t *list = js_array();

	for (uint32_t i = 0; i < u->n; i++) {
		_cleanup_free_ char *id = job_variant_id(job, i);
		json_t *o = js_object();

		js_set(o, "variant", js_str(id));
		js_set(o, "repeats", js_u64(u->v[i].repeats));
		js_set(o, "stop_reason", js_str(u->v[i].reason));
		js_set(o, "half_width", js_real(u->v[i].half_width));
		js_push(list, o);
	}
	return list;
}

json_t *until_json(const struct until *u, const struct job *job)
{
	json_t *o = js_object();

	js_set(o, "rule", js_str("half-width"));
	js_set(o, "min_repeats", js_u64(u->rule->min_repeats));
	js_set(o, "max_repeats", js_u64(u->rule->max_repeats));
	js_set(o, "max_time_ns", u->rule->max_time_ns ? js_u64(u->rule->max_time_ns) : json_null());
	js_set(o, "variants", variants_json(u, job));
	return o;
}

void until_end(struct until *u)
{
	for (uint32_t i = 0; i < u->n; i++) {
		for (size_t k = 0; k < u->v[i].n_cells; k++)
			free(u->v[i].cells[k].name);
		free(u->v[i].cells);
	}
	free(u->v);
	*u = (struct until){ 0 };
}
