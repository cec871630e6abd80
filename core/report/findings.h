/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What went wrong in the trials of a result document, said once for all trials that it happened in:
 * "v01-v03 r1-r5 mkfs: ...".
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "core/util/strbuf.h"

/*
 * Adds the sections "failed", "interrupted", "skipped", "expectations" (those not met) and
 * "warnings", each only where there is something to say, in lines of at most width columns. Of each
 * section all lines, or the first few and the number of the others.
 */
void findings_format(const json_t *doc, bool all, size_t width, struct strbuf *out);
