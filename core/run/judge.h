/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job expects of its numbers, held against them. */
#pragma once

#include <jansson.h>

#include "core/job/job.h"

/*
 * The step's expectations before anything is measured: [{text, value: null, unit, met: null,
 * reason: null}]. step may be NULL. New reference.
 */
json_t *judge_open(const struct step *step);
/*
 * Judges a step that ended well, by the metrics and latencies of its record, into its "expect". A
 * number that is not there (too few samples for the percentile, nothing of the kind happened) does
 * not meet what is expected of it: "met" is false then and "reason" says why.
 */
void judge_step(const struct step *step, json_t *record);
/*
 * Of all steps of a trial: "failed" when one expectation was not met, "met" when all were, NULL
 * when there are none, or some were not judged.
 */
const char *judge_trial(const json_t *steps);
