/* SPDX-License-Identifier: GPL-3.0-or-later */
/* I/O parameters that are texts. */
#pragma once

#include "core/job/step_work.h"

/* Reads them into w->out->io; sets w->failed. */
void step_check_io(struct step_work *w);
