/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simple statistics of one sample, on GSL. NaN where a value is not defined. */
#pragma once

#include <stddef.h>

double basic_mean(const double *v, size_t n);
double basic_var(const double *v, size_t n); /* n - 1; NaN below two values */
double basic_sd(const double *v, size_t n);
double basic_median(const double *v, size_t n);
/* 1.4826 times the median distance from the median. */
double basic_mad(const double *v, size_t n);
/* Linear interpolation between order statistics (R's type 7). */
double basic_quantile(const double *v, size_t n, double q);
/* A sorted copy; caller frees. */
double *basic_sorted(const double *v, size_t n);
/* ln of every value into a fresh array (caller frees), or NULL when one is not positive. */
double *basic_log(const double *v, size_t n);
/*
 * Order statistic k (from 1) such that [k-th smallest, k-th largest] holds the median with at least 95 % confidence
 * where n allows; *confidence is what it really is.
 */
size_t basic_median_ci(size_t n, double *confidence);
