/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a result document as a table. */
#include "core/report/values.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/summary.h"
#include "core/report/scale.h"
#include "core/report/table.h"
#include "core/util/text.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/vec.h"

#define VALUES_SAME_UNIT 1e4 /* largest ratio between variants that one unit is used for */

/* What a variant has of one metric. */
struct values_cell {
	double *v;
	uint32_t n, cap;
	bool seen; /* the step was to be done in this variant */
};

struct values_metric {
	char *name; /* "write.throughput" */
	char *unit;
	struct values_cell *cells; /* one a variant */
};

struct values {
	const json_t *variants;
	size_t n_variants;
	json_t *numbers; /* variant's id -> its number */
	json_t *steps;	 /* workload step -> number of its metrics so far */
	json_t *index;	 /* metric -> its number */
	bool *reached;	 /* a variant has a trial with workload steps */
	struct values_metric *v;
	size_t n, cap;
};

/* ---- gathering ---- */

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
		_cleanup_free_ char *name = NULL;

		if (!all && !json_is_true(json_object_get(m, "primary")))
			continue;
		if (some && json_is_null(json_object_get(m, "value")))
			continue;
		name = xasprintf("%s.%s", js_get_str(step, "name", "?"), key);
		values_add(t, variant, name, js_get_str(m, "unit", ""), json_object_get(m, "value"),
			   good);
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

static void values_gather(struct values *t, const json_t *doc, bool all)
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

static void values_free(struct values *t)
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

/* ---- the table ---- */

enum {
	COL_METRIC,
	COL_VARIANT,
	COL_N,
	COL_MEDIAN,
	COL_MIN,
	COL_MAX,
	COL_MEAN,
	COL_UNIT,
	COL_SPREAD,
	N_COLS
};

static const struct table_column values_columns[N_COLS] = {
	{ "metric", TABLE_CUT },   { "variant", TABLE_CUT },
	{ "n", TABLE_RIGHT },	   { "median", TABLE_RIGHT },
	{ "MIN", TABLE_RIGHT },	   { "MAX", TABLE_RIGHT },
	{ "mean", TABLE_RIGHT },   { "", 0 },
	{ "spread", TABLE_RIGHT },
};

/* "agcount=2 bs=16KiB" */
static char *values_variant_text(const json_t *variant)
{
	struct strbuf out = STRBUF_INIT;
	const char *key;
	json_t *v;

	json_object_foreach(json_object_get(variant, "values"), key, v)
	{
		_cleanup_free_ char *text = json_is_string(v) ? xstrdup(json_string_value(v))
							      : js_dump(v);

		strbuf_addf(&out, "%s%s=", out.len ? " " : "", key);
		text_add_clean(&out, text);
	}
	return strbuf_steal(&out);
}

static void values_row(const char *metric, const char *variant, const struct summary *s,
		       const struct scale *scale, struct table *table)
{
	char n[24], median[40], min[40], max[40], mean[40], spread[40] = "-";
	const char *cells[N_COLS] = {
		metric,
		variant,
		n,
		scale_format(s->median, scale, median, sizeof(median)),
		scale_format(s->min, scale, min, sizeof(min)),
		scale_format(s->max, scale, max, sizeof(max)),
		scale_format(s->mean, scale, mean, sizeof(mean)),
		s->n ? scale->unit : "",
		spread,
	};

	snprintf(n, sizeof(n), "%zu", s->n);
	if (isfinite(s->spread))
		snprintf(spread, sizeof(spread), "%.1f %%", 100 * s->spread);
	table_row(table, cells);
}

/* The unit that is right for the smallest median serves all variants, unless they are far apart. */
static bool values_common_scale(const struct summary *s, size_t n, const char *unit,
				struct scale *scale)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		double a = fabs(s[i].median);

		if (!s[i].n || a == 0)
			continue;
		least = fmin(least, a);
		most = fmax(most, a);
	}
	scale_for(isfinite(least) ? least : 0, unit, scale);
	return !isfinite(least) || most / least < VALUES_SAME_UNIT;
}

static void values_metric_rows(const struct values *t, const struct values_metric *m,
			       char *const *labels, struct table *table)
{
	_cleanup_free_ struct summary *s = xcalloc(t->n_variants + 1, sizeof(*s));
	struct scale scale;
	bool common;

	for (size_t k = 0; k < t->n_variants; k++)
		summary_compute(m->cells[k].v, m->cells[k].n, &s[k]);
	common = values_common_scale(s, t->n_variants, m->unit, &scale);
	for (size_t k = 0; k < t->n_variants; k++) {
		if (!m->cells[k].seen)
			continue;
		if (!common)
			scale_for(s[k].median, m->unit, &scale);
		values_row(m->name, labels[k], &s[k], &scale, table);
	}
}

static void values_table(const struct values *t, char *const *labels, struct table *table)
{
	table_init(table, values_columns, N_COLS);
	for (size_t i = 0; i < t->n; i++) {
		if (i && t->n_variants > 1)
			table_gap(table);
		values_metric_rows(t, &t->v[i], labels, table);
	}
}

static void values_legend(const struct values *t, size_t width, struct strbuf *out)
{
	strbuf_addstr(out, "variants:\n");
	for (size_t k = 0; k < t->n_variants; k++) {
		const json_t *v = json_array_get(t->variants, k);
		_cleanup_free_ char *text = values_variant_text(v);
		_cleanup_free_ char *id = text_clean(js_get_str(v, "id", "?"));

		strbuf_addf(out, "  %s  ", id);
		text_wrap(out, text, text_width(id) + 4, text_width(id) + 4, width);
	}
	strbuf_addch(out, '\n');
}

/* The variants' labels: their numbers, with their values where these are wanted. */
static char **values_labels(const struct values *t, bool with_values)
{
	char **labels = xcalloc(t->n_variants + 1, sizeof(*labels));

	for (size_t k = 0; k < t->n_variants; k++) {
		const json_t *v = json_array_get(t->variants, k);
		_cleanup_free_ char *text = with_values ? values_variant_text(v) : xstrdup("");

		labels[k] = xasprintf("%s%s%s", js_get_str(v, "id", "?"), *text ? " " : "", text);
	}
	return labels;
}

static void values_free_labels(char **labels, size_t n)
{
	for (size_t k = 0; k < n; k++)
		free(labels[k]);
	free(labels);
}

void values_format(const json_t *doc, bool all, size_t width, struct strbuf *out)
{
	struct values t = { 0 };
	struct table table;
	char **labels;

	values_gather(&t, doc, all);
	values_complete(&t);
	labels = values_labels(&t, true);
	values_table(&t, labels, &table);
	if (table_width(&table) > width) {
		table_free(&table);
		values_free_labels(labels, t.n_variants);
		values_legend(&t, width, out);
		labels = values_labels(&t, false);
		values_table(&t, labels, &table);
	}
	if (t.n)
		table_format(&table, width, out);
	else
		strbuf_addstr(out, "No workload step was reached: there are no numbers.\n");
	table_free(&table);
	values_free_labels(labels, t.n_variants);
	values_free(&t);
}
