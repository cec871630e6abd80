/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a result document, gathered by variant. */
#include "core/report/values_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

static struct values_metric *values_metric(struct values *t, const char *name, const char *unit)
{
	json_t *known = json_object_get(t->index, name);
	struct values_metric new = { 0 };

	if (known)
		return &t->v[json_integer_value(known)];
	new.name = xstrdup(name);
	new.unit = xstrdup(unit);
	new.cells = xcalloc(t->n_variants, sizeof(*new.cells));
	js_set(t->index, name, js_u64(t->n));
	vec_push(t, new);
	return &t->v[t->n - 1];
}

/* Of an imported metric: too large for the tool that measured, which may say how large at least. */
static void values_cell_censored(struct values_cell *c, const json_t *source)
{
	double at_least = js_get_real(source, "at_least", NAN);

	if (!str_eq(js_get_str(source, "note", ""), "censored"))
		return;
	c->at_least = c->censored ? fmax(c->at_least, at_least) : at_least;
	c->censored++;
}

static void values_cell_add(struct values_cell *c, const json_t *value, bool good)
{
	c->seen = true;
	if (!good || !json_is_number(value))
		return;
	if (c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 4;
		c->v = xreallocarray(c->v, c->cap, sizeof(*c->v));
	}
	c->v[c->n++] = json_number_value(value);
}

static void values_add(struct values *t, size_t variant, const char *name, const char *unit,
		       const json_t *value, bool good)
{
	values_cell_add(&values_metric(t, name, unit)->cells[variant], value, good);
}

#define VALUES_PLACES 6 /* shown behind a point at most */

/* The unit that an imported metric was printed in, as long as it is the same for all values. */
static void values_source(struct values_metric *m, const json_t *source)
{
	const struct units_named *unit = units_named_find(js_get_str(source, "unit", NULL));

	const char *point = strchr(js_get_str(source, "text", ""), '.');
	unsigned places = point ? (unsigned)strspn(point + 1, "0123456789") + 1 : 1;

	if (unit && !str_eq(unit->unit, m->unit))
		unit = NULL;
	if (!m->source && !m->mixed)
		m->source = unit;
	m->mixed = m->mixed || !unit || m->source != unit;
	m->places = MIN(MAX(m->places, places), VALUES_PLACES + 1u);
	if (m->mixed)
		m->source = NULL;
}

/* Has the step any number at all? */
static bool values_any(const json_t *step)
{
	json_t *m;
	const char *key;

	json_object_foreach(json_object_get(step, "metrics"), key, m)
	{
		if (json_is_number(json_object_get(m, "value")))
			return true;
	}
	return false;
}

/* What a step that has numbers has none for, it was not asked to do: no line of blanks for that. */
static void values_metrics(struct values *t, size_t variant, const json_t *step, bool all,
			   bool good)
{
	const bool some = good && values_any(step);
	json_t *m;
	const char *key;

	json_object_foreach(json_object_get(step, "metrics"), key, m)
	{
		const json_t *source = json_object_get(m, "source");
		struct values_metric *metric;
		_cleanup_free_ char *name = NULL;

		if (!all && !json_is_true(json_object_get(m, "primary")))
			continue;
		if (some && !source && json_is_null(json_object_get(m, "value")))
			continue;
		name = xasprintf("%s.%s", js_get_str(step, "name", "?"), key);
		metric = values_metric(t, name, js_get_str(m, "unit", ""));
		values_cell_add(&metric->cells[variant], json_object_get(m, "value"), good);
		values_source(metric, source);
		if (good)
			values_cell_censored(&metric->cells[variant], source);
	}
}

static void values_latencies(struct values *t, size_t variant, const json_t *step, bool good)
{
	static const char *const shown[] = { "50", "99", "99.9" };
	json_t *l;
	const char *op;

	json_object_foreach(json_object_get(step, "latency"), op, l)
	{
		if (!js_get_u64(l, "count", 0))
			continue;
		/* Another tool's that has no percentiles of it: a line of blanks for none. */
		if (json_is_null(json_object_get(l, "histogram")) &&
		    json_is_null(json_object_get(json_object_get(l, "percentiles"), "50")))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
			_cleanup_free_ char *name = xasprintf(
				"%s.%s.p%s", js_get_str(step, "name", "?"), op, shown[i]);

			values_add(t, variant, name, js_get_str(l, "unit", "ns"),
				   json_object_get(json_object_get(l, "percentiles"), shown[i]),
				   good);
		}
	}
}

static void values_step(struct values *t, size_t variant, const json_t *step, bool all)
{
	bool good = str_eq(js_get_str(step, "status", ""), "ok");
	const char *name = js_get_str(step, "name", "?");
	json_t *in;

	if (!str_eq(js_get_str(step, "kind", ""), "workload"))
		return;
	t->reached[variant] = true;
	in = json_object_get(t->steps, name);
	if (!in) {
		in = js_array();
		js_set(t->steps, name, in);
		for (size_t i = 0; i < t->n_variants; i++)
			js_push(in, js_bool(0));
	}
	json_array_set(in, variant, json_true());
	values_metrics(t, variant, step, all, good);
	if (all)
		values_latencies(t, variant, step, good);
}

static void values_collect(struct values *t, const json_t *doc, bool all)
{
	json_t *trial, *step, *v;
	size_t i, k;

	t->variants = json_object_get(doc, "variants");
	t->n_variants = json_array_size(t->variants);
	t->numbers = js_object();
	t->steps = js_object();
	t->index = js_object();
	t->reached = xcalloc(t->n_variants + 1, sizeof(*t->reached));
	json_array_foreach(t->variants, i, v)
	{
		js_set(t->numbers, js_get_str(v, "id", ""), js_u64(i));
	}
	json_array_foreach(json_object_get(doc, "trials"), i, trial)
	{
		const char *id = js_get_str(trial, "variant", "");

		if (!json_object_get(t->numbers, id))
			continue;
		json_array_foreach(json_object_get(trial, "steps"), k, step)
		{
			values_step(t, js_get_u64(t->numbers, id, 0), step, all);
		}
	}
}

static bool values_of_step(const char *metric, const char *step)
{
	return str_starts(metric, step) && metric[strlen(step)] == '.';
}

/*
 * A variant whose step failed has no metrics in the document, but has a line all the same; so has a
 * step without a metric in any variant, and a variant that was not reached.
 */
static void values_complete(struct values *t)
{
	const char *step;
	json_t *in;

	json_object_foreach(t->steps, step, in)
	{
		bool any = false;

		for (size_t i = 0; i < t->n; i++)
			any = any || values_of_step(t->v[i].name, step);
		if (!any)
			values_metric(t, step, "");
		for (size_t i = 0; i < t->n; i++) {
			if (!values_of_step(t->v[i].name, step) && !str_eq(t->v[i].name, step))
				continue;
			for (size_t k = 0; k < t->n_variants; k++) {
				if (json_is_true(json_array_get(in, k)) || !t->reached[k])
					t->v[i].cells[k].seen = true;
			}
		}
	}
}

void values_free(struct values *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t k = 0; k < t->n_variants; k++)
			free(t->v[i].cells[k].v);
		free(t->v[i].cells);
		free(t->v[i].name);
		free(t->v[i].unit);
	}
	vec_free(t);
	json_decref(t->numbers);
	json_decref(t->steps);
	json_decref(t->index);
	free(t->reached);
}

void values_gather(struct values *t, const json_t *doc, bool all)
{
	*t = (struct values){ .variants = NULL };
	values_collect(t, doc, all);
	values_complete(t);
}
