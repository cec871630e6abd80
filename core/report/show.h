/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result document as a table of at most 100 columns. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct show_options {
	bool all;     /* every metric, not only the primary ones */
	bool summary; /* a line over all variants for each metric; of an imported document always */
	bool markdown; /* for a mail or a page, else for a terminal */
};

void show_result(const json_t *doc, const struct show_options *opt, FILE *out);
