/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two results held against each other: as text, Markdown, CSV, JSON and JUnit XML. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/analyse/comparable.h"
#include "core/analyse/verdict.h"

struct report {
	const char *base_name, *new_name; /* as the user named them */
	struct cells base, new;
	struct differences differences;
	struct comparison *v; /* cells that both have, worst first */
	size_t n;
	size_t only_base, only_new; /* cells of one side */
	struct verdict_suite suite;
	struct verdict_options opt;
	bool forced; /* compared in spite of confounding differences */
};

/* Reads both documents, compares. The documents may be released afterwards. */
void report_compare(struct report *r, const json_t *base, const json_t *new, const struct verdict_options *opt);
void report_release(struct report *r);
/* core/util/exit.h: failed, inconclusive, not comparable, good. */
int report_exit(const struct report *r, bool allow_inconclusive);

enum report_format { REPORT_TEXT, REPORT_MARKDOWN, REPORT_CSV, REPORT_JSON, REPORT_JUNIT };
extern const char *const report_format_names[]; /* NULL-terminated */
/* all: cells that do not decide too. */
void report_print(const struct report *r, enum report_format format, bool all, FILE *out);

/* Of comparison_formats.c. */
json_t *report_json(const struct report *r);
void report_csv(const struct report *r, FILE *out);
void report_junit(const struct report *r, FILE *out);
/* "the smallest loss ...: what this comparison could have seen" into a fresh string. */
char *report_detectable(const struct report *r);
