/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of the repeats of one metric. */
#pragma once

#include <stddef.h>

struct summary {
	size_t n;
	double median, min, max, mean;
	double spread; /* coefficient of variation, sd / |mean| with n - 1; NaN below two values or mean 0 */
};

/* Sorts v. All but n are NaN when n is 0. */
void summary_compute(double *v, size_t n, struct summary *s);
