/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of a result document, cell by cell: one metric of one step in one variant, over its repeats. A cell
 * is known by what was done (the variant's values, the plugin, its parameters), never by a name or a
 * place in a file.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cell_better { CELL_NEUTRAL, CELL_HIGHER, CELL_LOWER };

struct cell {
	char *key;	/* what makes it the same measurement in two documents */
	char *variant;	/* "agcount=4 bs=1MiB"; "" without a matrix */
	char *step, *metric, *unit;
	enum cell_better better;
	bool primary;
	double *v;	/* values of good trials, in the order of their blocks */
	uint32_t *block;
	size_t n;
	size_t failed;	/* trials in which the step did not end well, or gave no value */
};

struct cells {
	struct cell *v;
	size_t n;
	json_t *index; /* key -> number */
};

/* A variant's values as struct cell has them; caller frees. */
char *cells_variant_text(const json_t *values);
/* Workload steps' metrics of doc. doc may be released afterwards. */
void cells_collect(const json_t *doc, struct cells *c);
const struct cell *cells_find(const struct cells *c, const char *key);
void cells_release(struct cells *c);
