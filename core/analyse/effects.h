/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which factor of a matrix mattered: for one metric, a linear model of its logarithm on all factors and, where
 * there are repeats enough, all pairs of factors. An effect is a ratio; what may be noise is called so.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/analyse/linear.h"

struct effect_level {
	char *name;   /* "4" */
	double ratio; /* of this level's mean to the mean of all */
	double lo, hi; /* 95 % */
	size_t n;
};

struct effect {
	char *name; /* "agcount", or "agcount x bs" */
	bool pair;
	double p_holm, p, f, omega2;
	double range; /* largest over smallest level, 1: none; of a pair NaN */
	bool active;  /* p_holm <= 0.05 */
	struct effect_level *levels; /* of a single factor */
	size_t n_levels;
	struct effect_level *cells; /* of a pair: each combination, beyond what its two levels do alone */
	size_t n_cells;
};

/* A variant that no sum of the effects explains: suspect, and left out of them. */
struct effect_odd {
	char *variant;
	double ratio; /* to what the model expects */
};

struct effects {
	char *step, *metric, *unit, *better;
	size_t n; /* values */
	double sigma; /* of one value, as a ratio less 1 */
	double detectable; /* range of a factor with two levels that would have been found 8 times in 10 */
	bool pairs; /* interactions are in the model */
	struct effect *v;
	size_t n_effects;
	struct effect_odd *odd;
	size_t n_odd;
	const char *why; /* no model: the reason */
};

/* One for each primary metric of each workload step (all: of every metric). *n results, caller releases each and v. */
struct effects *effects_find(const json_t *doc, bool all, size_t *n);
void effects_release(struct effects *e);
