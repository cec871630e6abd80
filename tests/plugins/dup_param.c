/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: a parameter twice. */
#include "common.h"

struct dup_param_cfg {
	uint64_t count;
};

static const struct fst_param dup_param_params[] = {
	{ .name = "count",
	  .type = FST_U64,
	  FST_AT(struct dup_param_cfg, count),
	  .doc = "How many." },
	{ .name = "count",
	  .type = FST_U64,
	  FST_AT(struct dup_param_cfg, count),
	  .doc = "How many." },
};

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "dup_param", COMMON_TEXTS,
	       FST_PARAMS(dup_param_params), .cfg_size = sizeof(struct dup_param_cfg),
	       .run = common_run);
