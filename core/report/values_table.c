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
#include "core/report/values_private.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/text.h"
#include "core/util/xalloc.h"

#define VALUES_SAME_UNIT 1e4 /* largest ratio between variants that one unit is used for */

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

		strbuf_addstr(&out, out.len ? " " : "");
		text_add_clean(&out, key);
		strbuf_addch(&out, '=');
		text_add_clean(&out, text);
	}
	return strbuf_steal(&out);
}

/* What stands in place of a median where every value was too large to be measured. */
static void values_censored(const struct values_cell *c, const struct scale *scale, char *buf,
			    size_t size)
{
	char bound[40];

	if (isnan(c->at_least))
		snprintf(buf, size, "+++++");
	else
		snprintf(buf, size, ">%s", scale_format(c->at_least, scale, bound, sizeof(bound)));
}

static void values_row(const char *metric, const char *variant, const struct summary *s,
		       const struct values_cell *cell, const struct scale *scale,
		       struct table *table)
{
	char n[24], median[48], min[40], max[40], mean[40], spread[40] = "-";
	const bool bound = !s->n && cell && cell->censored;
	const char *cells[N_COLS] = {
		metric,
		variant,
		n,
		scale_format(s->median, scale, median, sizeof(median)),
		scale_format(s->min, scale, min, sizeof(min)),
		scale_format(s->max, scale, max, sizeof(max)),
		scale_format(s->mean, scale, mean, sizeof(mean)),
		s->n || bound ? scale->unit : "",
		spread,
	};

	if (bound)
		values_censored(cell, scale, median, sizeof(median));
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

/* Over all variants, of the median of each: the MAX, MIN, AVG and MED below a spreadsheet. */
static void values_summary_row(const struct values_metric *m, const struct summary *s, size_t n,
			       const struct scale *scale, struct table *table)
{
	_cleanup_free_ double *medians = xcalloc(n + 1, sizeof(*medians));
	struct summary all;
	size_t have = 0;

	for (size_t k = 0; k < n; k++) {
		if (s[k].n)
			medians[have++] = s[k].median;
	}
	summary_compute(medians, have, &all);
	if (have > 1)
		values_row(m->name, "all variants", &all, NULL, scale, table);
}

/* The unit that it was printed in where it was imported, so that the numbers are known again. */
static bool values_scale(const struct values_metric *m, const struct summary *s, size_t n,
			 struct scale *scale)
{
	if (!m->source)
		return values_common_scale(s, n, m->unit, scale);
	snprintf(scale->unit, sizeof(scale->unit), "%s", m->source->name);
	scale->divisor = m->source->factor;
	scale->places = m->places;
	return true;
}

static void values_metric_rows(const struct values *t, const struct values_metric *m,
			       char *const *labels, bool summary, struct table *table)
{
	_cleanup_free_ struct summary *s = xcalloc(t->n_variants + 1, sizeof(*s));
	struct scale scale;
	bool common;

	for (size_t k = 0; k < t->n_variants; k++)
		summary_compute(m->cells[k].v, m->cells[k].n, &s[k]);
	common = values_scale(m, s, t->n_variants, &scale);
	for (size_t k = 0; k < t->n_variants; k++) {
		if (!m->cells[k].seen)
			continue;
		if (!common)
			scale_for(s[k].median, m->unit, &scale);
		values_row(m->name, labels[k], &s[k], &m->cells[k], &scale, table);
	}
	if (summary && common)
		values_summary_row(m, s, t->n_variants, &scale, table);
}

static void values_table(const struct values *t, char *const *labels, bool summary,
			 struct table *table)
{
	table_init(table, values_columns, N_COLS);
	for (size_t i = 0; i < t->n; i++) {
		if (i && t->n_variants > 1)
			table_gap(table);
		values_metric_rows(t, &t->v[i], labels, summary, table);
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

void values_format(const json_t *doc, const struct values_options *opt, struct strbuf *out)
{
	struct values t;
	struct table table;
	char **labels;

	values_gather(&t, doc, opt->all);
	labels = values_labels(&t, true);
	values_table(&t, labels, opt->summary, &table);
	if (!opt->markdown && table_width(&table) > opt->width) {
		table_free(&table);
		values_free_labels(labels, t.n_variants);
		values_legend(&t, opt->width, out);
		labels = values_labels(&t, false);
		values_table(&t, labels, opt->summary, &table);
	}
	if (!t.n)
		strbuf_addstr(out, "No workload step was reached: there are no numbers.\n");
	else if (opt->markdown)
		table_markdown(&table, out);
	else
		table_format(&table, opt->width, out);
	table_free(&table);
	values_free_labels(labels, t.n_variants);
	values_free(&t);
}
