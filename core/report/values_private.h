/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a result document by variant, between values.c, which gathers them, and values_table.c. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/units.h"

/* What a variant has of one metric. */
struct values_cell {
	double *v;
	uint32_t n, cap;
	bool seen;	   /* the step was to be done in this variant */
	uint32_t censored; /* values that were too large to be measured */
	double at_least;   /* the largest lower bound of these; NAN: none is known */
};

struct values_metric {
	char *name; /* "write.throughput" */
	char *unit;
	const struct units_named
		*source; /* that all values were printed in; NULL: none, or several */
	bool mixed;
	unsigned places; /* of these printed numbers the most behind a point, and one */
	struct values_cell *cells; /* one a variant */
};

struct values {
	const json_t *variants;
	size_t n_variants;
	json_t *numbers; /* variant's id -> its number */
	json_t *steps;	 /* workload step -> number of its metrics so far */
	json_t *index;	 /* metric -> its number */
	bool *reached;	 /* a variant has a trial with workload steps */
	struct values_metric *v;
	size_t n, cap;
};

/* all: metrics that are not primary and latencies too. */
void values_gather(struct values *t, const json_t *doc, bool all);
void values_free(struct values *t);
