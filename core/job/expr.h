/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `when = "fs == xfs && agcount > 4 || !(layout == md)"`: == != < <= > >= && || ! and parentheses
 * over names (factors, their members, variables, known names) and literals (words, 'quoted',
 * numbers, sizes and times with units). Numbers compare as numbers, whatever their unit, all else
 * as text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/param/value.h"
#include "core/util/diag.h"
#include "core/util/macro.h"

struct job;
struct job_expr;

/*
 * Parses at's text and checks its names and values against the matrix; adds the factors it depends
 * on to *factors. NULL with the findings in d.
 */
struct job_expr *expr_parse(const struct job *job, const struct value *at, uint64_t *factors,
			    struct diag *d);
bool expr_eval(const struct job_expr *e, const struct job *job, uint32_t variant);
void expr_free(struct job_expr *e);
