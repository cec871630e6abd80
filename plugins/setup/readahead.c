/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets how far the kernel reads ahead on the target's device. */
#include <inttypes.h>
#include <stdlib.h>

#include <fstrial/plugin.h>

#include "readahead_size.h"
#include "sysfs_value.h"

#define READAHEAD_FILE "queue/read_ahead_kb"

struct readahead_cfg {
	uint64_t size;
};

static const struct fst_param readahead_params[] = {
	{ .name = "size",
	  .type = FST_SIZE,
	  .flags = FST_REQUIRED,
	  FST_AT(struct readahead_cfg, size),
	  .doc = "How far the kernel reads ahead of a sequential reader, a whole number of memory "
		 "pages; 0 switches it off." },
};

static int readahead_check(struct fst_ctx *ctx)
{
	const struct readahead_cfg *cfg = ctx->cfg;

	return readahead_size_check(ctx, "size", cfg->size);
}

static int readahead_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct readahead_cfg *cfg = ctx->cfg;

	(void)est;
	fst_plan(ctx, READAHEAD_FILE, "%" PRIu64, cfg->size / 1024);
	return 0;
}

static int readahead_apply(struct fst_ctx *ctx)
{
	const struct readahead_cfg *cfg = ctx->cfg;
	char old[SYSFS_VALUE_MAX], value[32];
	int r;

	if (!ctx->sysfs)
		return fst_error(ctx, 0, "the target has no block device with a readahead");
	r = sysfs_value_get(ctx->sysfs, READAHEAD_FILE, old, sizeof(old));
	if (r < 0)
		return fst_error(ctx, -r, "read %s/" READAHEAD_FILE, ctx->sysfs);
	r = sysfs_value_save_disk(ctx);
	if (r == 0)
		r = fst_save(ctx, READAHEAD_FILE, old);
	if (r < 0)
		return r;
	snprintf(value, sizeof(value), "%" PRIu64, cfg->size);
	fst_asked(ctx, "size", value, 0);
	snprintf(value, sizeof(value), "%" PRIu64, cfg->size / 1024);
	r = sysfs_value_write(ctx->sysfs, READAHEAD_FILE, value);
	if (r < 0)
		return fst_error(ctx, -r, "write %s to %s/" READAHEAD_FILE, value, ctx->sysfs);
	return 0;
}

static int readahead_revert(struct fst_ctx *ctx)
{
	const char *dir = sysfs_value_saved_disk(ctx), *old = fst_saved(ctx, READAHEAD_FILE);

	return dir && old ? sysfs_value_restore(ctx, dir, READAHEAD_FILE, old) : 0;
}

static int readahead_readback(struct fst_ctx *ctx)
{
	char text[SYSFS_VALUE_MAX], *end;
	unsigned long long kb;
	int r;

	if (!ctx->sysfs)
		return 0;
	r = sysfs_value_get(ctx->sysfs, READAHEAD_FILE, text, sizeof(text));
	if (r < 0)
		return fst_error(ctx, -r, "read %s/" READAHEAD_FILE, ctx->sysfs);
	errno = 0;
	kb = strtoull(text, &end, 10);
	if (errno || end == text || *end)
		return fst_error(ctx, 0, "%s/" READAHEAD_FILE " is %s", ctx->sysfs, text);
	snprintf(text, sizeof(text), "%llu", kb * 1024);
	fst_in_force(ctx, "size", text);
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "readahead", .version = "1",
	       .summary = "sets the readahead of the target's device",
	       .description = "Writes queue/read_ahead_kb of the whole disk under the target, and "
			      "puts the old value "
			      "back.\n"
			      "The kernel rounds down to whole pages without a word; a size that "
			      "is none is refused "
			      "when the job is read.\n"
			      "`blockdev --setra N` counts 512-byte sectors: --setra 16384 is size "
			      "= \"8MiB\".\n"
			      "Writing rotational, max_sectors_kb, write_cache or "
			      "discard_max_bytes later resets the "
			      "readahead: put readahead behind sysfs.",
	       FST_PARAMS(readahead_params), .cfg_size = sizeof(struct readahead_cfg),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_VOLATILE, .check = readahead_check,
	       .estimate = readahead_estimate, .apply = readahead_apply, .revert = readahead_revert,
	       .readback = readahead_readback);
