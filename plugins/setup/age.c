/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ages the file system under trial: files come and go until the free space lies in pieces. */
#include "fill_tree.h"

struct age_cfg {
	struct fill_cfg fill;
	uint64_t rounds;
	uint64_t remove;
	uint64_t punch;
};

#define AGE_PARAM(n) .name = #n, .type = FST_U64, FST_AT(struct age_cfg, n)

static const struct fst_param age_params[] = {
	{ FILL_PARAM(struct age_cfg, fill., percent, FST_U64), .def = "70", .min = "1", .max = "99",
	  .unit = "%", .doc = "Share of the file system that is in use after every round." },
	{ AGE_PARAM(rounds), .def = "4", .min = "1", .max = "1000",
	  .doc = "How often files are removed, cut and made anew." },
	{ AGE_PARAM(remove), .def = "30", .min = "1", .max = "100", .unit = "%",
	  .doc = "Share of the files that each round removes, at random." },
	{ AGE_PARAM(punch), .def = "10", .max = "100", .unit = "%",
	  .doc = "Share of the others that each round punches a hole into, once each." },
	FILL_FILE_PARAMS(struct age_cfg, fill.),
};

static int age_check(struct fst_ctx *ctx)
{
	const struct age_cfg *cfg = ctx->cfg;

	return fill_check(ctx, &cfg->fill);
}

/* percent times in a hundred. */
static bool age_chance(struct fill_tree *t, uint64_t percent)
{
	return fill_random(t) % 100 < percent;
}

static int age_remove(struct fill_tree *t, size_t i)
{
	char name[32];

	fill_name(name, sizeof(name), i);
	if (unlinkat(t->fd, name, 0) < 0)
		return fst_error(t->ctx, errno, "remove %s", name);
	t->held -= t->v[i].bytes;
	t->v[i].bytes = 0;
	t->removed++;
	return 0;
}

/* Up to a half of the file, in whole blocks, not at its begin. */
static int age_punch(struct fill_tree *t, size_t i)
{
	uint64_t blocks = t->v[i].bytes / t->block, first, n;
	char name[32];
	int fd, r;

	n = 1 + fill_random(t) % (blocks / 2);
	first = 1 + fill_random(t) % (blocks - n);
	fill_name(name, sizeof(name), i);
	fd = openat(t->fd, name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return fst_error(t->ctx, errno, "open %s", name);
	r = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(first * t->block),
		      (off_t)(n * t->block)) < 0
		    ? errno
		    : 0;
	close(fd);
	/* A file of the last round may end within the hole: what it held there is less than a block. */
	t->v[i].cut = true;
	if (r == 0) {
		t->held -= n * t->block;
		t->v[i].bytes -= n * t->block;
		t->punched++;
	}
	return r && r != EOPNOTSUPP ? fst_error(t->ctx, r, "punch a hole into %s", name) : 0;
}

static int age_round(struct fill_tree *t, const struct age_cfg *cfg)
{
	int r = 0;
	size_t i;

	for (i = 0; i < t->n && r == 0; i++) {
		if (!t->v[i].bytes)
			continue;
		if (age_chance(t, cfg->remove))
			r = age_remove(t, i);
		else if (age_chance(t, cfg->punch) && !t->v[i].cut && t->v[i].bytes >= 4 * t->block)
			r = age_punch(t, i);
	}
	return r == 0 ? fill_settle(t) : r;
}

static int age_do(struct fill_tree *t, const struct age_cfg *cfg, uint64_t *want)
{
	int r = fill_missing(t, cfg->fill.percent, want);
	uint64_t i;

	if (r < 0)
		return r;
	freespace_note(t->ctx, t->fd, "before");
	r = fill_up(t, *want);
	for (i = 0; i < cfg->rounds && r == 0; i++) {
		r = age_round(t, cfg);
		if (r == 0)
			r = fill_up(t, *want);
	}
	if (r == 0)
		r = fill_settle(t);
	if (r == 0)
		freespace_note(t->ctx, t->fd, "after");
	return r;
}

static int age_apply(struct fst_ctx *ctx)
{
	const struct age_cfg *cfg = ctx->cfg;
	struct fill_tree t;
	uint64_t want = 0;
	int r = fill_open(ctx, &cfg->fill, &t);

	if (r == 0)
		r = age_do(&t, cfg, &want);
	if (r == 0)
		r = fill_report(&t, want);
	if (r == 0) {
		fill_note(ctx, "files_made", t.made);
		fill_note(ctx, "files_removed", t.removed);
		fill_note(ctx, "holes", t.punched);
		if (cfg->punch && !t.punched && t.made > 100)
			fst_warning(ctx, "no hole could be punched: the file system has no such "
					 "call, or files are "
					 "too small");
	}
	fill_close(&t);
	return r;
}

static int age_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct age_cfg *cfg = ctx->cfg;
	const char *size = fst_fact(ctx, "target.size");
	uint64_t once = size ? strtoull(size, NULL, 10) / 100 * cfg->fill.percent : 0;
	uint64_t all = once + once / 100 * cfg->remove * cfg->rounds;

	if (cfg->fill.method == FILL_WRITE)
		est->bytes_written = all;
	fst_plan(ctx, NULL, "ages the file system, %" PRIu64 " %% full, in %" PRIu64 " rounds",
		 cfg->fill.percent, cfg->rounds);
	est->files = all / ((cfg->fill.min_filesize + cfg->fill.max_filesize) / 2) + 1;
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "age", .version = "1",
	       .summary = "ages the file system: files come and go until the free space lies in "
			  "pieces",
	       .description =
		       "Fills the file system to a share, then in every round removes files at "
		       "random, punches holes "
		       "into others and makes new ones, back to the same share. What comes after "
		       "finds its space in "
		       "pieces, as on a system that has been in use. The files are removed when "
		       "the trial is over.\n"
		       "Sizes and choices come from the seed alone.\n"
		       "How the free space lay before and after is in the notes (BYTES:EXTENTS for "
		       "each power of two), "
		       "where the file system says so itself: XFS and ext4 do, btrfs does not.",
	       FST_PARAMS(age_params), .cfg_size = sizeof(struct age_cfg), .flags = FST_NEEDS_DIR,
	       .check = age_check, .estimate = age_estimate, .apply = age_apply,
	       .revert = fill_revert);
