/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures that other tools measured, made into a result document: each row of a table, or each JSON file, is a trial;
 * rows of the same label are repeats of a variant. What is not known is null. What is damaged is flagged or refused
 * with its place, never guessed.
 */
#pragma once

#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/util/err.h"
#include "core/util/macro.h"

enum import_format { IMPORT_AUTO, IMPORT_BONNIE, IMPORT_FIO, IMPORT_CSV };
extern const char *const import_format_names[]; /* NULL-terminated */

/* --metric COLUMN=UNIT[:BETTER[:secondary]]; COLUMN may be a pattern as of a shell. */
struct import_rule {
	char *column;
	const struct units_named *unit; /* of "time": ns */
	bool duration;			/* cells are times in any notation */
	const char *better;		/* "higher", "lower", "neutral" */
	bool primary;
};

struct import_options {
	enum import_format from;
	char **factors; /* NULL-terminated; NULL: none given */
	char **labels;	/* of the rows in their order; NULL: as they say */
	const regex_t *label_regex;
	struct import_rule *rules;
	size_t n_rules;
	const char *name;    /* of the job; NULL: by the first file */
	const char *elapsed; /* column that holds how long a row took */
	bool whole;	     /* factors that are lists of options stay whole */
	bool check_elapsed;
};

enum import_severity { IMPORT_NOTE, IMPORT_WARNING, IMPORT_REFUSED };

struct import_finding {
	enum import_severity severity;
	size_t source; /* number of the file */
	unsigned line; /* 0: of the whole file */
	char *text;    /* "FILE:LINE: ..." */
};

struct import_counts {
	size_t rows, plain, joined, damaged, copies, refused, warnings, variants;
};

struct import_report {
	struct import_finding *findings;
	size_t n;
	struct import_counts counts;
};

int import_parse_rule(const char *text, struct import_rule *rule, struct err *e) _must_check_;
void import_free_rule(struct import_rule *rule);

/*
 * Reads the files into one document, *doc, which stays NULL when nothing was left of them. What was found is in report,
 * to be released in any case.
 */
void import_files(const char *const *paths, size_t n, const struct import_options *opt,
		  json_t **doc, struct import_report *report);
void import_release(struct import_report *report);
