/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a result document as a table: one line for each metric of each variant. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "core/util/strbuf.h"

/*
 * Adds the table, and before it what the variants' numbers stand for where their values do not fit
 * in. all: every metric and the latencies, not only the primary metrics. Only numbers of steps that
 * ended well count.
 */
void values_format(const json_t *doc, bool all, size_t width, struct strbuf *out);
