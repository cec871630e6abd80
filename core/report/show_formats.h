/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result document for other programs: spreadsheets, and what reads bonnie++'s rows. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/util/err.h"
#include "core/util/macro.h"

/* One line a metric of a step of a trial, with a column for each factor. all: not only the primary ones. */
void show_csv(const json_t *doc, bool all, FILE *out);
/*
 * One row of bonnie++ 1.03 a trial; what the trial has not, stays empty. -ENOENT: no step is called as
 * a phase of bonnie++ is.
 */
int show_bonnie(const json_t *doc, FILE *out, struct err *e) _must_check_;
