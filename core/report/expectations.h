/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the trials of a result document did not meet of what was expected of them. */
#pragma once

#include <jansson.h>

#include "core/util/strbuf.h"

/*
 * [{variant, repeats: [1, 3], text: "write: write.p99 < 10ms: not met, 12.3 ms to 15 ms"}]: one for
 * each expectation of each variant that was not met. New reference.
 */
json_t *expectations_unmet(const json_t *doc);
/* Adds "12 met, 3 not met, 2 not judged"; nothing where nothing is expected. */
void expectations_count(const json_t *doc, struct strbuf *out);
