/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was varied: from columns that are named, from the rows' labels, or from options that differ. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/model.h"
#include "core/import/options.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define FACTOR_LABEL "machine"
#define LABEL_SEPARATORS "-_,;:+ \t"

/* A whole number as such, so that "2" of a table is the 2 of a job. */
static json_t *level_json(const char *text)
{
	int64_t number;
	char again[32];

	if (units_parse_i64(text, &number, NULL) < 0)
		return js_str(text);
	snprintf(again, sizeof(again), "%lld", (long long)number);
	return str_eq(text, again) ? json_integer(number) : js_str(text);
}

/* ---- labels such as "agcount=4;bs=1MiB" ---- */

/* %2C and so on, as show --format bonnie writes what would break a row. */
static char *unescape(const char *s)
{
	struct strbuf out = STRBUF_INIT;

	for (; *s; s++) {
		if (*s == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2])) {
			const char hex[] = { s[1], s[2], '\0' };

			strbuf_addch(&out, (char)strtol(hex, NULL, 16));
			s += 2;
		} else {
			strbuf_addch(&out, *s);
		}
	}
	return strbuf_steal(&out);
}

/* The pairs as an object; NULL unless the label is nothing but pairs. */
static json_t *label_pairs(const char *label)
{
	char **parts = str_split(label, ",; \t", NULL);
	json_t *out = js_object();

	for (size_t i = 0; out && parts[i]; i++) {
		char *equals = strchr(parts[i], '=');
		_cleanup_free_ char *name = NULL, *value = NULL;

		if (!equals || equals == parts[i] || !equals[1]) {
			json_decref(out);
			out = NULL;
			break;
		}
		*equals = '\0';
		name = unescape(parts[i]);
		value = unescape(equals + 1);
		js_set(out, name, level_json(value));
	}
	str_freev(parts);
	if (out && !json_object_size(out)) {
		json_decref(out);
		out = NULL;
	}
	return out;
}

static bool same_names(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *v;

	if (json_object_size(a) != json_object_size(b))
		return false;
	json_object_foreach((json_t *)a, key, v)
	{
		if (!json_object_get(b, key))
			return false;
	}
	return true;
}

/* false, and nothing is changed: not all labels are pairs of the same names. */
static bool values_by_pairs(struct import *im)
{
	bool good = true;

	for (size_t i = 0; good && i < im->rows.n; i++) {
		json_t *pairs = im->rows.v[i].cells ? NULL : label_pairs(im->rows.v[i].label);

		good = pairs && (i == 0 || same_names(im->rows.v[0].values, pairs));
		im->rows.v[i].values = pairs;
	}
	for (size_t i = 0; !good && i < im->rows.n; i++) {
		json_decref(im->rows.v[i].values);
		im->rows.v[i].values = NULL;
	}
	return good;
}

/* ---- labels by --label-regex or in as many parts as there are factors ---- */

static size_t factor_count(const struct import *im)
{
	size_t n = 0;

	while (im->opt->factors && im->opt->factors[n])
		n++;
	return n;
}

/* Factors of a regular expression that are not named: by their number. */
static char *factor_name(const struct import *im, size_t i)
{
	return i < factor_count(im) ? xstrdup(im->opt->factors[i]) : xasprintf("group%zu", i + 1);
}

static json_t *label_regex(const struct import *im, const char *label)
{
	const regex_t *re = im->opt->label_regex;
	_cleanup_free_ regmatch_t *m = xcalloc(re->re_nsub + 1, sizeof(*m));
	json_t *out;

	if (regexec(re, label, re->re_nsub + 1, m, 0) != 0)
		return NULL;
	out = js_object();
	for (size_t i = 1; i <= re->re_nsub; i++) {
		_cleanup_free_ char *name = factor_name(im, i - 1);
		_cleanup_free_ char *text = m[i].rm_so < 0
						    ? xstrdup("-")
						    : xstrndup(label + m[i].rm_so,
							       (size_t)(m[i].rm_eo - m[i].rm_so));

		js_set(out, name, level_json(text));
	}
	return out;
}

static json_t *label_parts(const struct import *im, const char *label)
{
	size_t n;
	char **parts = str_split(label, LABEL_SEPARATORS, &n);
	json_t *out = n == factor_count(im) ? js_object() : NULL;

	for (size_t i = 0; out && i < n; i++)
		js_set(out, im->opt->factors[i], level_json(parts[i]));
	str_freev(parts);
	return out;
}

static json_t *label_chosen(const struct import *im, const char *label)
{
	json_t *pairs = label_pairs(label), *out = js_object();

	for (size_t i = 0; pairs && out && i < factor_count(im); i++) {
		json_t *v = json_object_get(pairs, im->opt->factors[i]);

		if (v) {
			js_set(out, im->opt->factors[i], json_incref(v));
		} else {
			json_decref(out);
			out = NULL;
		}
	}
	if (!pairs) {
		json_decref(out);
		out = NULL;
	}
	json_decref(pairs);
	return out ? out : label_parts(im, label);
}

/* What is asked for and is not in the label leaves the row with its whole label. */
static void values_by_label(struct import *im, struct import_row *row)
{
	const char *label = row->label;

	row->values = im->opt->label_regex ? label_regex(im, label) : label_chosen(im, label);
	if (row->values)
		return;
	import_find(im, IMPORT_REFUSED, row->source, row->line, "%s: \"%s\" is not made of %s",
		    im->opt->label_regex ? "--label-regex" : "--factors", label,
		    im->opt->label_regex ? "what the expression says"
					 : "as many parts, nor of NAME=VALUE with these names");
}

/* ---- all ---- */

static void values_whole_label(struct import *im)
{
	bool several = false;

	for (size_t i = 1; i < im->rows.n; i++)
		several = several || !str_eq(im->rows.v[0].label, im->rows.v[i].label);
	for (size_t i = 0; i < im->rows.n; i++) {
		struct import_row *row = &im->rows.v[i];

		row->values = js_object();
		if (several)
			js_set(row->values, FACTOR_LABEL, level_json(row->label));
	}
}

/* Options of fio: those that are asked for, else those that are not alike in all files. */
static bool is_factor(const struct import *im, const char *name)
{
	const char *first = js_get_str(im->rows.v[0].cells, name, NULL);
	char **asked = im->opt->factors;

	for (size_t i = 0; asked && asked[i]; i++) {
		if (str_eq(asked[i], name))
			return true;
	}
	for (size_t i = 1; !asked && i < im->rows.n; i++) {
		if (!str_eq(js_get_str(im->rows.v[i].cells, name, NULL), first))
			return true;
	}
	return false;
}

static void keep_differing_options(struct import *im)
{
	_cleanup_json_ json_t *all = js_object();
	const char *key;
	json_t *v;

	for (size_t i = 0; i < im->rows.n; i++)
		json_object_update_missing(all, im->rows.v[i].cells);
	for (size_t i = 0; i < im->rows.n; i++) {
		struct import_row *row = &im->rows.v[i];
		json_t *kept = js_object();

		json_object_foreach(all, key, v)
		{
			if (is_factor(im, key))
				js_set(kept, key, js_str(js_get_str(row->cells, key, "default")));
		}
		row->values = kept;
	}
	for (size_t i = 0; i < im->rows.n; i++) {
		json_decref(im->rows.v[i].cells);
		im->rows.v[i].cells = im->rows.v[i].values;
		im->rows.v[i].values = NULL;
	}
}

static void values_by_cells(struct import *im)
{
	if (!im->rows.n)
		return;
	if (!str_eq(im->sources.v[im->rows.v[0].source].format, "csv"))
		keep_differing_options(im);
	else if (!im->opt->whole)
		import_split_options(im);
	for (size_t i = 0; i < im->rows.n; i++) {
		struct import_row *row = &im->rows.v[i];
		const char *key;
		json_t *v;

		row->values = js_object();
		json_object_foreach(row->cells, key, v)
		{
			js_set(row->values, key, level_json(json_string_value(v)));
		}
	}
}

/* false: they are not as many as the rows. */
static bool use_labels(struct import *im)
{
	size_t n = 0;

	while (im->opt->labels[n])
		n++;
	if (n != im->rows.n) {
		import_find(im, IMPORT_REFUSED, 0, 0, "--labels: %zu labels for %zu rows", n,
			    im->rows.n);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		free(im->rows.v[i].label);
		im->rows.v[i].label = xstrdup(im->opt->labels[i]);
		json_decref(im->rows.v[i].cells);
		im->rows.v[i].cells = NULL;
	}
	return true;
}

static void drop_without_values(struct import *im)
{
	size_t n = 0;

	for (size_t i = 0; i < im->rows.n; i++) {
		if (im->rows.v[i].values)
			im->rows.v[n++] = im->rows.v[i];
		else
			import_free_row(&im->rows.v[i]);
	}
	im->rows.n = n;
}

void import_set_values(struct import *im)
{
	bool cells = true;

	if (im->opt->labels && !use_labels(im)) {
		drop_without_values(im);
		return;
	}
	for (size_t i = 0; i < im->rows.n; i++)
		cells = cells && im->rows.v[i].cells;
	if (im->opt->label_regex || (im->opt->factors && !cells)) {
		for (size_t i = 0; i < im->rows.n; i++)
			values_by_label(im, &im->rows.v[i]);
		drop_without_values(im);
	} else if (cells) {
		values_by_cells(im);
	} else if (!values_by_pairs(im)) {
		values_whole_label(im);
	}
}
