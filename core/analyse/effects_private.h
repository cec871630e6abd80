/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of effects share: the values of one metric, and a model of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/analyse/effects.h"
#include "core/analyse/linear.h"

enum { MAX_FACTORS = 16, MAX_TERMS = MAX_FACTORS * (MAX_FACTORS + 1) / 2 };

/* A factor of the matrix with the names of its levels, in the order they appear. */
struct factor {
	char *name;
	char **levels;
	unsigned n_levels;
	unsigned *level; /* of each value */
};

/* The values of one metric over all variants. */
struct sample {
	struct factor f[MAX_FACTORS];
	unsigned n_factors;
	double *y; /* logarithms */
	size_t *variant;
	size_t n;
	bool bad; /* a value is not positive */
};

struct model {
	struct linear_factor f[MAX_FACTORS];
	unsigned index[MAX_FACTORS]; /* in the sample */
	unsigned n;
	struct linear_term terms[MAX_TERMS];
	struct linear_result r[MAX_TERMS];
	size_t n_terms;
	struct linear_fit fit;
};

/* Factors that really vary; then all pairs of them unless single says not. */
void effects_model_terms(struct model *m, const struct sample *s, bool single);
/* What the model expects of value i. */
double effects_expected(const struct model *m, size_t i);
/*
 * Takes suspects out of the sample one after the other: what is left is what effects are looked for in, as one odd
 * variant looks like an effect of every factor. Replaces *s.
 */
void effects_take_odd(struct effects *out, struct sample *s, const json_t *variants);
/* The combinations of a pair's levels: what each does beyond what its two levels do alone. */
void effects_take_cells(struct effect *e, const struct model *m, const struct sample *s, const struct linear_term *t);
