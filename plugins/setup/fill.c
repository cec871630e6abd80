/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the file system under trial to a share. */
#include "fill_tree.h"

static const struct fst_param fill_params[] = {
	{ FILL_PARAM(struct fill_cfg, , percent, FST_U64), .min = "1", .max = "100", .unit = "%",
	  .doc = "Share of the file system that is in use afterwards, what it uses itself "
		 "included; 100: until "
		 "nothing more fits." },
	{ FILL_PARAM(struct fill_cfg, , size, FST_SIZE),
	  .doc = "Bytes to fill, instead of percent." },
	FILL_FILE_PARAMS(struct fill_cfg, ),
};

static int fill_check_all(struct fst_ctx *ctx)
{
	const struct fill_cfg *cfg = ctx->cfg;

	if (!cfg->percent == !cfg->size)
		return fst_error(ctx, 0, "either percent or size must be given");
	return fill_check(ctx, cfg);
}

static int fill_do(struct fill_tree *t, uint64_t *want)
{
	int r = fill_missing(t, t->cfg->percent, want);

	if (r < 0)
		return r;
	if (t->cfg->size)
		*want = t->cfg->size;
	freespace_note(t->ctx, t->fd, "before");
	r = fill_up(t, *want);
	if (r == 0)
		r = fill_settle(t);
	if (r == 0)
		freespace_note(t->ctx, t->fd, "after");
	return r;
}

static int fill_apply(struct fst_ctx *ctx)
{
	struct fill_tree t;
	uint64_t want = 0;
	int r = fill_open(ctx, ctx->cfg, &t);

	if (r == 0)
		r = fill_do(&t, &want);
	/* Of 100 % nobody expects that the last block is taken. */
	if (r == 0)
		r = fill_report(&t, t.cfg->percent == 100 ? 0 : want);
	fill_close(&t);
	return r;
}

static int fill_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct fill_cfg *cfg = ctx->cfg;
	const char *size = fst_fact(ctx, "target.size");
	uint64_t bytes = cfg->size;

	if (cfg->percent && size)
		bytes = strtoull(size, NULL, 10) / 100 * cfg->percent;
	if (cfg->method == FILL_WRITE)
		est->bytes_written = bytes;
	if (cfg->percent)
		fst_plan(ctx, NULL, "fills the file system to %" PRIu64 " %% with files",
			 cfg->percent);
	else
		fst_plan(ctx, NULL, "makes files of %" PRIu64 " bytes together", cfg->size);
	est->files = bytes / ((cfg->min_filesize + cfg->max_filesize) / 2) + 1;
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "fill", .version = "1",
	       .summary = "fills the file system to a share, with files from a seed",
	       .description =
		       "Makes files in a directory of its own until the file system is that full, "
		       "and removes them "
		       "when the trial is over. Number, sizes and order come from the seed alone.\n"
		       "How the free space lay before and after is in the notes, as BYTES:EXTENTS "
		       "for each power of "
		       "two, where the file system says so itself (XFS and ext4 do, btrfs does "
		       "not).\n"
		       "Full and freshly filled is not old: for that there is `age`.",
	       FST_PARAMS(fill_params), .cfg_size = sizeof(struct fill_cfg), .flags = FST_NEEDS_DIR,
	       .check = fill_check_all, .estimate = fill_estimate, .apply = fill_apply,
	       .revert = fill_revert);
