/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: a kind that does not exist. */
#include "common.h"

FSTRIAL_PLUGIN(.kind = 9, .name = "bad_kind", COMMON_TEXTS, .run = common_run);
