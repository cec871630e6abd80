/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: the command line. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <fstrial/plugin.h>

#include "mkfs_args.h"
#include "mkfs_features.h"
#include "mkfs_table.h"

/* What the configuration does not say by itself. */
struct mkfs_make {
	const char *program; /* as it is shown */
	const char *device;
	const char *logdev;  /* path, or NULL */
	const char *config;  /* likewise */
	const char *uuid;    /* drawn by us; NULL: the job's, or the tool's own */
	uint64_t block_size; /* of ext, for what it counts in blocks; 0: the tool picks it */
	const char *more[MKFS_MAX_ARGS]; /* further devices */
	size_t n_more;
	const struct mkfs_args *user; /* the job's `options`, split */
	bool dry;		      /* only say what would be made */
};

/* Keys of one option, which make one argument: "-d" "agcount=4,su=65536". */
struct mkfs_group {
	struct mkfs_args *a;
	const char *option;
	bool any;
};

static inline void mkfs_group_add(struct mkfs_group *g, const char *key, const char *value)
{
	if (g->a->full)
		return;
	if (!g->any) {
		mkfs_arg(g->a, g->option);
		mkfs_arg_start(g->a);
	} else {
		mkfs_arg_text(g->a, ",");
	}
	g->any = true;
	if (key)
		mkfs_arg_text(g->a, key);
	if (key && value)
		mkfs_arg_text(g->a, "=");
	if (value)
		mkfs_arg_text(g->a, value);
}

static inline void mkfs_group_end(struct mkfs_group *g)
{
	if (g->any && !g->a->full)
		mkfs_arg_end(g->a);
}

/* The value in the unit that the tool counts in. */
static inline const char *mkfs_in_units(const struct mkfs_cfg *cfg, const struct mkfs_make *m,
					const struct mkfs_option *o, char *buf, size_t size)
{
	uint64_t v = mkfs_number(cfg, o);

	switch (o->unit) {
	case MKFS_SECTORS:
		v /= 512;
		break;
	case MKFS_BLOCKS:
		v = m->block_size ? v / m->block_size : 0;
		break;
	case MKFS_MIB:
		v >>= 20;
		break;
	default:
		return mkfs_value(cfg, o, buf, size);
	}
	snprintf(buf, size, "%" PRIu64, v);
	return buf;
}

/* What the job gave of one option's keys. */
static inline void mkfs_group_params(struct fst_ctx *ctx, const struct mkfs_make *m,
				     struct mkfs_group *g)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	int family = mkfs_family(cfg);
	char buf[64];
	size_t i;

	for (i = 0; i < FST_COUNT(mkfs_options); i++) {
		const struct mkfs_option *o = &mkfs_options[i];

		if (!o->as[family].option || strcmp(o->as[family].option, g->option) != 0 ||
		    !fst_is_set(ctx, o->param))
			continue;
		/* The journal's device has that size by then. */
		if (family == MKFS_FAMILY_EXT && o->unit == MKFS_MIB && m->logdev)
			continue;
		mkfs_group_add(g, o->as[family].key, mkfs_in_units(cfg, m, o, buf, sizeof(buf)));
	}
}

/* ---- the job's own `options` ------------------------------------------------------------------ */

/* -E or -O in `options`? Of these mke2fs forgets one when another follows: they go into ours. */
static inline bool mkfs_is_merged(const char *arg)
{
	return strncmp(arg, "-E", 2) == 0 || strncmp(arg, "-O", 2) == 0;
}

static inline void mkfs_group_user(const struct mkfs_args *user, struct mkfs_group *g)
{
	size_t i;

	for (i = 0; i < user->n; i++) {
		const char *more = user->v[i] + 2;

		if (strncmp(user->v[i], g->option, 2) != 0)
			continue;
		if (!*more && ++i == user->n)
			break;
		mkfs_group_add(g, NULL, *more ? more : user->v[i]);
	}
}

static inline void mkfs_add_user(const struct mkfs_args *user, bool merged, struct mkfs_args *a)
{
	size_t i;

	for (i = 0; i < user->n; i++) {
		if (!merged || !mkfs_is_merged(user->v[i]))
			mkfs_arg(a, user->v[i]);
		else if (!user->v[i][2])
			i++;
	}
}

/* ---- the three tools -------------------------------------------------------------------------- */

static inline void mkfs_build_xfs(struct fst_ctx *ctx, const struct mkfs_make *m,
				  struct mkfs_args *a)
{
	static const char *const options[] = { "-m", "-b", "-s", "-d", "-i", "-l", "-n" };
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_group config = { .a = a, .option = "-c" };
	const char *rest, *option;
	size_t i, k;

	mkfs_arg(a, "-f");
	if (m->dry)
		mkfs_arg(a, "-N");
	if (!cfg->discard)
		mkfs_arg(a, "-K");
	if (m->config)
		mkfs_group_add(&config, "options", m->config);
	mkfs_group_end(&config);
	for (i = 0; i < FST_COUNT(options); i++) {
		struct mkfs_group g = { .a = a, .option = options[i] };

		if (i == 0 && m->uuid && !fst_is_set(ctx, "uuid"))
			mkfs_group_add(&g, "uuid", m->uuid);
		mkfs_group_params(ctx, m, &g);
		if (m->logdev && strcmp(options[i], "-l") == 0)
			mkfs_group_add(&g, "logdev", m->logdev);
		for (k = 0; k < cfg->features.n; k++) {
			rest = mkfs_xfs_feature(cfg->features.v[k], &option);
			if (option && strcmp(option, options[i]) == 0)
				mkfs_group_add(&g, NULL, rest);
		}
		mkfs_group_end(&g);
	}
	mkfs_add_user(m->user, false, a);
}

/* Options with a value alone, in the table's order. */
static inline void mkfs_add_plain(struct fst_ctx *ctx, struct mkfs_args *a)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	int family = mkfs_family(cfg);
	char buf[64];
	size_t i;

	for (i = 0; i < FST_COUNT(mkfs_options); i++) {
		const struct mkfs_option *o = &mkfs_options[i];
		const char *option = o->as[family].option;

		if (option && option[0] && !o->as[family].key && fst_is_set(ctx, o->param))
			mkfs_arg_pair(a, option, mkfs_value(cfg, o, buf, sizeof(buf)));
	}
}

static inline void mkfs_add_features(struct fst_ctx *ctx, const struct mkfs_args *user,
				     struct mkfs_args *a)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_group g = { .a = a, .option = "-O" };
	size_t i;

	for (i = 0; i < cfg->features.n; i++)
		mkfs_group_add(&g, NULL, cfg->features.v[i]);
	if (user)
		mkfs_group_user(user, &g);
	mkfs_group_end(&g);
}

static inline void mkfs_build_ext(struct fst_ctx *ctx, const struct mkfs_make *m,
				  struct mkfs_args *a)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_group journal = { .a = a, .option = "-J" }, more = { .a = a, .option = "-E" };
	char buf[32];

	mkfs_arg(a, "-F");
	mkfs_arg(a, m->dry ? "-n" : "-q");
	mkfs_arg(a, "-t");
	mkfs_arg(a, mkfs_fs_name(cfg->fs));
	if (m->block_size && !fst_is_set(ctx, "block_size")) {
		snprintf(buf, sizeof(buf), "%" PRIu64, m->block_size);
		mkfs_arg_pair(a, "-b", buf);
	}
	mkfs_add_plain(ctx, a);
	if (m->logdev)
		mkfs_group_add(&journal, "device", m->logdev);
	mkfs_group_params(ctx, m, &journal);
	mkfs_group_end(&journal);
	if (!cfg->discard)
		mkfs_group_add(&more, NULL, "nodiscard");
	if (!cfg->lazy_init)
		mkfs_group_add(&more, NULL, "lazy_itable_init=0,lazy_journal_init=0");
	/* Without a block size nothing can be said in blocks: it is what is asked for then. */
	if (m->block_size)
		mkfs_group_params(ctx, m, &more);
	mkfs_group_user(m->user, &more);
	mkfs_group_end(&more);
	mkfs_add_features(ctx, m->user, a);
	mkfs_add_user(m->user, true, a);
}

static inline void mkfs_build_btrfs(struct fst_ctx *ctx, const struct mkfs_make *m,
				    struct mkfs_args *a)
{
	const struct mkfs_cfg *cfg = ctx->cfg;

	mkfs_arg(a, "-f");
	if (!cfg->discard)
		mkfs_arg(a, "-K");
	mkfs_add_plain(ctx, a);
	mkfs_add_features(ctx, NULL, a);
	mkfs_add_user(m->user, false, a);
}

static inline int mkfs_build(struct fst_ctx *ctx, const struct mkfs_make *m, struct mkfs_args *a)
{
	static void (*const build[MKFS_FAMILIES])(struct fst_ctx *, const struct mkfs_make *,
						  struct mkfs_args *) = {
		[MKFS_FAMILY_XFS] = mkfs_build_xfs,
		[MKFS_FAMILY_EXT] = mkfs_build_ext,
		[MKFS_FAMILY_BTRFS] = mkfs_build_btrfs,
	};
	const struct mkfs_cfg *cfg = ctx->cfg;
	char size[32];
	size_t i;

	memset(a, 0, sizeof(*a));
	mkfs_arg(a, m->program);
	build[mkfs_family(cfg)](ctx, m, a);
	if (cfg->label && cfg->label[0])
		mkfs_arg_pair(a, "-L", cfg->label);
	mkfs_arg(a, m->device);
	for (i = 0; i < m->n_more; i++)
		mkfs_arg(a, m->more[i]);
	if (mkfs_family(cfg) == MKFS_FAMILY_EXT && fst_is_set(ctx, "size")) {
		snprintf(size, sizeof(size), "%" PRIu64 "k", cfg->size >> 10);
		mkfs_arg(a, size);
	}
	return a->full ? fst_error(ctx, E2BIG, "the command line for %s is too long", m->program)
		       : 0;
}

/* "mkfs.xfs -f -L 'my label' /dev/loop0": for people. */
static inline void mkfs_join(char *text, size_t size, const struct mkfs_args *a)
{
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < a->n && n < size; i++) {
		const char *quote = strpbrk(a->v[i], " \t\"'\\") || !a->v[i][0] ? "'" : "";

		n += (size_t)snprintf(text + n, size - n, "%s%s%s%s", i ? " " : "", quote, a->v[i],
				      quote);
	}
}
