/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A CSV that begins with the names of its columns: --metric says which are figures, --factors what was varied. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/csv.h"
#include "core/import/model.h"
#include "core/import/number.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

struct table_import {
	struct import *im;
	size_t source;
	struct csv_record names;
	const struct import_rule **rules; /* of each column; NULL: none */
	const char **factors;		  /* of each column its name as a factor; NULL: none */
	size_t label, elapsed;		  /* columns; SIZE_MAX: none */
};

/* ---- is it one? ---- */

static bool looks_like_name(const char *s)
{
	return isalpha((unsigned char)*s) || *s == '_';
}

/* Names in the first line, as many fields with a number among them in the next. */
bool import_is_csv(const struct import_source *s)
{
	struct csv csv = { s->text, csv_separator(s->text), 1 };
	struct csv_record names, values = { NULL, 0, 0 };
	bool good, number = false;
	double v;

	if (csv_next(&csv, &names, NULL) != 1)
		return false;
	good = names.n >= 2 && csv_next(&csv, &values, NULL) == 1;
	for (size_t i = 0; good && i < names.n; i++)
		good = looks_like_name(names.v[i]);
	if (values.v) {
		for (size_t i = 0; i < values.n; i++)
			number = number || import_number(values.v[i], &v, NULL) == 0;
		good = good && number && values.n == names.n;
		csv_free(&values);
	}
	csv_free(&names);
	return good;
}

/* ---- columns ---- */

static size_t column_find(const struct table_import *t, const char *name)
{
	for (size_t i = 0; i < t->names.n; i++) {
		if (str_eq(t->names.v[i], name))
			return i;
	}
	return SIZE_MAX;
}

static void column_missing(const struct table_import *t, const char *option, const char *name)
{
	const char *near = str_nearest(name, (const char *const *)t->names.v, t->names.n);

	import_find(t->im, IMPORT_REFUSED, t->source, t->names.line,
		    "%s: there is no column \"%s\"%s%s%s", option, name,
		    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* A pattern leaves out what the column's own name says; of two patterns the later holds. */
static int column_rule(struct table_import *t, size_t column, const struct import_rule *rule)
{
	const char *name = t->names.v[column];
	const bool own = str_eq(rule->column, name),
		   had = t->rules[column] && str_eq(t->rules[column]->column, name);
	const char *else_what = t->factors[column]     ? "a factor"
				: column == t->elapsed ? "the time of a row"
						       : NULL;

	if (own && (had || else_what)) {
		import_find(t->im, IMPORT_REFUSED, t->source, t->names.line,
			    "--metric: column \"%s\" is %s already", name,
			    had ? "a figure" : else_what);
		return -EINVAL;
	}
	if (own || (!had && !else_what))
		t->rules[column] = rule;
	return 0;
}

static int columns_rules(struct table_import *t)
{
	const struct import_options *opt = t->im->opt;
	int r = 0;

	for (size_t k = 0; k < opt->n_rules; k++) {
		bool used = false;

		for (size_t i = 0; i < t->names.n; i++) {
			if (fnmatch(opt->rules[k].column, t->names.v[i], 0) == 0) {
				r = column_rule(t, i, &opt->rules[k]) < 0 ? -EINVAL : r;
				used = true;
			}
		}
		if (!used) {
			column_missing(t, "--metric", opt->rules[k].column);
			r = -ENOENT;
		}
	}
	return r;
}

static int columns_factors(struct table_import *t)
{
	char **names = t->im->opt->factors;
	int r = 0;

	for (size_t k = 0; names && names[k]; k++) {
		size_t i = column_find(t, names[k]);

		if (i == SIZE_MAX) {
			column_missing(t, "--factors", names[k]);
			r = -ENOENT;
		} else {
			t->factors[i] = names[k];
		}
	}
	return r;
}

/* Where nothing is said of factors, a column of this name tells the rows apart. */
static size_t column_label(const struct table_import *t)
{
	static const char *const names[] = { "label", "machine", "name", "test", "variant" };
	size_t at = SIZE_MAX;

	for (size_t i = 0; i < ARRAY_SIZE(names) && at == SIZE_MAX; i++)
		at = column_find(t, names[i]);
	return at;
}

static void columns_unused(const struct table_import *t)
{
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < t->names.n; i++) {
		if (!t->rules[i] && !t->factors[i] && i != t->label && i != t->elapsed)
			strbuf_addf(&list, "%s%s", list.len ? ", " : "", t->names.v[i]);
	}
	if (list.len)
		import_find(t->im, IMPORT_NOTE, t->source, t->names.line,
			    "not taken, as neither --metric nor --factors names them: %s",
			    strbuf_str(&list));
}

static int columns_same(const struct table_import *t)
{
	for (size_t i = 0; i < t->names.n; i++) {
		if (column_find(t, t->names.v[i]) != i) {
			import_find(t->im, IMPORT_REFUSED, t->source, t->names.line,
				    "there are two columns \"%s\"", t->names.v[i]);
			return -EEXIST;
		}
	}
	return 0;
}

static int columns_assign(struct table_import *t)
{
	const struct import_options *opt = t->im->opt;
	int r;

	t->rules = xcalloc(t->names.n, sizeof(*t->rules));
	t->factors = xcalloc(t->names.n, sizeof(*t->factors));
	t->label = opt->factors ? SIZE_MAX : column_label(t);
	t->elapsed = opt->elapsed ? column_find(t, opt->elapsed) : SIZE_MAX;
	r = columns_same(t);
	if (r < 0)
		return r;
	if (!opt->n_rules) {
		_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;

		for (size_t i = 0; i < t->names.n; i++)
			strbuf_addf(&list, "%s%s", i ? ", " : "", t->names.v[i]);
		import_find(t->im, IMPORT_REFUSED, t->source, t->names.line,
			    "which columns are figures? --metric 'COLUMN=UNIT:higher' says it; "
			    "there are %s",
			    strbuf_str(&list));
		return -EINVAL;
	}
	if (opt->elapsed && t->elapsed == SIZE_MAX) {
		column_missing(t, "--elapsed", opt->elapsed);
		r = -ENOENT;
	}
	/* All that is wrong at once. */
	if (columns_factors(t) < 0)
		r = -ENOENT;
	if (columns_rules(t) < 0)
		r = -ENOENT;
	if (r < 0)
		return r;
	columns_unused(t);
	return 0;
}

/* ---- rows ---- */

/* "write_kps": figure "kps" of step "write"; without "_" the figure is the step's "value". */
static void column_names(const char *column, char **step, const char **metric)
{
	const char *at = strrchr(column, '_');

	if (!at || at == column || !at[1]) {
		*step = xstrdup(column);
		*metric = "value";
	} else {
		*step = xstrndup(column, (size_t)(at - column));
		*metric = at + 1;
	}
}

static json_t *row_step(struct import_row *row, const char *name)
{
	json_t *step;
	size_t i;

	json_array_foreach(row->steps, i, step)
	{
		if (str_eq(js_get_str(step, "name", ""), name))
			return step;
	}
	return import_step(row, name, "csv", js_object());
}

/* Less than nothing: what is measured in these can be the difference of two. */
static bool may_be_negative(const struct import_rule *rule)
{
	static const char *const units[] = { "ratio", "count" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (str_eq(rule->unit->unit, units[i]))
			return true;
	}
	return false;
}

static int cell_value(const struct import_rule *rule, const char *text, struct import_figure *f,
		      struct err *e)
{
	double v = NAN, factor;
	int r;

	if (!*text)
		return 0;
	if (import_is_censored(text)) {
		f->note = IMPORT_CENSORED;
		return 0;
	}
	r = rule->duration ? import_duration(text, &v, e) : import_number(text, &v, e);
	if (rule->duration) {
		f->value = rint(v * 1e9);
		return r;
	}
	if (r == 0 && v < 0 && !may_be_negative(rule))
		return err_set(e, EINVAL, "\"%.40s\" is below 0", text);
	/* A hundredth is no number of a computer's, a hundred is. */
	factor = rule->unit->factor;
	f->value = factor < 1 ? v / rint(1 / factor) : v * factor;
	return r;
}

static int row_cell(const struct table_import *t, struct import_row *row, size_t column,
		    const char *text, struct err *e)
{
	const struct import_rule *rule = t->rules[column];
	struct import_figure f = { .value = NAN,
				   .at_least = NAN,
				   .unit = rule->unit->unit,
				   .better = rule->better,
				   .primary = rule->primary,
				   .text = *text ? text : NULL };
	_cleanup_free_ char *step = NULL;
	const char *metric;

	f.source_unit = rule->duration ? NULL : rule->unit->name;
	if (cell_value(rule, text, &f, e) < 0) {
		err_prefix(e, "column %zu (%s)", column + 1, t->names.v[column]);
		return -EINVAL;
	}
	column_names(t->names.v[column], &step, &metric);
	import_metric(row, row_step(row, step), metric, &f);
	return 0;
}

/* Where the first column is a factor, that of a summary stands alone: the other factors are empty. */
static bool is_alone(const struct table_import *t, const struct csv_record *r)
{
	for (size_t i = 1; i < r->n && i < t->names.n; i++) {
		if (t->factors[i] && *r->v[i])
			return false;
	}
	return true;
}

/* Of a spreadsheet's own summary below the rows. */
static bool is_summary(const struct table_import *t, const struct csv_record *r)
{
	static const char *const words[] = { "max",    "min",	  "avg",     "med",	"mean",
					     "median", "average", "maximum", "minimum", "sum",
					     "total",  "stddev",  "stdev",   "sd" };
	bool one = t->factors[0] != NULL;

	for (size_t i = 1; one && i < t->names.n; i++)
		one = !t->factors[i];
	/* A single factor may have a level that is called so. */
	if (one || !is_alone(t, r))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasecmp(r->v[0], words[i]) == 0)
			return true;
	}
	return false;
}

static int row_cells(const struct table_import *t, struct import_row *row,
		     const struct csv_record *r, struct err *e)
{
	for (size_t i = 0; i < r->n; i++) {
		if (t->factors[i])
			js_set(row->cells, t->factors[i], js_str(r->v[i]));
		if (t->rules[i] && row_cell(t, row, i, r->v[i], e) < 0)
			return -EINVAL;
		if (i == t->elapsed && *r->v[i] &&
		    import_duration(r->v[i], &row->elapsed_s, e) < 0) {
			err_prefix(e, "column %zu (%s)", i + 1, t->names.v[i]);
			return -EINVAL;
		}
	}
	return 0;
}

static void row_add(const struct table_import *t, const struct csv_record *r)
{
	struct import *im = t->im;
	struct import_row *row;
	struct err e = { 0 };

	if (is_summary(t, r)) {
		import_find(im, IMPORT_NOTE, t->source, r->line,
			    "%s: a summary of the rows above, not taken", r->v[0]);
		return;
	}
	if (r->n != t->names.n) {
		import_find(im, IMPORT_REFUSED, t->source, r->line,
			    "%zu field%s, where the header in line %u names %zu", r->n,
			    r->n == 1 ? "" : "s", t->names.line, t->names.n);
		return;
	}
	row = import_row(im, t->source, r->line, t->label == SIZE_MAX ? "" : r->v[t->label]);
	row->cells = t->label == SIZE_MAX ? js_object() : NULL;
	if (row_cells(t, row, r, &e) < 0) {
		import_find(im, IMPORT_REFUSED, t->source, r->line, "%s", e.text);
		import_free_row(row);
		im->rows.n--;
		im->sources.v[t->source].rows--;
	}
}

void import_read_csv(struct import *im, size_t source)
{
	struct import_source *s = &im->sources.v[source];
	struct csv csv = { s->text, csv_separator(s->text), 1 };
	struct table_import t = { .im = im, .source = source };
	struct csv_record record;
	struct err e = { 0 };
	int r = csv_next(&csv, &t.names, &e);

	s->format = "csv";
	import_say_tool(s, "csv", NULL);
	if (r == 1 && columns_assign(&t) == 0) {
		while ((r = csv_next(&csv, &record, &e)) == 1) {
			row_add(&t, &record);
			csv_free(&record);
		}
	}
	if (r < 0)
		import_find(im, IMPORT_REFUSED, source, csv.line, "%s", e.text);
	csv_free(&t.names);
	free(t.rules);
	free(t.factors);
}
