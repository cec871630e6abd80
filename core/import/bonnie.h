/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows and the tables of all kinds of bonnie have in common. */
#pragma once

#include "core/import/model.h"
#include "core/record/bonnie.h"

/* Of which kind a row is. Their methods differ, so their numbers are never held against each other. */
#define BONNIE_KIND_CLASSIC "classic"
#define BONNIE_KIND_10 "1.0x"
#define BONNIE_KIND_197 "1.97" /* 1.93 to 1.97 */
#define BONNIE_KIND_198 "1.98" /* what 2.00 writes */

/* One row as texts, by the place in bonnie_phases. NULL or "": nothing there. */
struct bonnie_row {
	const char *kind, *version; /* version may be NULL */
	const char *size, *files;
	const char *chunk, *concurrency; /* NULL: the kind does not have it */
	const char *rate[BONNIE_PHASES], *cpu[BONNIE_PHASES], *latency[BONNIE_PHASES];
	int damaged;  /* phase whose rate and cpu run into each other, in rate; -1: none */
	int no_phase; /* from this phase on there is nothing; BONNIE_PHASES: all there */
	bool rounded; /* rates were printed with k, m or g */
};

#define BONNIE_ROW_INIT                                  \
	{                                                \
		.damaged = -1, .no_phase = BONNIE_PHASES \
	}

/*
 * Adds the row; NULL, with the finding said, when a field is not what it must be. label is the machine. field is where
 * the first rate stands, counted from 1, for messages; 0: a table without numbered fields.
 */
struct import_row *bonnie_add(struct import *im, size_t source, unsigned line, const char *label,
			      const struct bonnie_row *b);
/* May text stand where a rate is? */
bool bonnie_is_rate(const char *text);

/* Rows of a file: lines that are CSV. Returns how many lines it took, 0: it is no row. */
size_t bonnie_csv_lines(struct import *im, size_t source, const struct import_lines *lines,
			size_t at);

/* Where a reader of tables is between one line and the next. */
struct bonnie_table {
	enum { BONNIE_NO_TABLE, BONNIE_CLASSIC, BONNIE_IO, BONNIE_FILES_PART } state;
	char version[16];
	bool prefixed; /* rates with k, m, g: version 2 */
	struct bonnie_row row;
	unsigned line;
	char *label;
	char **words[3]; /* that row points into: of the two lines of figures, and latencies */
};

/* true: the line is a table's. */
bool bonnie_table_line(struct import *im, size_t source, struct bonnie_table *t, const char *line,
		       unsigned number);
/* Adds what is left open. */
void bonnie_table_end(struct import *im, size_t source, struct bonnie_table *t);
