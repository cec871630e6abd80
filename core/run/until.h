/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repeats until numbers are precise enough. What decides is the width of the confidence interval of each variant alone,
 * never whether a difference is significant: looking at that after each repeat would find differences that are none.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/job/job.h"

struct until_rule {
	uint32_t min_repeats, max_repeats;
	uint64_t max_time_ns; /* no block begins later than that after the first; 0: no limit */
	/* Half of the 95 % interval that is narrow enough, as a share of the value; NaN: the metric does not decide. */
	double (*wanted)(const char *metric);
};

struct until_cell; /* a primary metric of a step in a variant */

struct until_variant {
	struct until_cell *cells;
	size_t n_cells;
	uint32_t repeats, failed;
	double half_width;  /* the widest, of those that decide; NaN: not known */
	const char *reason; /* why it has enough; NULL: it goes on */
};

struct until {
	const struct until_rule *rule;
	struct until_variant *v;
	uint32_t n;
	uint64_t started_ns;
};

void until_begin(struct until *u, const struct until_rule *rule, uint32_t n_variants);
/* A trial has ended: its steps' records. */
void until_add(struct until *u, uint32_t variant, const json_t *steps, bool ok);
/* Before a block (from 0): which variants still go on; false when none does. */
bool until_next_block(struct until *u, uint32_t block);
bool until_wants(const struct until *u, uint32_t variant);
/* {"rule", "min_repeats", "max_repeats", "max_time_ns", "variants": [{variant, repeats, reason, half_width}]} */
json_t *until_json(const struct until *u, const struct job *job);
void until_end(struct until *u);
