/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variances of many comparisons moderated towards each other (Smyth 2004): with few repeats a cell's own
 * variance is a poor guess, that of all cells together is a better one.
 */
#pragma once

#include <stddef.h>

struct moderate {
	double d0;  /* prior degrees of freedom; infinite when the cells' variances differ no more than chance */
	double s02; /* prior variance */
};

/* s2: pooled variances of n cells on df degrees each; cells with NaN or 0 are left out of the prior. */
void moderate_prior(const double *s2, size_t n, double df, struct moderate *m);
/* A cell's variance with the prior's weight in it, and the degrees of freedom it then has. */
double moderate_variance(const struct moderate *m, double s2, double df);
double moderate_df(const struct moderate *m, double df, size_t n);
/* The y > 0 with trigamma(y) = x. */
double moderate_trigamma_inverse(double x);
