/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison, in the format that is wanted. */
#pragma once

#include "core/report/comparison.h"

enum report_format { REPORT_TEXT, REPORT_MARKDOWN, REPORT_CSV, REPORT_JSON, REPORT_JUNIT };
extern const char *const report_format_names[]; /* NULL-terminated */
/* all: cells that do not decide too. */
void report_print(const struct report *r, enum report_format format, bool all, FILE *out);
