/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: says that it is longer than the symbol it is. */
#include "common.h"

COMMON_EXPORT(struct fstrial_plugin) = {
	.magic = FST_MAGIC,
	.abi = FST_ABI,
	.struct_size = sizeof(struct fstrial_plugin) + 4096,
	.kind = FST_WORKLOAD,
	.name = "long_claim",
	COMMON_TEXTS,
	.run = common_run,
};
