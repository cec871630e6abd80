/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: built with a newer header, and it uses a field that is new there. */
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
		.name = "future_field",
		COMMON_TEXTS,
		.run = common_run,
	},
	.more = { 0, 1 },
};
