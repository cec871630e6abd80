/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did something change while it was measured? Trends, runs, jumps in a series, and steady state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct drift {
	double mk_s, mk_tau, mk_p, mk_z; /* Mann-Kendall: exact p without ties up to 50 values, else normal */
	double slope;			 /* Theil-Sen: median of all slopes, per position */
	double lag1;			 /* autocorrelation with the neighbour */
	double von_neumann;		 /* about 2 when neighbours know nothing of each other */
	size_t runs, runs_above, runs_below; /* about the median, values on it left out */
	double runs_p_few;		 /* P of so few runs or fewer */
};
void drift_test(const double *y, size_t n, struct drift *d);

/*
 * Do values in the order they were measured, less what they should be, go one way by `least` or more that is no
 * chance, or know too much of their neighbours? False for fewer than DRIFT_MIN values.
 */
enum { DRIFT_MIN = 10 };
bool drift_flag(const double *y, size_t n, double least);

/* Page-Hinkley for a fall: cumulated distance below the running mean less delta, above its minimum; n values. */
void drift_page_hinkley(const double *y, size_t n, double delta, double *out);

/* SNIA: over the window, range at most 20 % of the mean and the fitted line's change at most 10 %. */
struct drift_steady {
	double mean, excursion, slope, slope_excursion;
	bool steady;
};
void drift_steady_state(const double *y, size_t n, struct drift_steady *s);

/* E-divisive statistic of a split after `left` values (2 .. n-2). */
double drift_change_q(const double *z, size_t n, size_t left);
