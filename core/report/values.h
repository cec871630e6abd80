/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a result document as a table: one line for each metric of each variant. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/util/strbuf.h"

struct values_options {
	bool all;      /* every metric and the latencies, not only the primary metrics */
	bool summary;  /* a line over all variants for each metric */
	bool markdown; /* a table of Markdown; width does not count */
	size_t width;
};

/*
 * Adds the table, and before it what the variants' numbers stand for where their values do not fit
 * in. Only numbers of steps that ended well count.
 */
void values_format(const json_t *doc, const struct values_options *opt, struct strbuf *out);
