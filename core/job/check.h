/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks at every step of every variant, each distinct combination once. */
#pragma once

#include "core/job/job.h"

void job_check(const struct job *job, struct diag *d);
