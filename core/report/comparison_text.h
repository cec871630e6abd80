/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for people. */
#pragma once

#include "core/report/comparison.h"

/* Text and Markdown. */
void report_text(const struct report *r, bool all, FILE *out);
void report_markdown(const struct report *r, bool all, FILE *out);
/* Why there is no verdict, or what makes it a doubtful one: conditions, within sides too. Fresh lines. */
void report_put_conditions(const struct report *r, FILE *out);
/* Acceptances that are of no use any more. */
void report_put_unused(const struct accepts *a, FILE *out);
