/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads. A test breaks the name of the function that it needs in a copy, which does not load. */
#include "common.h"

#include <unistd.h>

static int needs_symbol_check(struct fst_ctx *ctx)
{
	(void)ctx;
	return tcgetpgrp(0) == -2 ? -1 : 0;
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "needs_symbol", COMMON_TEXTS,
	       .check = needs_symbol_check, .run = common_run);
