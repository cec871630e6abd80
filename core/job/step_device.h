/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device instead of files. */
#pragma once

#include "core/job/step_work.h"

/* What is wrong about it; sets w->failed. */
void step_check_device(struct step_work *w);
