/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: the parameters, and the command line that they make. */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <fstrial/plugin.h>

#define MKFS_MAX_ARGS 96
#define MKFS_MAX_TEXT 8192

enum mkfs_fs {
	MKFS_XFS = 1,
	MKFS_EXT4 = 2,
	MKFS_EXT3 = 3,
	MKFS_EXT2 = 4,
};

struct mkfs_cfg {
	int fs;
	bool discard;
	bool lazy_init;
	const char *label;
	const char *options;
	uint64_t agcount;
	uint64_t agsize;
	uint64_t su;
	uint64_t sw;
	uint64_t sunit;
	uint64_t swidth;
	uint64_t log_size;
	uint64_t log_su;
	uint64_t log_version;
	uint64_t sector_size;
	uint64_t block_size;
	uint64_t inode_size;
	uint64_t naming_size;
	uint64_t crc;
	uint64_t reflink;
	uint64_t rmapbt;
	uint64_t bigtime;
	uint64_t finobt;
	uint64_t inobtcount;
	uint64_t stride;
	uint64_t stripe_width;
	uint64_t journal_size;
};

/* A command line under construction; all text is in `text`. */
struct mkfs_args {
	const char *v[MKFS_MAX_ARGS + 1];
	size_t n;
	char text[MKFS_MAX_TEXT];
	size_t used;
	bool full;
};

enum mkfs_for {
	MKFS_FOR_XFS = 1,
	MKFS_FOR_EXT = 2,
	MKFS_FOR_ALL = 3,
};

enum mkfs_unit {
	MKFS_BYTES,   /* as it is */
	MKFS_SECTORS, /* of 512 bytes */
	MKFS_BLOCKS,  /* of the file system */
	MKFS_MIB,
};

/*
 * A numeric parameter: which tool has it, how it is spelled there, and the fact that tells what
 * came of it.
 */
struct mkfs_number {
	const char *param;
	size_t offset;
	int fs;		    /* enum mkfs_for */
	const char *xfs[2]; /* option and key; key NULL: the option's own value */
	const char *ext[2];
	int unit;
	const char *fact;
};

#define MKFS_AT(name) #name, offsetof(struct mkfs_cfg, name)
#define MKFS_X(name, option, key, unit, fact)                                            \
	{                                                                                \
		MKFS_AT(name), MKFS_FOR_XFS, { option, key }, { NULL, NULL }, unit, fact \
	}
#define MKFS_E(name, option, key, unit, fact)                                            \
	{                                                                                \
		MKFS_AT(name), MKFS_FOR_EXT, { NULL, NULL }, { option, key }, unit, fact \
	}
#define MKFS_BOTH(name, xoption, key, eoption, fact)                                               \
	{                                                                                          \
		MKFS_AT(name), MKFS_FOR_ALL, { xoption, key }, { eoption, NULL }, MKFS_BYTES, fact \
	}

/* Keys of one option come out in this order. */
static const struct mkfs_number mkfs_numbers[] = {
	MKFS_BOTH(block_size, "-b", "size", "-b", "block_size"),
	MKFS_BOTH(inode_size, "-i", "size", "-I", "inode_size"),
	MKFS_X(sector_size, "-s", "size", MKFS_BYTES, "sector_size"),
	MKFS_X(agcount, "-d", "agcount", MKFS_BYTES, "agcount"),
	MKFS_X(agsize, "-d", "agsize", MKFS_BYTES, "agsize"),
	MKFS_X(su, "-d", "su", MKFS_BYTES, "sunit"),
	MKFS_X(sw, "-d", "sw", MKFS_BYTES, NULL),
	MKFS_X(sunit, "-d", "sunit", MKFS_SECTORS, "sunit"),
	MKFS_X(swidth, "-d", "swidth", MKFS_SECTORS, "swidth"),
	MKFS_X(log_size, "-l", "size", MKFS_BYTES, "log_size"),
	MKFS_X(log_su, "-l", "su", MKFS_BYTES, "log_sunit"),
	MKFS_X(log_version, "-l", "version", MKFS_BYTES, NULL),
	MKFS_X(naming_size, "-n", "size", MKFS_BYTES, "naming_size"),
	MKFS_X(crc, "-m", "crc", MKFS_BYTES, "crc"),
	MKFS_X(reflink, "-m", "reflink", MKFS_BYTES, "reflink"),
	MKFS_X(rmapbt, "-m", "rmapbt", MKFS_BYTES, "rmapbt"),
	MKFS_X(bigtime, "-m", "bigtime", MKFS_BYTES, "bigtime"),
	MKFS_X(finobt, "-m", "finobt", MKFS_BYTES, "finobt"),
	MKFS_X(inobtcount, "-m", "inobtcount", MKFS_BYTES, "inobtcount"),
	MKFS_E(journal_size, "-J", "size", MKFS_MIB, "journal_size"),
	MKFS_E(stride, "-E", "stride", MKFS_BLOCKS, "stride"),
	MKFS_E(stripe_width, "-E", "stripe_width", MKFS_BLOCKS, "stripe_width"),
};

static inline uint64_t mkfs_value(const struct mkfs_cfg *cfg, const struct mkfs_number *n)
{
	return *(const uint64_t *)(const void *)((const char *)cfg + n->offset);
}

static inline const char *mkfs_fs_name(int fs)
{
	static const char *const names[] = { "", "xfs", "ext4", "ext3", "ext2" };

	return fs >= MKFS_XFS && fs <= MKFS_EXT2 ? names[fs] : "";
}

static inline const char *mkfs_program(int fs)
{
	return fs == MKFS_XFS ? "mkfs.xfs" : "mkfs.ext4";
}

/* ---- text ------------------------------------------------------------------------------------ */

static inline void mkfs_arg_start(struct mkfs_args *a)
{
	if (a->n == MKFS_MAX_ARGS)
		a->full = true;
	else
		a->v[a->n++] = a->text + a->used;
}

static inline void mkfs_arg_text(struct mkfs_args *a, const char *text)
{
	size_t len = strlen(text);

	if (a->used + len + 1 >= sizeof(a->text)) {
		a->full = true;
		return;
	}
	memcpy(a->text + a->used, text, len);
	a->used += len;
}

static inline void mkfs_arg_end(struct mkfs_args *a)
{
	a->text[a->used++] = '\0';
	if (a->used >= sizeof(a->text) - 1)
		a->full = true;
	a->v[a->n] = NULL;
}

static inline void mkfs_arg(struct mkfs_args *a, const char *text)
{
	if (a->full)
		return;
	mkfs_arg_start(a);
	mkfs_arg_text(a, text);
	mkfs_arg_end(a);
}

/*
 * Splits at blanks; in single or double quotes everything is taken as it is, a backslash takes
 * the next character. -EINVAL when a quote is not closed.
 */
static inline int mkfs_split(struct mkfs_args *a, const char *p)
{
	char quote = 0, one[2] = "";
	bool in = false;

	for (; *p && !a->full; p++) {
		if (!quote && (*p == ' ' || *p == '\t' || *p == '\n')) {
			if (in)
				mkfs_arg_end(a);
			in = false;
			continue;
		}
		if (!in)
			mkfs_arg_start(a);
		in = true;
		if (*p == quote) {
			quote = 0;
			continue;
		}
		if (!quote && (*p == '\'' || *p == '"')) {
			quote = *p;
			continue;
		}
		if (*p == '\\' && quote != '\'' && p[1])
			p++;
		one[0] = *p;
		mkfs_arg_text(a, one);
	}
	if (in && !a->full)
		mkfs_arg_end(a);
	return quote ? -EINVAL : a->full ? -E2BIG : 0;
}

/* ---- the command line ------------------------------------------------------------------------ */

static inline const char *const *mkfs_spelling(const struct mkfs_cfg *cfg,
					       const struct mkfs_number *n)
{
	return cfg->fs == MKFS_XFS ? n->xfs : n->ext;
}

static inline uint64_t mkfs_in_units(const struct mkfs_cfg *cfg, const struct mkfs_number *n)
{
	uint64_t v = mkfs_value(cfg, n);

	switch (n->unit) {
	case MKFS_SECTORS:
		return v / 512;
	case MKFS_BLOCKS:
		return cfg->block_size ? v / cfg->block_size : 0;
	case MKFS_MIB:
		return v >> 20;
	default:
		return v;
	}
}

/* All keys of one option as one argument: "-d" "agcount=4,su=65536". `first` is put in front. */
static inline void mkfs_add_group(struct fst_ctx *ctx, struct mkfs_args *a, const char *option,
				  const char *first)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	char text[64];
	size_t i;
	bool any = false;

	for (i = 0; i <= FST_COUNT(mkfs_numbers) && !a->full; i++) {
		const struct mkfs_number *n = i ? &mkfs_numbers[i - 1] : NULL;
		const char *const *word = n ? mkfs_spelling(cfg, n) : NULL;

		if (n ? !word[0] || strcmp(word[0], option) != 0 || !fst_is_set(ctx, n->param)
		      : !first)
			continue;
		if (!any) {
			mkfs_arg(a, option);
			mkfs_arg_start(a);
		} else {
			mkfs_arg_text(a, ",");
		}
		any = true;
		if (n)
			snprintf(text, sizeof(text), "%s%s%" PRIu64, word[1] ? word[1] : "",
				 word[1] ? "=" : "", mkfs_in_units(cfg, n));
		mkfs_arg_text(a, n ? text : first);
	}
	if (any && !a->full)
		mkfs_arg_end(a);
}

static inline bool mkfs_takes_e(const char *arg)
{
	return strncmp(arg, "-E", 2) == 0;
}

/*
 * mke2fs forgets an -E when another follows: the job's own go into ours. `user` is what the job's
 * `options` were split into.
 */
static inline void mkfs_add_extended(struct fst_ctx *ctx, struct mkfs_args *a,
				     const struct mkfs_args *user)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	char text[1024] = "";
	size_t i, n = 0;

	if (!cfg->discard)
		n += (size_t)snprintf(text, sizeof(text), "nodiscard");
	if (!cfg->lazy_init)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%slazy_itable_init=0,lazy_journal_init=0", n ? "," : "");
	for (i = 0; i < user->n && n < sizeof(text); i++) {
		const char *more = user->v[i] + 2;

		if (!mkfs_takes_e(user->v[i]))
			continue;
		if (!*more && ++i == user->n)
			break;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? "," : "",
				      *more ? more : user->v[i]);
	}
	if (n >= sizeof(text))
		a->full = true;
	mkfs_add_group(ctx, a, "-E", n ? text : NULL);
}

static inline void mkfs_build_xfs(struct fst_ctx *ctx, struct mkfs_args *a,
				  const struct mkfs_args *user)
{
	static const char *const groups[] = { "-m", "-b", "-s", "-d", "-i", "-l", "-n" };
	const struct mkfs_cfg *cfg = ctx->cfg;
	size_t i;

	mkfs_arg(a, "-f");
	if (!cfg->discard)
		mkfs_arg(a, "-K");
	for (i = 0; i < FST_COUNT(groups); i++)
		mkfs_add_group(ctx, a, groups[i], NULL);
	for (i = 0; i < user->n; i++)
		mkfs_arg(a, user->v[i]);
}

static inline void mkfs_build_ext(struct fst_ctx *ctx, struct mkfs_args *a,
				  const struct mkfs_args *user)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	size_t i;

	mkfs_arg(a, "-F");
	mkfs_arg(a, "-q");
	mkfs_arg(a, "-t");
	mkfs_arg(a, mkfs_fs_name(cfg->fs));
	mkfs_add_group(ctx, a, "-b", NULL);
	mkfs_add_group(ctx, a, "-I", NULL);
	mkfs_add_group(ctx, a, "-J", NULL);
	mkfs_add_extended(ctx, a, user);
	for (i = 0; i < user->n; i++) {
		if (!mkfs_takes_e(user->v[i]))
			mkfs_arg(a, user->v[i]);
		else if (!user->v[i][2])
			i++;
	}
}

static inline int mkfs_build(struct fst_ctx *ctx, struct mkfs_args *a, const struct mkfs_args *user,
			     const char *program, const char *device)
{
	const struct mkfs_cfg *cfg = ctx->cfg;

	mkfs_arg(a, program);
	if (cfg->fs == MKFS_XFS)
		mkfs_build_xfs(ctx, a, user);
	else
		mkfs_build_ext(ctx, a, user);
	if (cfg->label && cfg->label[0]) {
		mkfs_arg(a, "-L");
		mkfs_arg(a, cfg->label);
	}
	mkfs_arg(a, device);
	return a->full ? fst_error(ctx, E2BIG, "the command line for %s is too long", program) : 0;
}
