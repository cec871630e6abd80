/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells the device what the mounted file system does not use. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fstrial/plugin.h>

struct fstrim_cfg {
	uint64_t minimum;
};

static const struct fst_param fstrim_params[] = {
	{ .name = "minimum",
	  .type = FST_SIZE,
	  FST_AT(struct fstrim_cfg, minimum),
	  .def = "0",
	  .doc = "Free extents below this size are left out; 0: what the file system and the "
		 "device "
		 "can do." },
};

static int fstrim_ioctl(const char *dir, struct fstrim_range *range)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = ioctl(fd, FITRIM, range) < 0 ? -errno : 0;
	close(fd);
	return r;
}

/* A range of no length is refused as such only where trimming is possible at all. */
static int fstrim_probe(struct fst_ctx *ctx)
{
	struct fstrim_range nothing = { .len = 0 };
	int r = fstrim_ioctl(ctx->dir, &nothing);

	if (r == -EOPNOTSUPP)
		return fst_error(ctx, EOPNOTSUPP, "%s takes no discards", ctx->device);
	if (r == -ENOTTY)
		return fst_error(ctx, EOPNOTSUPP, "the file system cannot be trimmed");
	return 0;
}

static int fstrim_apply(struct fst_ctx *ctx)
{
	const struct fstrim_cfg *cfg = ctx->cfg;
	struct fstrim_range all = { .len = UINT64_MAX, .minlen = cfg->minimum };
	char text[32];
	int r = fstrim_ioctl(ctx->dir, &all);

	if (r < 0)
		return fst_error(ctx, -r, "FITRIM of %s", ctx->dir);
	snprintf(text, sizeof(text), "%" PRIu64, (uint64_t)all.len);
	fst_note(ctx, "trimmed_bytes", text);
	return 0;
}

static int fstrim_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	(void)est;
	fst_plan(ctx, NULL, "discards what the file system does not use");
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "fstrim", .version = "1",
	       .summary = "trims the file system under trial (FITRIM)",
	       .description =
		       "Tells the device which blocks the mounted file system does not use, "
		       "as fstrim(8) does. How many bytes that were is in the notes; file systems "
		       "leave out what was trimmed before, so a second time may give 0.\n"
		       "Flash and thin volumes behave like new only after it. mkfs discards the "
		       "whole device unless told otherwise: fstrim is for what was used since, as "
		       "by "
		       "fill and age.\n"
		       "Skipped where file system or device cannot do it.",
	       FST_PARAMS(fstrim_params), .cfg_size = sizeof(struct fstrim_cfg),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_NEEDS_DIR, .probe = fstrim_probe,
	       .estimate = fstrim_estimate, .apply = fstrim_apply);
