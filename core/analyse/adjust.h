/* SPDX-License-Identifier: GPL-3.0-or-later */
/* p-values of a family, adjusted. NaN stays NaN and is not counted. */
#pragma once

#include <stddef.h>

enum adjust_method { ADJUST_BH, ADJUST_HOLM, ADJUST_BONFERRONI, ADJUST_HOCHBERG };

void adjust_p(enum adjust_method method, const double *p, size_t n, double *q);
