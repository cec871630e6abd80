/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for machines: JSON, CSV, JUnit XML, and what series of comparisons share with it. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "core/report/comparison.h"

json_t *report_json(const struct report *r, bool all);
void report_json_print(const struct report *r, FILE *out);
void report_csv(const struct report *r, FILE *out);
void report_junit(const struct report *r, FILE *out);

/* The rows of a comparison; before is put in front of each. */
void report_csv_rows(const struct report *r, const char *before, FILE *out);
#define REPORT_CSV_HEAD                                                                                                   \
	"verdict,gated,step,metric,unit,variant,base_median,new_median,ratio,ratio_lo,ratio_hi,p,q,p_rank,base_n,new_n,"  \
	"method,accepted\n"
/* A <testsuite> of one comparison. */
void report_junit_suite(const struct report *r, const char *name, FILE *out);
