/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What two samples of each cell of a family say: effect, interval, p and q, and a verdict that has three
 * answers. "Not significant" is never "no change": SAME is a claim of its own, by equivalence within the margin.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/analyse/cells.h"
#include "core/analyse/strata.h"

enum verdict {
	VERDICT_REGRESSED,
	VERDICT_SUSPECT,
	VERDICT_INCONCLUSIVE,
	VERDICT_NO_RATIO, /* a value is not positive, or the metric has no better direction */
	VERDICT_NOT_WORSE,
	VERDICT_SAME,
	VERDICT_IMPROVED,
};

/* Values a side below which nothing is final: with fewer, noise of two modes is taken for a change too often. */
enum { VERDICT_MIN_N = 5 };

struct verdict_options {
	double alpha; /* 0.05 */
	double delta; /* margin for every metric; 0: by the metric (verdict_margin()) */
	size_t min_n; /* VERDICT_MIN_N: fewer values on a side give no final verdict */
	bool holm;    /* family-wise error instead of false discovery rate */
	bool quick;   /* no exact distribution over all cells together */
	bool rank;    /* p of the exact Mann-Whitney test decides */
};

struct comparison {
	const struct cell *base, *new; /* both there */
	bool gated;    /* decides the exit code; the others inform */
	double delta;  /* margin: a relative loss */
	double ratio;  /* Hodges-Lehmann, new over base */
	double ratio_lo, ratio_hi; /* 95 % */
	double loss;   /* -ln or +ln of ratio, positive is worse */
	double p, p_rank, q;
	double spread; /* pooled standard deviation of the logarithms */
	double needed; /* values a side that would settle it; NaN where it is settled */
	double detectable; /* relative loss that this comparison finds 8 times in 10 */
	bool noisier;  /* the spread changed by more than chance */
	const char *method; /* "moderated t", "Welch t", "exact", "rank" */
	const char *hold;   /* what makes a verdict impossible, from outside (guards.h); or NULL */
	const char *why;    /* that a verdict is not more than it is; or NULL */
	const char *accepted; /* a regression that somebody expects: the reason; or NULL */
	enum verdict verdict;
};

/* Margin of a metric: 5 % for rates and means, 10 % for p99, 20 % for p99.9; NaN: never gated (maxima). */
double verdict_margin(const char *metric);
/* The margin as a loss: of the logarithm. */
double verdict_distance(const struct comparison *c);
/* Fills in everything but base, new, hold and accepted. Only gated cells know of each other. */
void verdict_family(struct comparison *v, size_t n, const struct verdict_options *opt);
const char *verdict_name(enum verdict v);
/* Too few values on a side for anything final? */
bool verdict_is_few(const struct comparison *c, const struct verdict_options *opt);

/* All gated cells together, but for accepted ones, and those that no verdict of their own may rest on. */
struct verdict_suite {
	struct strata_suite geo; /* in terms of loss: positive is worse */
	struct strata_test rank;
	struct ttest blocks; /* the same loss with blocks as units; NaN where a side has one block or none */
	bool worse; /* a loss of half the margin or more that is no chance, neither over cells nor over blocks */
};
void verdict_suite(const struct comparison *v, size_t n, const struct verdict_options *opt, struct verdict_suite *s);
