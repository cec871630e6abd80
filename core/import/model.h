/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of formats share: sources, the rows found in them, and what was noticed. */
#pragma once

#include "core/import/import.h"
#include "core/util/strbuf.h"
#include "core/util/vec.h"

enum import_shape { IMPORT_PLAIN, IMPORT_JOINED, IMPORT_DAMAGED };

struct import_source {
	const char *path;
	char *text; /* NUL-terminated, without a byte order mark; holds no other NUL */
	size_t len;
	char sha256[65]; /* of the file as it is */
	json_t *tools;	 /* array of "bonnie++ 1.97": what its rows say of themselves */
	const char *format;
	size_t rows;
};

struct import_row {
	size_t source;
	unsigned line;
	char *label;   /* machine, or name of the file */
	json_t *cells; /* factor -> text, where the format has them by name; NULL: from the label */
	json_t *values; /* of the variant, once the factors are known */
	json_t *steps;	/* as in the document */
	json_t *warnings;
	char *reason; /* NULL: a good trial */
	char *started;
	double elapsed_s;  /* as the source says; NAN: it does not */
	double expected_s; /* as the figures claim; NAN: they do not say enough */
	enum import_shape shape;
	bool averaged;	       /* the figures are means of several runs */
	struct strbuf figures; /* as they were printed, to recognise copies by */
	size_t copy_of;	       /* number of the row it repeats; SIZE_MAX: none */
};

struct import {
	const struct import_options *opt;
	VEC(struct import_source) sources;
	VEC(struct import_row) rows;
	VEC(struct import_finding) findings;
	struct import_counts counts;
	json_t *constants; /* options that all rows have alike, and that are no factors therefore */
};

/* line 0: of the whole file. */
void import_find(struct import *im, enum import_severity severity, size_t source, unsigned line,
		 const char *fmt, ...) _printf_(5, 6);
/* The new row; valid until the next one. label is copied. */
struct import_row *import_row(struct import *im, size_t source, unsigned line, const char *label);
void import_free_row(struct import_row *row);
/* A warning that goes into the document too. */
void import_warn(struct import *im, struct import_row *row, const char *fmt, ...) _printf_(3, 4);
void import_say_tool(struct import_source *s, const char *tool, const char *version);

/* ---- steps of a row ---- */

/* How a figure came to be none, or to be doubted. NULL: as it stands. */
#define IMPORT_CENSORED "censored"
#define IMPORT_DAMAGE "damaged"
#define IMPORT_AVERAGED "averaged censored values"
#define IMPORT_BIASED "may average censored values"
#define IMPORT_ROUNDED "rounded"

struct import_figure {
	double value;	 /* NAN: there is none */
	double at_least; /* of a censored one; NAN: not known */
	const char *unit, *better;
	bool primary;
	const char *text;	 /* as printed; NULL: computed */
	const char *source_unit; /* of that text */
	const char *note;
};

/* Takes params. The step is the row's. */
json_t *import_step(struct import_row *row, const char *name, const char *plugin, json_t *params);
void import_metric(struct import_row *row, json_t *step, const char *name,
		   const struct import_figure *f);
void import_step_warn(json_t *step, const char *text);

/* ---- lines of a text ---- */

struct import_lines {
	char *text;
	char **v; /* without line ends */
	size_t n; /* v[i] is line i + 1 */
};

void import_split_lines(const struct import_source *s, struct import_lines *lines);
void import_free_lines(struct import_lines *lines);
/* Number of the line that text[offset] is on. */
unsigned import_line_of(const char *text, size_t offset);

/* ---- formats ---- */

bool import_is_fio(const struct import_source *s);
bool import_is_bonnie(const struct import_source *s);
bool import_is_csv(const struct import_source *s);
void import_read_fio(struct import *im, size_t source);
void import_read_bonnie(struct import *im, size_t source);
void import_read_csv(struct import *im, size_t source);

/* ---- over all rows ---- */

void import_find_copies(struct import *im);
void import_check_elapsed(struct import *im);
void import_set_values(struct import *im);
json_t *import_document(struct import *im);
