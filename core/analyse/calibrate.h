/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How noisy the measurements of a job are on this machine, where the noise comes from, and what that allows to be
 * seen. All spreads are standard deviations of logarithms: 0.02 is 2 %. Results given together are repeats of each
 * other: sessions of the same job on an unchanged machine.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { CALIBRATE_PLANS = 3 };

/* Sessions a side, and the repeats in each that then find a loss of the margin 8 times in 10. */
struct calibrate_plan {
	size_t sessions;
	size_t repeats; /* 0: no number does, the sessions differ too much */
};

struct calibrate_cell {
	char *variant;
	size_t n;	   /* values, all sessions */
	double median;
	double spread;	   /* within sessions; from 8 cells on moderated by the others' */
	double detectable; /* relative loss that n values a side find 8 times in 10 */
	double needed;	   /* values a side for the margin; NaN when nothing varies or n is 1 */
};

/* One metric of one step over all variants. */
struct calibrate {
	char *step, *metric, *unit;
	bool primary;
	double margin;
	size_t sessions, blocks; /* blocks: most that a session has */
	double within;	/* one value in a session, pooled over cells */
	double block;	/* of it, what all cells of a block have in common; NaN below 2 cells or 2 blocks */
	double session; /* between sessions; NaN with only one */
	double detectable, needed; /* as in cells, with `within` and the smallest n of a cell */
	size_t n;		   /* that smallest n */
	struct calibrate_plan plans[CALIBRATE_PLANS]; /* with several sessions */
	/* Odd blocks against even ones, which are alike: the largest difference, and how many were called changed. */
	double split;
	char *split_variant;
	size_t split_changed;
	struct calibrate_cell *v;
	size_t n_cells;
	double trial_ns; /* median time of one trial */
	const char *why; /* nothing can be said: the reason */
};

/* One for each primary metric of each workload step (all: of every metric). *n results, caller frees all. */
struct calibrate *calibrate_find(json_t *const *docs, size_t n_docs, bool all, size_t *n);
void calibrate_release(struct calibrate *c);
