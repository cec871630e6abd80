/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What forbids a verdict although the numbers would give one: values that changed with time, a steady state that was
 * not reached, and canaries that say that it was the machine.
 */
#pragma once

#include <stdbool.h>

#include "core/analyse/set.h"
#include "core/analyse/verdict.h"

/* A canary of both sides. */
struct canary_shift {
	enum canary_kind canary;
	size_t n_base, n_new; /* blocks */
	double ratio, lo, hi; /* new over base, 95 %; NaN with fewer than two blocks on a side */
	bool moved; /* by more than half of the margin, with all of the interval */
	bool worse; /* in which direction */
};

/* Marks the cells whose values drift by half of the margin; margin 0: the metric's own. */
void guards_find_drift(struct set *s, double margin);
void guards_canaries(const struct set *base, const struct set *new, double margin, struct canary_shift *out);
/* What a moved canary says of where the change is; NULL where it did not move. */
const char *guards_canary_says(const struct canary_shift *c);
/* Fills in hold of each comparison; before verdict_family(). */
void guards_hold(struct comparison *v, size_t n);
/* After it: what stayed as it was on a device that did not is not known to be the same. */
void guards_take_back(struct comparison *v, size_t n, const struct canary_shift *canaries);
