/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: built for the next ABI. */
#include "common.h"

COMMON_EXPORT(struct fstrial_plugin) = {
	.magic = FST_MAGIC,
	.abi = FST_ABI + 1,
	.struct_size = sizeof(struct fstrial_plugin),
	.kind = FST_WORKLOAD,
	.name = "bad_abi",
	COMMON_TEXTS,
	.run = common_run,
};
