/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: says that it ends before its parameters. */
#include "common.h"

COMMON_EXPORT(struct fstrial_plugin) = {
	.magic = FST_MAGIC,
	.abi = FST_ABI,
	.struct_size = offsetof(struct fstrial_plugin, params),
	.kind = FST_WORKLOAD,
	.name = "short_struct",
	COMMON_TEXTS,
	.run = common_run,
};
