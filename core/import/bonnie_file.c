/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file with rows and tables of bonnie, among other text perhaps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/import/bonnie.h"
#include "core/import/number.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

bool import_is_bonnie(const struct import_source *s)
{
	struct import trial = { 0 };
	struct import_lines lines;
	bool found = strstr(s->text, "%CP") && strstr(s->text, "/sec");

	/* Somebody else's columns may look like a row. */
	if (!found && import_is_csv(s) && !str_starts(s->text, "name,file_size,") &&
	    !str_starts(s->text, "format_version,bonnie_version,"))
		return false;
	import_split_lines(s, &lines);
	if (!found) {
		struct import_source copy = *s;

		/* Whether a line is a row is asked by taking it, into nothing. */
		copy.tools = js_array();
		vec_push(&trial.sources, copy);
		for (size_t i = 0; i < lines.n && !found; i++)
			found = bonnie_csv_lines(&trial, 0, &lines, i);
		json_decref(copy.tools);
		for (size_t i = 0; i < trial.rows.n; i++)
			import_free_row(&trial.rows.v[i]);
		for (size_t i = 0; i < trial.findings.n; i++)
			free(trial.findings.v[i].text);
		vec_free(&trial.sources);
		vec_free(&trial.rows);
		vec_free(&trial.findings);
	}
	import_free_lines(&lines);
	return found;
}

/* ---- how long a row took ---- */

/* "12:40.55elapsed 91%CPU", "real 12m40.55s": behind the row that it is of. */
static bool line_elapsed(struct import *im, const char *line, size_t first_row)
{
	const char *at = line + strspn(line, " \t");
	double seconds;
	bool time = strstr(at, "elapsed");

	if (str_starts(at, "real") && (at[4] == ' ' || at[4] == '\t')) {
		at += 5;
		time = true;
	} else if (time) {
		/* "1.02user 3.4system 0:40.10elapsed 91%CPU" */
		at = strstr(at, "elapsed");
		while (at > line && !strchr(" \t", at[-1]))
			at--;
		/* "34:28.51 elapsed" */
		if (at == strstr(line, "elapsed")) {
			while (at > line && strchr(" \t", at[-1]))
				at--;
			while (at > line && !strchr(" \t", at[-1]))
				at--;
		}
	}
	if (!time || im->rows.n == first_row || import_duration(at, &seconds, NULL) < 0)
		return false;
	im->rows.v[im->rows.n - 1].elapsed_s = seconds;
	return true;
}

/* "2011-05-01 12:00:00" or seconds since 1970, with what date(1) may put behind. NAN: neither. */
static double clock_time(const char *text)
{
	static const char *const formats[] = { "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
					       "%a %b %d %H:%M:%S" };
	size_t digits = strspn(text, "0123456789");
	double s;

	if (digits >= 9 && !text[digits] && import_number(text, &s, NULL) == 0)
		return s;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		/* Without a year any one serves: only the difference counts. */
		struct tm tm = { .tm_year = 100 };

		if (strptime(text, formats[i], &tm))
			return (double)timegm(&tm);
	}
	return NAN;
}

/* "start: TIME" and "end: TIME" around a row. */
static bool line_clock(struct import *im, const char *line, size_t first_row, double *start,
		       size_t *start_row)
{
	static const char *const starts[] = { "start", "begin" }, *const ends[] = { "end", "finish",
										    "stop" };
	const char *text = line + strcspn(line, " \t:=");
	double t;
	bool begins = false, finishes = false;

	text += strspn(text, " \t:=");
	t = clock_time(text);
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		begins = begins || strncasecmp(line, starts[i], strlen(starts[i])) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		finishes = finishes || strncasecmp(line, ends[i], strlen(ends[i])) == 0;
	if (isnan(t) || (!begins && !finishes))
		return false;
	if (begins) {
		*start = t;
		*start_row = im->rows.n;
	} else if (!isnan(*start) && im->rows.n == *start_row + 1 && im->rows.n > first_row) {
		im->rows.v[im->rows.n - 1].elapsed_s = t >= *start ? t - *start : NAN;
		*start = NAN;
	}
	return true;
}

/* ---- averages that may hold what is none ---- */

static json_t *phase_of(const struct import_row *row, const char *phase)
{
	json_t *step;
	size_t i;

	json_array_foreach(row->steps, i, step)
	{
		if (str_eq(js_get_str(step, "name", ""), phase))
			return step;
	}
	return NULL;
}

static json_t *phase_source(const struct import_row *row, int phase)
{
	const json_t *step = phase_of(row, bonnie_phases[phase].step);

	return json_object_get(json_object_get(json_object_get(step, "metrics"),
					       bonnie_phases[phase].metric),
			       "source");
}

/* Was the phase too fast for a rate in some row, so that it may have been in some run of an average? */
static bool phase_censored(const struct import *im, size_t first_row, int phase)
{
	for (size_t i = first_row; i < im->rows.n; i++) {
		const char *note = js_get_str(phase_source(&im->rows.v[i], phase), "note", "");

		if (str_eq(note, IMPORT_CENSORED) || str_eq(note, IMPORT_AVERAGED))
			return true;
	}
	return false;
}

static void say_biased(struct import *im, struct import_row *row, const bool *fast)
{
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;

	for (int p = 0; p < BONNIE_PHASES; p++) {
		json_t *source = phase_source(row, p);

		if (!fast[p] || !source || !json_is_null(json_object_get(source, "note")))
			continue;
		js_set(source, "note", js_str(IMPORT_BIASED));
		import_step_warn(phase_of(row, bonnie_phases[p].step),
				 "an average, in a phase that was too fast for a rate (\"+++++\") "
				 "elsewhere in this file: it may "
				 "hold such runs as zeros and be too low");
		strbuf_addf(&list, "%s%s", list.len ? ", " : "", bonnie_phases[p].step);
	}
	if (list.len)
		import_find(im, IMPORT_WARNING, row->source, row->line,
			    "%s: averages that may hold \"+++++\" as zero, as other rows have it "
			    "there; they may be too low",
			    strbuf_str(&list));
}

static void find_biased(struct import *im, size_t first_row)
{
	bool fast[BONNIE_PHASES];

	for (int p = 0; p < BONNIE_PHASES; p++)
		fast[p] = phase_censored(im, first_row, p);
	for (size_t i = first_row; i < im->rows.n; i++) {
		if (im->rows.v[i].averaged)
			say_biased(im, &im->rows.v[i], fast);
	}
}

/* ---- the file ---- */

/* A table is followed by the same run's row, with more digits: the row it is. */
static void row_for_table(struct import *im, size_t source, struct bonnie_table *t,
			  const char *line)
{
	size_t n = t->label ? strlen(t->label) : 0;
	const char *name = line;

	if (!t->label)
		return;
	if (str_starts(line, "1.9")) {
		for (int i = 0; i < 2 && name; i++)
			name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL;
	}
	/* Names are cut in tables. */
	if (name && n && strncmp(name, t->label, n) == 0) {
		import_find(im, IMPORT_NOTE, source, t->line,
			    "the table's run is in the row of CSV below too, which is taken");
		free(t->label);
		t->label = NULL;
	}
	bonnie_table_end(im, source, t);
}

static bool is_comment(const char *line)
{
	const char *at = line + strspn(line, " \t");

	return !*at || *at == '#' || *at == '(';
}

void import_read_bonnie(struct import *im, size_t source)
{
	struct bonnie_table table = { .row = BONNIE_ROW_INIT };
	struct import_lines lines;
	size_t first_row = im->rows.n, other = 0, first_other = 0, start_row = 0;
	double start = NAN;

	im->sources.v[source].format = "bonnie";
	import_split_lines(&im->sources.v[source], &lines);
	for (size_t i = 0; i < lines.n;) {
		size_t rows = im->rows.n, taken = bonnie_csv_lines(im, source, &lines, i);

		if (taken && table.label && im->rows.n > rows) {
			struct import_row row = im->rows.v[--im->rows.n];

			/* The table's row comes first, if it stays at all. */
			row_for_table(im, source, &table, lines.v[i]);
			vec_push(&im->rows, row);
		}
		if (!taken && !is_comment(lines.v[i]) &&
		    !bonnie_table_line(im, source, &table, lines.v[i], (unsigned)i + 1) &&
		    !line_elapsed(im, lines.v[i], first_row) &&
		    !line_clock(im, lines.v[i], first_row, &start, &start_row)) {
			first_other = other ? first_other : i + 1;
			other++;
		}
		i += taken ? taken : 1;
	}
	bonnie_table_end(im, source, &table);
	import_free_lines(&lines);
	if (other)
		import_find(im, IMPORT_NOTE, source, (unsigned)first_other,
			    "%zu line%s of other text not taken, this the first", other,
			    other == 1 ? "" : "s");
	find_biased(im, first_row);
}
