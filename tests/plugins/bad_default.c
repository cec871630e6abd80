/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: a default that a job would not be allowed to give. */
#include "common.h"

struct bad_default_cfg {
	uint64_t length;
};

static const struct fst_param bad_default_params[] = {
	{ .name = "length",
	  .type = FST_SIZE,
	  FST_AT(struct bad_default_cfg, length),
	  .def = "2MiB",
	  .max = "1MiB",
	  .doc = "How long." },
};

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "bad_default", COMMON_TEXTS,
	       FST_PARAMS(bad_default_params), .cfg_size = sizeof(struct bad_default_cfg),
	       .run = common_run);
