/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of bonnie++ 1.0x: without a tag, known by where sizes, rates and CPUs stand. */
#include "core/import/bonnie_plain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/import/bonnie_fields.h"
#include "core/import/number.h"
#include "core/util/str.h"

/* Percent, by which a rate is told from a CPU: of one process, and of however many there may be. */
#define CPU_ONE 110
#define CPU_MAX 6400

static bool is_cpu(const char *s, double most)
{
	double v;

	if (!*s || import_is_censored(s) || str_eq(s, "++"))
		return true;
	return import_number(s, &v, NULL) == 0 && v >= 0 && v <= most;
}

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

static void say_damaged(struct import *im, struct import_row *row, const struct bonnie_row *b)
{
	const char *step = bonnie_phases[b->damaged].step;

	import_warn(im, row,
		    "%d fields, where bonnie++ %s has %d: rate and CPU of %s have run together in "
		    "\"%s\", so that it has no "
		    "figure; the others stand as they are",
		    BONNIE_FIELDS - 1, b->kind, BONNIE_FIELDS, step, b->rate[b->damaged]);
}

static void plain_one(struct import *im, size_t source, unsigned line, char **v, size_t n,
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

/* More than 27: how long it took behind the last, or a name with commas. false: neither. */
static bool plain_longer(struct import *im, size_t source, unsigned line, char **v, size_t n)
{
	size_t extra = n - BONNIE_FIELDS;
	size_t rows = im->rows.n;
	double seconds;
	char *name, *kept;

	if (bonnie_is_size(v[1]) && bonnie_is_files(v[BONNIE_AT_FILES]) && extra == 1 &&
	    import_duration(v[n - 1], &seconds, NULL) == 0) {
		plain_one(im, source, line, v, BONNIE_FIELDS, IMPORT_PLAIN);
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
	plain_one(im, source, line, v + extra, BONNIE_FIELDS, IMPORT_PLAIN);
	v[extra] = kept;
	free(name);
	return true;
}

bool bonnie_plain_is(char **v, size_t n)
{
	if (n >= 3 && *v[1] && bonnie_is_size(v[1]))
		return isalpha((unsigned char)v[1][strlen(v[1]) - 1]) || n >= 10;
	/* Size and files are away, or the name has commas. */
	if (n == BONNIE_FIELDS && !*v[BONNIE_AT_SIZE] &&
	    (!*v[BONNIE_AT_FILES] || bonnie_is_files(v[BONNIE_AT_FILES])))
		return pairs_good(v + BONNIE_AT_IO, 2 * BONNIE_IO_PHASES, CPU_MAX) &&
		       pairs_good(v + BONNIE_AT_META, 2 * BONNIE_IO_PHASES, CPU_MAX);
	return n > BONNIE_FIELDS && bonnie_is_size(v[n - BONNIE_FIELDS + 1]);
}

void bonnie_plain_add(struct import *im, size_t source, unsigned line, char **v, size_t n,
		      enum import_shape shape)
{
	if (n <= BONNIE_FIELDS || !plain_longer(im, source, line, v, n))
		plain_one(im, source, line, v, n, shape);
}
