/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * More than two sides, in the order of their versions: each against the first one given, the base, and against the one
 * before it. The newest one decides.
 */
#pragma once

#include <stdio.h>

#include "core/report/comparison_print.h"

struct history {
	struct set *sets; /* the base, then the others from old to new */
	size_t n;
	const char *by; /* what orders them: "kernel", "version of mkfs.xfs"; NULL: as they were given */
	struct report *to_base, *to_last; /* n; those of number 0 are empty */
	struct accepts *accepts;
};

/* Puts sets[1] and on in order; these, with one pool, must live as long as s. n is at least 2. */
void history_compare(struct history *s, struct set *sets, size_t n, const struct report_options *opt);
void history_release(struct history *s);
/* The set's version; its name where they are not ordered by one. */
const char *history_label(const struct history *s, size_t i);
/* In which set a cell of the base regressed first, seen from the base; 0: in none. */
size_t history_first(const struct history *s, const struct cell *cell);
const struct comparison *history_find(const struct report *r, const struct cell *cell);
int history_exit(const struct history *s, bool allow_inconclusive);
void history_print(const struct history *s, enum report_format format, FILE *out);
void history_text(const struct history *s, enum report_format format, FILE *out);
