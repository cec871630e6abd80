/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of result documents, cell by cell: one metric of one step in one variant, over its repeats. A cell
 * is known by what was done (the variant's values, the plugin, its parameters), never by a name or a
 * place in a file.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/strmap.h"

enum cell_better { CELL_NEUTRAL, CELL_HIGHER, CELL_LOWER };

/* Texts belong to the pool of the cells. */
struct cell {
	const char *key;	/* what makes it the same measurement in two documents */
	const char *values;	/* of the variant, as JSON */
	const char *variant;	/* "agcount=4 bs=1MiB"; "" without a matrix */
	const char *step, *metric, *unit;
	const char *fs;		/* "xfs"; "" where no file system was mounted */
	enum cell_better better;
	bool primary;
	double *v;	/* values of good trials, in the order of their blocks */
	uint32_t *block;
	uint32_t *trial; /* number of the trial, over all documents */
	size_t n, cap;
	size_t failed;	/* trials in which the step did not end well, or gave no value */
	size_t unsteady; /* trials that did not reach the steady state they were to reach */
	size_t brief; /* trials that were measured too short to be trusted */
	bool drifts; /* its values, and those of the same metric, changed with time (guards.h) */
};

struct cells {
	struct cell *v;
	size_t n, cap;
	struct strmap index; /* which cell */
	struct strmap failures; /* of steps that have no metrics, as they did not end well */
	struct strmap own, *pool; /* texts; pool NULL: own */
	uint32_t n_trials;
};

/* One value, or none. Texts are of the pool, but for metric and unit. */
struct cell_value {
	const char *step_id; /* cells_step_id() */
	size_t nth; /* of equal steps in a trial, from 0 */
	const char *values, *step, *fs;
	const char *metric, *unit;
	enum cell_better better;
	bool primary, unsteady, brief;
	double v; /* NaN: none */
	uint32_t block, trial;
};

/* The pool that texts are kept in. */
struct strmap *cells_pool(struct cells *c);
/* A variant's values as struct cell has them; caller frees. */
char *cells_variant_text(const json_t *values);
enum cell_better cells_better(const char *better);
/* What was done in a step, as one line of JSON with sorted keys; caller frees. parallel may be NULL. */
char *cells_step_id(const json_t *values, const json_t *plugin, const json_t *params, const json_t *parallel);
/* Most of its trials were measured too short to be trusted. */
static inline bool cells_are_brief(const struct cell *c)
{
	return 2 * c->brief > c->n;
}
void cells_put(struct cells *c, const struct cell_value *v);
/* A step did not end well: its cells have a failed trial more. */
void cells_put_failure(struct cells *c, const char *step_id, size_t nth);
/* After the last value: failures go to their cells. */
void cells_finish(struct cells *c);
/* Workload steps' metrics of doc, finished. doc may be released afterwards. */
void cells_collect(const json_t *doc, struct cells *c);
/* By key, also of other cells' pools. */
const struct cell *cells_find(const struct cells *c, const char *key);
/*
 * Cells of like that have no value in c although their steps were done, as these always failed, become cells
 * without values. Both must have the same pool.
 */
void cells_add_failed(struct cells *c, const struct cells *like);
void cells_release(struct cells *c);
