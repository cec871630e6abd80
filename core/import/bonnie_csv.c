/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that bonnie++ wrote for machines, and what copying them by hand did to them. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/bonnie.h"
#include "core/import/bonnie_fields.h"
#include "core/import/csv.h"
#include "core/import/number.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* Percent, by which a rate is told from a CPU: of one process, and of however many there may be. */
#define CPU_ONE 110
#define CPU_MAX 6400

bool bonnie_is_size(const char *s)
{
	double bytes, chunk;

	return bonnie_parse_size(s, &bytes, &chunk);
}

bool bonnie_is_files(const char *s)
{
	struct bonnie_files f;

	return bonnie_parse_files(s, &f);
}

static bool is_cpu(const char *s, double most)
{
	double v;

	if (!*s || import_is_censored(s) || str_eq(s, "++"))
		return true;
	return import_number(s, &v, NULL) == 0 && v >= 0 && v <= most;
}

/* ---- 1.0x ---- */

static bool censored_alike(const char *rate, const char *cpu)
{
	return !*rate || !*cpu || (*rate == '+') == (*cpu == '+');
}

static bool pairs_good(char **v, size_t n, double most)
{
	for (size_t i = 0; i + 1 < n; i += 2) {
		if (!bonnie_is_rate(v[i]) || !is_cpu(v[i + 1], most) ||
		    !censored_alike(v[i], v[i + 1]))
			return false;
	}
	return true;
}

enum { PAIRS_NONE = -1, PAIRS_SEVERAL = -2 };

/* The one pair of six that has run together, if CPUs are at most so large. */
static int pairs_run_together(char **v, double most)
{
	int found = PAIRS_NONE;

	for (size_t k = 0; k < BONNIE_IO_PHASES; k++) {
		if (!bonnie_is_rate(v[2 * k]) || *v[2 * k] == '+' || !pairs_good(v, 2 * k, most) ||
		    !pairs_good(v + 2 * k + 1, 2 * (BONNIE_IO_PHASES - 1 - k), most))
			continue;
		if (found != PAIRS_NONE)
			return PAIRS_SEVERAL;
		found = (int)k;
	}
	return found;
}

/*
 * Of 11 fields for six pairs, the one that two have run together in. Negative: none, or more than one
 * way to read it.
 */
static int pairs_damaged(char **v)
{
	int found = pairs_run_together(v, CPU_ONE);

	return found == PAIRS_NONE ? pairs_run_together(v, CPU_MAX) : found;
}

void bonnie_pairs_take(struct bonnie_row *b, char **v, int first, int damaged)
{
	for (int i = 0; i < BONNIE_IO_PHASES; i++) {
		b->rate[first + i] = *v++;
		b->cpu[first + i] = i == damaged ? "" : *v++;
	}
	if (damaged >= 0)
		b->damaged = first + damaged;
}

/* 27 fields, or 26 with two run together. false: they are not what bonnie++ writes. */
static bool plain_take(char **v, size_t n, struct bonnie_row *b)
{
	char **io = v + BONNIE_AT_IO;
	int damaged = -1;

	b->kind = BONNIE_KIND_10;
	b->size = v[BONNIE_AT_SIZE];
	if (n == BONNIE_FIELDS) {
		b->files = v[BONNIE_AT_FILES];
		bonnie_pairs_take(b, io, 0, -1);
		bonnie_pairs_take(b, v + BONNIE_AT_META, BONNIE_IO_PHASES, -1);
		return true;
	}
	if (!*v[BONNIE_AT_FILES] ||
	    (strpbrk(v[BONNIE_AT_FILES], ":/") && bonnie_is_files(v[BONNIE_AT_FILES]))) {
		b->files = v[BONNIE_AT_FILES];
		damaged = pairs_damaged(v + BONNIE_AT_META);
		bonnie_pairs_take(b, io, 0, -1);
		bonnie_pairs_take(b, v + BONNIE_AT_META, BONNIE_IO_PHASES, damaged);
	} else if (bonnie_is_files(v[BONNIE_AT_FILES - 1]) || !*v[BONNIE_AT_FILES - 1]) {
		b->files = v[BONNIE_AT_FILES - 1];
		damaged = pairs_damaged(io);
		bonnie_pairs_take(b, io, 0, damaged);
		bonnie_pairs_take(b, v + BONNIE_AT_META - 1, BONNIE_IO_PHASES, -1);
	}
	return damaged >= 0;
}

void bonnie_refuse_count(struct import *im, size_t source, unsigned line, size_t n,
			 const char *kind, size_t fields)
{
	import_find(im, IMPORT_REFUSED, source, line, "%zu field%s, where bonnie++ %s has %zu", n,
		    n == 1 ? "" : "s", kind, fields);
}

void bonnie_refuse_rows(struct import *im, size_t source, unsigned line, size_t n, const char *kind,
			size_t fields)
{
	import_find(im, IMPORT_REFUSED, source, line,
		    "%zu fields, where bonnie++ %s has %zu: figures stand before the machine's "
		    "name, as "
		    "where two rows have run together",
		    n, kind, fields);
}

static void say_damaged(struct import *im, struct import_row *row, const struct bonnie_row *b)
{
	const char *step = bonnie_phases[b->damaged].step;

	import_warn(im, row,
		    "%d fields, where bonnie++ %s has %d: rate and CPU of %s have run together in "
		    "\"%s\", so that it has no "
		    "figure; the others stand as they are",
		    BONNIE_FIELDS - 1, b->kind, BONNIE_FIELDS, step, b->rate[b->damaged]);
}

static void plain_add(struct import *im, size_t source, unsigned line, char **v, size_t n,
		      enum import_shape shape)
{
	struct bonnie_row b = BONNIE_ROW_INIT;
	struct import_row *row;

	if (n != BONNIE_FIELDS && n != BONNIE_FIELDS - 1) {
		bonnie_refuse_count(im, source, line, n, BONNIE_KIND_10, BONNIE_FIELDS);
		return;
	}
	if (!plain_take(v, n, &b)) {
		import_find(im, IMPORT_REFUSED, source, line,
			    "%zu fields, where bonnie++ %s has %d, and which are wrong is not to "
			    "be seen",
			    n, BONNIE_KIND_10, BONNIE_FIELDS);
		return;
	}
	row = bonnie_add(im, source, line, v[0], &b);
	if (!row)
		return;
	row->shape = shape;
	if (b.damaged >= 0) {
		row->shape = IMPORT_DAMAGED;
		say_damaged(im, row, &b);
	}
}

/* The machine's name has separators in it: first fields of all that are one too many become one. */
char *bonnie_join_name(char **v, size_t first, size_t extra)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i <= extra; i++)
		strbuf_addf(&out, "%s%s", i ? "," : "", v[first + i]);
	return strbuf_steal(&out);
}

static bool is_figure(const char *s)
{
	double v;

	return import_is_censored(s) || import_number(s, &v, NULL) == 0;
}

bool bonnie_is_no_name(char **v, size_t first, size_t extra)
{
	size_t figures = 0;

	for (size_t i = first; i <= first + extra && figures < BONNIE_NO_NAME; i++)
		figures = is_figure(v[i]) ? figures + 1 : 0;
	return figures >= BONNIE_NO_NAME;
}

void bonnie_say_name(struct import *im, size_t source, unsigned line, const char *name, size_t n,
		     const char *kind, size_t fields)
{
	import_find(im, IMPORT_WARNING, source, line,
		    "%zu fields, where bonnie++ %s has %zu: the name \"%s\" has a comma in it, "
		    "without quotes",
		    n, kind, fields, name);
}

/* More than 27: how long it took behind the last, or a name with commas. false: neither. */
static bool plain_longer(struct import *im, size_t source, unsigned line, char **v, size_t n)
{
	size_t extra = n - BONNIE_FIELDS;
	size_t rows = im->rows.n;
	double seconds;
	char *name, *kept;

	if (bonnie_is_size(v[1]) && bonnie_is_files(v[BONNIE_AT_FILES]) && extra == 1 &&
	    import_duration(v[n - 1], &seconds, NULL) == 0) {
		plain_add(im, source, line, v, BONNIE_FIELDS, IMPORT_PLAIN);
		if (im->rows.n > rows)
			im->rows.v[rows].elapsed_s = seconds;
		return true;
	}
	if (!bonnie_is_size(v[1 + extra]) ||
	    !(bonnie_is_files(v[BONNIE_AT_FILES + extra]) || !*v[BONNIE_AT_FILES + extra]))
		return false;
	if (bonnie_is_no_name(v, 0, extra)) {
		bonnie_refuse_rows(im, source, line, n, BONNIE_KIND_10, BONNIE_FIELDS);
		return true;
	}
	name = bonnie_join_name(v, 0, extra);
	bonnie_say_name(im, source, line, name, n, BONNIE_KIND_10, BONNIE_FIELDS);
	kept = v[extra];
	v[extra] = name;
	plain_add(im, source, line, v + extra, BONNIE_FIELDS, IMPORT_PLAIN);
	v[extra] = kept;
	free(name);
	return true;
}

/* ---- lines ---- */

static char **split_row(const char *line, size_t *n)
{
	struct csv csv = { line, ',', 1 };
	struct csv_record record;

	*n = 0;
	if (csv_next(&csv, &record, NULL) != 1)
		return NULL;
	*n = record.n;
	return record.v;
}

static void free_row(char **v, size_t n)
{
	struct csv_record record = { v, n, 0 };

	csv_free(&record);
}

/* Where a row goes on in the next line, the comma at the break lost, and has all its fields then. */
static char *joined_line(const struct import_lines *lines, size_t at, size_t n, size_t fields)
{
	const char *next = at + 1 < lines->n ? lines->v[at + 1] : "";
	size_t blanks = strspn(next, " \t"), len = strlen(lines->v[at]), more;
	char *joined, **v;

	if (n + 1 >= fields || !blanks ||
	    !(isdigit((unsigned char)next[blanks]) || next[blanks] == '+'))
		return NULL;
	joined = xasprintf("%s%s%s", lines->v[at], len && lines->v[at][len - 1] == ',' ? "" : ",",
			   next + blanks);
	v = split_row(joined, &more);
	free_row(v, more);
	if (more == fields)
		return joined;
	free(joined);
	return NULL;
}

static bool is_header(char **v, size_t n)
{
	return n > 2 && ((str_eq(v[0], "name") && str_eq(v[1], "file_size")) ||
			 (str_eq(v[0], "format_version") && str_eq(v[1], "bonnie_version")));
}

/* Rows are known by their tag, or by a size in the second field and something behind it. */
static bool is_row(char **v, size_t n)
{
	if (n >= 3 && bonnie_is_tag(v[0]))
		return true;
	if (n >= 3 && *v[1] && bonnie_is_size(v[1]) && !bonnie_is_tag(v[0]))
		return isalpha((unsigned char)v[1][strlen(v[1]) - 1]) || n >= 10;
	/* Size and files are away, or the name has commas. */
	if (n == BONNIE_FIELDS && !*v[BONNIE_AT_SIZE] &&
	    (!*v[BONNIE_AT_FILES] || bonnie_is_files(v[BONNIE_AT_FILES])))
		return pairs_good(v + BONNIE_AT_IO, 2 * BONNIE_IO_PHASES, CPU_MAX) &&
		       pairs_good(v + BONNIE_AT_META, 2 * BONNIE_IO_PHASES, CPU_MAX);
	return n > BONNIE_FIELDS && bonnie_is_size(v[n - BONNIE_FIELDS + 1]);
}

static void take_fields(struct import *im, size_t source, unsigned line, char **v, size_t n,
			enum import_shape shape)
{
	if (bonnie_is_tag(v[0]))
		bonnie_tagged_add(im, source, line, v, n, shape);
	else if (n <= BONNIE_FIELDS || !plain_longer(im, source, line, v, n))
		plain_add(im, source, line, v, n, shape);
}

/* How many lines it took. */
static size_t take_row(struct import *im, size_t source, const struct import_lines *lines,
		       size_t at, char **v, size_t n)
{
	const size_t fields = bonnie_is_tag(v[0]) ? bonnie_tagged_fields(v[0]) : BONNIE_FIELDS;
	_cleanup_free_ char *joined = joined_line(lines, at, n, fields);
	unsigned line = (unsigned)at + 1;
	char **whole;

	if (!joined) {
		take_fields(im, source, line, v, n, IMPORT_PLAIN);
		return 1;
	}
	import_find(im, IMPORT_NOTE, source, line, "the row goes on in line %u: joined", line + 1);
	whole = split_row(joined, &n);
	take_fields(im, source, line, whole, n, IMPORT_JOINED);
	free_row(whole, n);
	return 2;
}

size_t bonnie_csv_lines(struct import *im, size_t source, const struct import_lines *lines,
			size_t at)
{
	size_t n, taken = 0;
	char **v = split_row(lines->v[at], &n);

	if (is_header(v, n))
		taken = 1;
	else if (n && is_row(v, n))
		taken = take_row(im, source, lines, at, v, n);
	free_row(v, n);
	return taken;
}
