/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One side of a comparison: the numbers and conditions of one result, or of several of the same kind. Documents are
 * read piece by piece, and what a comparison does not need is never built.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/analyse/cells.h"
#include "core/analyse/comparable.h"
#include "core/util/err.h"

/* What is measured before each block, as it depends on no trial. */
enum canary_kind { CANARY_COMPUTE, CANARY_RAW, CANARY_TMPFS, N_CANARIES };
extern const char *const canary_names[N_CANARIES]; /* as in the document */

struct canary_values {
	enum cell_better better;
	double *v; /* one a block */
	size_t n;
};

struct set_doc {
	const char *path, *boot, *started;
	uint32_t first_trial; /* its trials have numbers from here to the next document's */
};

struct set {
	const char *name; /* as the user named it */
	struct strmap *pool; /* of all sets that are to be compared */
	struct cells cells;
	struct facts facts; /* of the first document */
	struct differences mixed; /* of others to the first: what should not differ within a side */
	const char *mixed_with;   /* the first of these */
	struct canary_values canary[N_CANARIES];
	struct set_doc *docs;
	size_t n_docs, n_boots;
	uint32_t n_blocks; /* of all documents: their blocks are numbered on and on */
};

/*
 * path: result.json, a results directory, or a directory with several of these. pool and path must live as long as the
 * set, which is to be released in either case.
 */
int set_load(struct set *s, const char *path, struct strmap *pool, struct err *e) _must_check_;
/* Day of its newest document, "2026-11-30"; "" when not known. */
const char *set_day(const struct set *s);
void set_release(struct set *s);
