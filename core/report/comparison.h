/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two sides held against each other: as text, Markdown, CSV, JSON and JUnit XML. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/analyse/accept.h"
#include "core/analyse/attribute.h"
#include "core/analyse/comparable.h"
#include "core/analyse/guards.h"
#include "core/analyse/set.h"
#include "core/analyse/verdict.h"

/* What is asked of a comparison. */
struct report_options {
	struct verdict_options verdict;
	struct accepts *accepts; /* or NULL */
	bool forced; /* verdicts in spite of other conditions */
	bool gated_only; /* metrics that do not decide are left out */
};

struct report {
	const struct set *base, *new;
	struct cells boots[2]; /* where boots are compared: their means */
	bool by_boot;
	struct differences differences;
	struct comparison *v; /* cells that both have, worst first */
	size_t n;
	size_t only_base, only_new; /* cells of one side */
	struct canary_shift canary[N_CANARIES];
	struct verdict_suite suite;
	struct attribution where;
	struct report_options opt;
};

/* With this many boots on each side the boots' means are compared, as repeats in one boot do not know of the others. */
enum { REPORT_BOOTS = 3 };

/* base and new have the same pool and must live as long as r. */
void report_compare(struct report *r, struct set *base, struct set *new, const struct report_options *opt);
void report_release(struct report *r);
/* How many deciding cells have this verdict; accepted ones are not among them. */
size_t report_count(const struct report *r, enum verdict verdict);
size_t report_count_accepted(const struct report *r);
size_t report_count_unsettled(const struct report *r);
/* No verdict may be given: conditions differ, within a side or between them, and nobody insists. */
bool report_refused(const struct report *r);
/* core/util/exit.h: failed, inconclusive, not comparable, good. */
int report_exit(const struct report *r, bool allow_inconclusive);
/* One boot a side cannot tell what is compared from the boot. */
bool report_boot_confounded(const struct report *r);

/* "the smallest loss ...: what this comparison could have seen" into a fresh string. */
char *report_detectable(const struct report *r);
