/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the noise of repeated measurements comes from: within a session, common to a block of it, between sessions.
 * On logarithms, pooled over all cells of a family.
 */
#pragma once

#include <stddef.h>

#include "core/analyse/cells.h"

/* The same cell in each session; NULL where a session lacks it. */
struct noise_lane {
	const struct cell **in;
};

struct noise_family {
	const struct cells *docs;
	size_t n_docs;
	struct noise_lane *lanes;
	size_t n;
};

/* Sums of squares of a lane: within its sessions and between them. */
struct noise_nested {
	double ssw, dfw, ssb, dfb, n0; /* n0: values a session, as unbalanced data count */
	size_t n;
};
void noise_nested_of(const struct noise_lane *l, size_t n_docs, struct noise_nested *s);

/* Standard deviations; NaN where the data cannot tell. */
struct noise {
	double within;	/* one value in its session */
	double block;	/* of it, what all cells of a block have in common */
	double session; /* between sessions */
	size_t blocks;	/* most that a session has */
};
void noise_components(const struct noise_family *f, struct noise *c);
