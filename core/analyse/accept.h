/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regressions that are expected: a file of lines
 *
 *     CELL METRIC CHANGE REASON [until=DATE] [kernel=PATTERN] [TOOL=PATTERN]
 *
 * of words, in double quotes where there are blanks in them. CELL and METRIC are shell patterns for a variant
 * ("agcount=8 *") and for step.metric ("write.throughput"); CHANGE is a range like -20%..-5%. From the day
 * until on, by the new result's own date, and for other versions of the new result's kernel or tool than PATTERN, the
 * line does not hold. "#" begins a comment.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "core/analyse/set.h"
#include "core/analyse/verdict.h"
#include "core/util/diag.h"

struct accept_version {
	char *of, *pattern; /* "kernel" or a tool's name */
};

struct accept_line {
	unsigned line;
	char *cell, *metric, *reason, *until; /* until NULL: for ever */
	double lo, hi; /* of the ratio less 1 */
	struct accept_version *versions;
	size_t n_versions;
	size_t used;
	char *unused; /* why it was not used, where that can be said */
};

struct accepts {
	const char *file;
	struct accept_line *v;
	size_t n;
};

/* All that is wrong in the file goes to d. accepts is to be released in either case. */
int accept_load(const char *path, struct accepts *a, struct diag *d) _must_check_;
/* Marks accepted regressions of new; a NULL: none. */
void accept_apply(struct accepts *a, struct comparison *v, size_t n, const struct set *new);
/* "accept.txt:3: ..." for a line that is of no use any more, or NULL; caller frees. */
char *accept_unused(const struct accepts *a, const struct accept_line *line);
/* A file that accepts all regressions of v, as new as these are. */
void accept_write(const struct comparison *v, size_t n, const char *base, const char *new, FILE *out);
void accept_release(struct accepts *a);
