/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: a parameter that is not explained. */
#include "common.h"

struct param_no_doc_cfg {
	uint64_t count;
};

static const struct fst_param param_no_doc_params[] = {
	{ .name = "count", .type = FST_U64, FST_AT(struct param_no_doc_cfg, count) },
};

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "param_no_doc", COMMON_TEXTS,
	       FST_PARAMS(param_no_doc_params), .cfg_size = sizeof(struct param_no_doc_cfg),
	       .run = common_run);
