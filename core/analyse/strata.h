/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One answer from many cells: van Elteren's stratified rank test (which direction, in all of them together) and
 * the geometric mean of their ratios. Sees a small change everywhere that no cell alone can.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/analyse/ttest.h"

struct stratum {
	const double *x, *y;
	size_t nx, ny;
};

struct strata_test {
	double s, expected, variance, z;
	double p_normal;
	double p_less, p_two_sided; /* exact; NaN when there are too many sums to count */
};
/* exact: the distribution too, which takes milliseconds; else its two p are NaN. */
void strata_van_elteren(const struct stratum *v, size_t n, bool exact, struct strata_test *t);

/* Mean over cells of mean ln y - mean ln x; cells with a value that is not positive are left out. */
struct strata_suite {
	size_t n;
	struct ttest t; /* of the logarithms */
};
void strata_suite(const struct stratum *v, size_t n, struct strata_suite *s);
