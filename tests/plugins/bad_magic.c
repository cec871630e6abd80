/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused: another magic number. */
#include "common.h"

COMMON_EXPORT(struct fstrial_plugin) = {
	.magic = 0x6e69626fu, /* as of an unrelated symbol: "obin" */
	.abi = FST_ABI,
	.struct_size = sizeof(struct fstrial_plugin),
	.kind = FST_WORKLOAD,
	.name = "bad_magic",
	COMMON_TEXTS,
	.run = common_run,
};
