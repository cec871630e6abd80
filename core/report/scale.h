/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several values of one metric in the same unit, so that the eye can compare them. */
#pragma once

#include <stddef.h>

struct scale {
	char unit[48]; /* "MiB/s"; empty for a plain number */
	double divisor;
	unsigned places; /* so many less one behind the point; 0: as scale_format() says */
};

/* The unit in which units_format_metric() shows a value of this size. */
void scale_for(double value, const char *unit, struct scale *s);
/* Four significant digits, or all of a whole number that is not scaled; "-" for NaN. */
const char *scale_format(double value, const struct scale *s, char *buf, size_t size);
