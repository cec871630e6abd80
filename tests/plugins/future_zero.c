/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads: built with a newer header, of which it uses nothing new. */
#include "common.h"

struct future {
	struct fstrial_plugin known;
	uint64_t more[2];
};

COMMON_EXPORT(struct future) = {
	.known = {
		.magic = FST_MAGIC,
		.abi = FST_ABI,
		.struct_size = sizeof(struct future),
		.kind = FST_WORKLOAD,
		.name = "future_zero",
		COMMON_TEXTS,
		.run = common_run,
	},
};
