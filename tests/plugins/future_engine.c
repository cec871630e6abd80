/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads: an engine whose table of operations is longer than ours, with nothing in what is new. */
#include "common.h"

struct future_engine_ops {
	struct fst_engine_ops known;
	uint64_t more[4];
};

static int future_engine_queue(struct fst_engine *e, struct fst_io *io)
{
	(void)e;
	io->result = (int64_t)io->length;
	return 1;
}

static const struct future_engine_ops future_engine_ops = {
	.known = {
		.struct_size = sizeof(struct future_engine_ops),
		.flags = FST_ENGINE_SYNC | FST_ENGINE_NO_FILES,
		.queue = future_engine_queue,
	},
};

FSTRIAL_PLUGIN(.kind = FST_ENGINE, .name = "future_engine", COMMON_TEXTS,
	       .engine = &future_engine_ops.known);
