/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: what was asked for, and what the file system itself says of it. */
#pragma once

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "mkfs_features.h"
#include "mkfs_table.h"

#define MKFS_FEATURE_KEY "feature." /* of `features`, in asked and in force */

static inline void mkfs_ask_feature(struct fst_ctx *ctx, const char *name, bool on)
{
	char key[96];

	snprintf(key, sizeof(key), MKFS_FEATURE_KEY "%s", name);
	fst_asked(ctx, key, on ? "1" : "0", 0);
}

static inline void mkfs_say_asked(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	char text[64];
	size_t i;

	fst_asked(ctx, "fs", mkfs_fs_name(cfg->fs), 0);
	if (cfg->label)
		fst_asked(ctx, "label", cfg->label, 0);
	for (i = 0; i < FST_COUNT(mkfs_options); i++)
		if (fst_is_set(ctx, mkfs_options[i].param))
			fst_asked(ctx, mkfs_options[i].param,
				  mkfs_value(cfg, &mkfs_options[i], text, sizeof(text)), 0);
	if (cfg->logdev)
		fst_asked(ctx, "logdev", cfg->logdev, 0);
	if (mkfs_family(cfg) == MKFS_FAMILY_EXT)
		fst_asked(ctx, "lazy_init", cfg->lazy_init ? "true" : "false", 0);
	mkfs_each_feature(ctx, mkfs_ask_feature);
}

static inline const char *mkfs_fact(struct fst_ctx *ctx, const char *fact)
{
	char name[96];

	snprintf(name, sizeof(name), "filesystem.%s", fact);
	return fst_fact(ctx, name);
}

static inline bool mkfs_fact_number(struct fst_ctx *ctx, const char *fact, uint64_t *value)
{
	const char *text = mkfs_fact(ctx, fact);

	if (text)
		*value = strtoull(text, NULL, 10);
	return text != NULL;
}

static inline void mkfs_say_fact(struct fst_ctx *ctx, const char *key, const char *fact)
{
	const char *value = mkfs_fact(ctx, fact);

	if (value)
		fst_in_force(ctx, key, value);
}

static inline void mkfs_say_feature(struct fst_ctx *ctx, const char *name, bool on)
{
	char key[96];

	(void)on;
	snprintf(key, sizeof(key), MKFS_FEATURE_KEY "%s", name);
	mkfs_say_fact(ctx, key, name);
}

/* ---- what no fact says by itself ----------------------------------------------------------------- */

/* The stripe width in stripe units is not kept by the file system: it comes from two sizes. */
static inline void mkfs_say_sw(struct fst_ctx *ctx, const char *key)
{
	uint64_t unit, width;
	char text[32];

	if (!mkfs_fact_number(ctx, "sunit", &unit) || !mkfs_fact_number(ctx, "swidth", &width))
		return;
	snprintf(text, sizeof(text), "%" PRIu64, unit ? width / unit : 0);
	fst_in_force(ctx, key, text);
}

static inline void mkfs_say_size(struct fst_ctx *ctx, const char *key)
{
	const struct mkfs_cfg *cfg = ctx->cfg;

	mkfs_say_fact(ctx, key, mkfs_family(cfg) == MKFS_FAMILY_XFS ? "data_size" : "size");
}

static inline void mkfs_say_naming(struct fst_ctx *ctx, const char *key)
{
	uint64_t ci;

	if (mkfs_fact_number(ctx, "ci", &ci))
		fst_in_force(ctx, key, ci ? "ci" : "2");
}

static inline void mkfs_say_attr(struct fst_ctx *ctx, const char *key)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	uint64_t attr2;

	if (!mkfs_fact_number(ctx, "attr2", &attr2))
		return;
	fst_in_force(ctx, key, attr2 ? "2" : cfg->attr == 0 ? "0" : "1");
}

/* A number of inodes fills whole blocks of every group: less than that is no difference. */
static inline void mkfs_say_inode_ratio(struct fst_ctx *ctx, const char *key)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	uint64_t size, inodes, groups, block, inode, wanted, slack;
	char text[32];

	if (!mkfs_fact_number(ctx, "geometry.size", &size) ||
	    !mkfs_fact_number(ctx, "geometry.inodes", &inodes) ||
	    !mkfs_fact_number(ctx, "groups", &groups) ||
	    !mkfs_fact_number(ctx, "geometry.block_size", &block) ||
	    !mkfs_fact_number(ctx, "inode_size", &inode) || !inodes || !inode || !cfg->inode_ratio)
		return;
	wanted = size / cfg->inode_ratio;
	slack = groups * (block / inode + 8);
	if (inodes + slack >= wanted && inodes <= wanted + slack)
		snprintf(text, sizeof(text), "%" PRIu64, cfg->inode_ratio);
	else
		snprintf(text, sizeof(text), "%" PRIu64, size / inodes);
	fst_in_force(ctx, key, text);
}

/* Blocks are whole: half of one in a thousand is no difference. */
static inline void mkfs_say_reserved(struct fst_ctx *ctx, const char *key)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	uint64_t size, reserved;
	char text[32];
	double percent;

	if (!mkfs_fact_number(ctx, "geometry.size", &size) ||
	    !mkfs_fact_number(ctx, "reserved", &reserved) || !size)
		return;
	percent = 100.0 * (double)reserved / (double)size;
	if (fabs(percent - cfg->reserved_percent) < 0.005)
		percent = cfg->reserved_percent;
	snprintf(text, sizeof(text), "%.6g", percent);
	fst_in_force(ctx, key, text);
}

static inline uint32_t mkfs_le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Of a journal on a device of its own the file system knows the UUID alone: the superblock there has its blocks. */
static inline void mkfs_say_journal(struct fst_ctx *ctx, const char *key)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	const char *device = cfg->logdev ? fst_target_device(ctx, cfg->logdev) : NULL;
	unsigned char sb[64];
	char text[32];
	int fd = device ? open(device, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	if (pread(fd, sb, sizeof(sb), 1024) == (ssize_t)sizeof(sb) && sb[56] == 0x53 &&
	    sb[57] == 0xef && mkfs_le32(sb + 24) <= 6) {
		snprintf(text, sizeof(text), "%" PRIu64,
			 (uint64_t)mkfs_le32(sb + 4) << (10 + mkfs_le32(sb + 24)));
		fst_in_force(ctx, key, text);
	}
	close(fd);
}

static const struct {
	const char *param;
	void (*say)(struct fst_ctx *ctx, const char *key);
} mkfs_said[] = {
	{ "sw", mkfs_say_sw },
	{ "journal_size", mkfs_say_journal },
	{ "size", mkfs_say_size },
	{ "naming_version", mkfs_say_naming },
	{ "attr", mkfs_say_attr },
	{ "inode_ratio", mkfs_say_inode_ratio },
	{ "reserved_percent", mkfs_say_reserved },
};

static inline void mkfs_say_logdev(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	uint64_t internal;

	if (cfg->logdev &&
	    mkfs_fact_number(
		    ctx, mkfs_family(cfg) == MKFS_FAMILY_XFS ? "log_internal" : "journal_internal",
		    &internal))
		fst_in_force(ctx, "logdev", internal ? "internal" : cfg->logdev);
}

/* Groups whose inode table is not written yet: the kernel will, in the background of what is measured. */
static inline void mkfs_say_lazy(struct fst_ctx *ctx)
{
	uint64_t groups;

	if (mkfs_fact_number(ctx, "lazy_groups", &groups))
		fst_in_force(ctx, "lazy_init", groups ? "true" : "false");
}

static inline void mkfs_say_in_force(struct fst_ctx *ctx)
{
	const char *features = mkfs_fact(ctx, "features");
	size_t i;

	mkfs_say_fact(ctx, "fs", "type");
	mkfs_say_fact(ctx, "label", "label");
	for (i = 0; i < FST_COUNT(mkfs_options); i++)
		if (mkfs_options[i].fact && fst_is_set(ctx, mkfs_options[i].param))
			mkfs_say_fact(ctx, mkfs_options[i].param, mkfs_options[i].fact);
	for (i = 0; i < FST_COUNT(mkfs_said); i++)
		if (fst_is_set(ctx, mkfs_said[i].param))
			mkfs_said[i].say(ctx, mkfs_said[i].param);
	mkfs_say_logdev(ctx);
	mkfs_say_lazy(ctx);
	mkfs_each_feature(ctx, mkfs_say_feature);
	if (features)
		fst_note(ctx, "features", features);
}
