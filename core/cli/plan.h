/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job will do, for `fstrial plan` and `fstrial run --dry-run`. */
#pragma once

#include <stdbool.h>

#include "core/job/job.h"

/* Prints to stdout; touches nothing. The exit code, after a message when it is not 0. */
int plan_show(const struct job *job, bool json);
