/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did a workload that was to reach a steady state (steady_state = true) reach it? */
#pragma once

#include <jansson.h>

#include "core/job/job.h"

/*
 * Holds the fifths of the measured time against each other, by the step's record: measured.steady, and a warning where
 * it is false. Too few whole seconds to tell are false, too. Nothing where it was not asked for.
 */
void steady_judge(const struct step *step, json_t *record);
