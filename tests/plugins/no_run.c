/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: a workload that does nothing. */
#include "common.h"

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "no_run", COMMON_TEXTS);
