/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Student's and Welch's tests of two samples (y minus x), equivalence, and what n can see. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ttest {
	double diff;   /* mean y - mean x */
	double se, df, t;
	double p;      /* two-sided */
	double lo, hi; /* 95 % interval of diff */
};

/* Variances apart (Welch), or one for both. All NaN when a side has fewer than two values or nothing varies. */
void ttest_welch(const double *x, size_t nx, const double *y, size_t ny, struct ttest *t);
void ttest_pooled(const double *x, size_t nx, const double *y, size_t ny, struct ttest *t);
/* From a difference with a known standard error. */
void ttest_from(double diff, double se, double df, struct ttest *t);
/* P(T >= t) for diff against mu, and P(T <= t): the two halves of an equivalence test. */
double ttest_greater(const struct ttest *t, double mu);
double ttest_less(const struct ttest *t, double mu);
/* Differences y[i] - x[i] of the same blocks. */
void ttest_paired(const double *x, const double *y, size_t n, struct ttest *t);
/* Of one sample against 0. */
void ttest_one(const double *v, size_t n, struct ttest *t);

/* Two-sided power at alpha of n values a side for a true difference of delta standard deviations. */
double ttest_power(double delta, double n, double alpha);
/* Difference, in the unit of sd, that n a side find with the given power; and the other way round (n >= 2). */
double ttest_detectable(double n, double sd, double alpha, double power);
/* The first from t quantiles alone: within 1 % from n = 5 on, and a thousand times as fast. */
double ttest_quick_detectable(double n, double sd, double alpha, double power);
/* The same in standard errors: sd * sqrt(2 / n). */
double ttest_quick_errors(double n, double alpha, double power);
/* From t quantiles, iterated. */
double ttest_needed_n(double diff, double sd, double alpha, double power);
