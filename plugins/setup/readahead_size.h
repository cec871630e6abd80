/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a readahead can be: the kernel takes nearly everything, and makes something else of it. */
#pragma once

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#define READAHEAD_MAX (UINT64_C(1) << 30)

/* name: as the job calls it. For check: pure but for the size of the target, where that is known. */
static inline int readahead_size_check(struct fst_ctx *ctx, const char *name, uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const char *target = fst_fact(ctx, "device.size");

	if (bytes % page)
		return fst_error(ctx, 0,
				 "%s: %" PRIu64 " bytes are no whole number of %" PRIu64
				 "-byte pages: the kernel would round down to %" PRIu64,
				 name, bytes, page, bytes - bytes % page);
	if (bytes > READAHEAD_MAX)
		return fst_error(ctx, 0,
				 "%s: %" PRIu64
				 " bytes are more than 1GiB: one read would fill the "
				 "memory; is a unit wrong?",
				 name, bytes);
	if (target && bytes > strtoull(target, NULL, 10))
		return fst_error(ctx, 0,
				 "%s: %" PRIu64
				 " bytes are more than the whole device has, %s; is a unit wrong?",
				 name, bytes, target);
	return 0;
}
