/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which factor mattered: least squares on factors coded as sums (each level against the mean of all), with partial
 * F of every term when it alone is left out, and the components of variance of nested repeats.
 */
#pragma once

#include <stddef.h>

struct linear_factor {
	const unsigned *level; /* n values, 0 .. levels-1 */
	unsigned levels;
};

/* A term: one factor, or two for their interaction (b = LINEAR_NONE otherwise). */
enum { LINEAR_NONE = 0xffff };
struct linear_term {
	unsigned a, b; /* indices of factors */
};

struct linear_result {
	double ss, df, f, p;
	double eta2, omega2;
};

struct linear_fit {
	size_t n, params;
	double *coef; /* intercept first, then each term's columns */
	double rss, df, sigma;
	double total; /* sum of squares about the mean */
	double det;   /* of X'X */
};

/*
 * y on the terms. results: one for each term. 0, -EINVAL when there are no degrees of freedom left, or -EDOM when the
 * terms cannot be told apart. fit is to be released in either case.
 */
int linear_fit(const double *y, size_t n, const struct linear_factor *factors, const struct linear_term *terms,
	       size_t n_terms, struct linear_fit *fit, struct linear_result *results);
void linear_release(struct linear_fit *fit);

/* k values in each of n groups (row by row): variance within, between, and the share of between. */
struct linear_nested {
	double msb, msw, within, between, icc;
};
void linear_nested(const double *y, size_t groups, size_t k, struct linear_nested *r);

/* Lenth: which of the effects of an unreplicated two-level design stand out. */
struct linear_lenth {
	double s0, pse, me;
};
void linear_lenth(const double *effects, size_t n, struct linear_lenth *r);
