/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong between the parameters of a step. */
#pragma once

#include "core/job/step_work.h"

/* Cross-checks of the core's own parameters; sets w->failed. */
void step_check(struct step_work *w);
