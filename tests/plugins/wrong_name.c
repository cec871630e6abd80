/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: not called as its file. */
#include "common.h"

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "right_name", COMMON_TEXTS, .run = common_run);
