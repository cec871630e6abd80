/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From files to a result document. */
#include "core/import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/model.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/sha256.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define IMPORT_MAX ((size_t)1 << 30) /* of a file */

const char *const import_format_names[] = { "auto", "bonnie", "fio", "csv", NULL };

static const struct {
	bool (*is)(const struct import_source *s);
	void (*read)(struct import *im, size_t source);
} formats[] = {
	[IMPORT_BONNIE] = { import_is_bonnie, import_read_bonnie },
	[IMPORT_FIO] = { import_is_fio, import_read_fio },
	[IMPORT_CSV] = { import_is_csv, import_read_csv },
};

/* ---- --metric ---- */

static int rule_direction(const char *word, struct import_rule *rule, struct err *e)
{
	static const char *const directions[] = { "higher", "lower", "neutral" };

	if (str_eq(word, "secondary")) {
		rule->primary = false;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		if (str_eq(word, directions[i])) {
			rule->better = directions[i];
			rule->primary = !str_eq(word, "neutral");
			return 0;
		}
	}
	return err_set(e, EINVAL, "\"%s\" is none of higher, lower, neutral, secondary", word);
}

/* "time": cells such as 12:40.55. */
#define RULE_TIME "time"

static const char *rule_better(const struct units_named *unit)
{
	if (str_ends(unit->unit, "/s"))
		return "higher";
	return str_eq(unit->unit, "ns") ? "lower" : "neutral";
}

static int rule_unit(const char *name, struct import_rule *rule, struct err *e)
{
	_cleanup_strbuf_ struct strbuf known = STRBUF_INIT;

	rule->duration = str_eq(name, RULE_TIME);
	rule->unit = units_named_find(rule->duration ? "ns" : name);
	if (rule->unit) {
		rule->better = rule_better(rule->unit);
		rule->primary = !str_eq(rule->better, "neutral");
		return 0;
	}
	for (size_t i = 0; units_named_at(i); i++)
		strbuf_addf(&known, ", %s", units_named_at(i)->name);
	return err_set(e, EINVAL, "unit \"%s\" is none of " RULE_TIME "%s", name,
		       strbuf_str(&known));
}

int import_parse_rule(const char *text, struct import_rule *rule, struct err *e)
{
	const char *equals = strrchr(text, '=');
	char **words;
	int r;

	*rule = (struct import_rule){ .column = NULL };
	if (!equals || equals == text)
		return err_set(e, EINVAL, "write COLUMN=UNIT:higher, as in write_kps=KiB/s:higher");
	words = str_split(equals + 1, ":", NULL);
	r = rule_unit(words[0] ? words[0] : "", rule, e);
	for (size_t i = 1; r == 0 && words[i]; i++)
		r = rule_direction(words[i], rule, e);
	str_freev(words);
	if (r == 0)
		rule->column = xstrndup(text, (size_t)(equals - text));
	return r;
}

void import_free_rule(struct import_rule *rule)
{
	free(rule->column);
}

/* ---- files ---- */

/* What looks like text is text; what does not is refused before anything reads it. */
static int source_check(struct import *im, size_t source)
{
	struct import_source *s = &im->sources.v[source];
	const char *nul = memchr(s->text, '\0', s->len);

	if (str_starts(s->text, "\xff\xfe") || str_starts(s->text, "\xfe\xff")) {
		import_find(im, IMPORT_REFUSED, source, 0, "this is UTF-16: save it as UTF-8 text");
		return -EINVAL;
	}
	if (nul) {
		size_t offset = (size_t)(nul - s->text);

		import_find(im, IMPORT_REFUSED, source, import_line_of(s->text, offset),
			    "a NUL byte at offset %zu: this is no text", offset);
		return -EINVAL;
	}
	if (str_starts(s->text, "\xef\xbb\xbf")) {
		s->len -= 3;
		memmove(s->text, s->text + 3, s->len + 1);
	}
	if (!s->text[strspn(s->text, " \t\r\n")]) {
		import_find(im, IMPORT_REFUSED, source, 0, "the file is empty");
		return -EINVAL;
	}
	return 0;
}

static int source_open(struct import *im, const char *path)
{
	struct import_source s = { .path = path, .tools = js_array() };
	struct err e = { 0 };
	int r = file_read(path, IMPORT_MAX, &s.text, &s.len, &e);

	if (r == 0)
		sha256_hex(s.text, s.len, s.sha256);
	vec_push(&im->sources, s);
	if (r < 0) {
		struct import_finding f = { IMPORT_REFUSED, im->sources.n - 1, 0, xstrdup(e.text) };

		vec_push(&im->findings, f);
		im->counts.refused++;
		return r;
	}
	return source_check(im, im->sources.n - 1);
}

static void source_read(struct import *im, size_t source)
{
	enum import_format format = im->opt->from;
	size_t before = im->counts.refused, rows = im->rows.n;

	/* Whoever says which columns are figures says that there are columns. */
	if (format == IMPORT_AUTO && im->opt->n_rules)
		format = IMPORT_CSV;
	for (size_t i = IMPORT_BONNIE; format == IMPORT_AUTO && i < ARRAY_SIZE(formats); i++) {
		if (formats[i].is(&im->sources.v[source]))
			format = (enum import_format)i;
	}
	if (format == IMPORT_AUTO) {
		import_find(im, IMPORT_REFUSED, source, 0,
			    "neither rows or tables of bonnie, nor JSON of fio, nor a CSV that "
			    "begins with names of columns; "
			    "--from says which it is");
		return;
	}
	formats[format].read(im, source);
	if (im->rows.n == rows && im->counts.refused == before)
		import_find(im, IMPORT_REFUSED, source, 0, "there are no figures in it");
}

static void import_count(struct import *im)
{
	struct import_counts *c = &im->counts;

	c->rows = im->rows.n;
	for (size_t i = 0; i < im->rows.n; i++) {
		const struct import_row *row = &im->rows.v[i];

		c->plain += row->shape == IMPORT_PLAIN;
		c->joined += row->shape == IMPORT_JOINED;
		c->damaged += row->shape == IMPORT_DAMAGED;
		c->copies += row->copy_of != SIZE_MAX;
	}
}

/* By file and line; what was found first of a line stays first. */
static int finding_order(const void *x, const void *y)
{
	const struct import_finding *a = x, *b = y;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Insertion sort: stable, and nearly in order as it is. */
static void import_sort(struct import *im)
{
	for (size_t i = 1; i < im->findings.n; i++) {
		struct import_finding f = im->findings.v[i];
		size_t k = i;

		for (; k && finding_order(&im->findings.v[k - 1], &f) > 0; k--)
			im->findings.v[k] = im->findings.v[k - 1];
		im->findings.v[k] = f;
	}
}

static void import_free(struct import *im)
{
	for (size_t i = 0; i < im->sources.n; i++) {
		free(im->sources.v[i].text);
		json_decref(im->sources.v[i].tools);
	}
	for (size_t i = 0; i < im->rows.n; i++)
		import_free_row(&im->rows.v[i]);
	vec_free(&im->sources);
	vec_free(&im->rows);
	json_decref(im->constants);
}

void import_files(const char *const *paths, size_t n, const struct import_options *opt,
		  json_t **doc, struct import_report *report)
{
	struct import im = { .opt = opt, .constants = js_object() };

	*doc = NULL;
	for (size_t i = 0; i < n; i++) {
		if (source_open(&im, paths[i]) == 0)
			source_read(&im, i);
	}
	if (im.rows.n)
		import_set_values(&im);
	import_find_copies(&im);
	if (opt->check_elapsed)
		import_check_elapsed(&im);
	import_count(&im);
	import_sort(&im);
	if (im.rows.n)
		*doc = import_document(&im);
	*report = (struct import_report){ im.findings.v, im.findings.n, im.counts };
	import_free(&im);
}

void import_release(struct import_report *report)
{
	for (size_t i = 0; i < report->n; i++)
		free(report->findings[i].text);
	free(report->findings);
	*report = (struct import_report){ 0 };
}
