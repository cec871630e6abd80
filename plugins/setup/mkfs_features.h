/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: `features`, checked and handed on. */
#pragma once

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <fstrial/plugin.h>

#include "mkfs_guard.h"
#include "mkfs_table.h"

/* Keys of mkfs.xfs that are no parameters here, and the option that has them. */
static const struct mkfs_xfs_key {
	const char *key, *option;
} mkfs_xfs_keys[] = {
	{ "noalign", "-d" },	 { "cowextsize", "-d" }, { "extszinherit", "-d" },
	{ "projinherit", "-d" }, { "daxinherit", "-d" }, { "perblock", "-i" },
	{ "align", "-i" },	 { "exchange", "-i" },	 { "metadir", "-m" },
	{ "autofsck", "-m" },	 { "parent", "-n" },	 { "internal", "-l" },
};

/* "perblock=8" or, where this version does not know the key, "i:newkey=1": the option and what stands behind. */
static inline const char *mkfs_xfs_feature(const char *text, const char **option)
{
	static const char *const sections[] = { "-d", "-i", "-l", "-m", "-n" };
	size_t i, len = strcspn(text, "=");

	*option = NULL;
	if (text[0] && text[1] == ':') {
		for (i = 0; i < FST_COUNT(sections); i++)
			if (sections[i][1] == text[0])
				*option = sections[i];
		return text + 2;
	}
	for (i = 0; i < FST_COUNT(mkfs_xfs_keys); i++)
		if (strlen(mkfs_xfs_keys[i].key) == len &&
		    strncmp(mkfs_xfs_keys[i].key, text, len) == 0)
			*option = mkfs_xfs_keys[i].option;
	return text;
}

/* Is the key a parameter of the plugin for this family? Then its value is checked and read back there. */
static inline const char *mkfs_own_parameter(int family, const char *key)
{
	size_t i, len = strcspn(key, "=");

	for (i = 0; i < FST_COUNT(mkfs_options); i++) {
		const char *own = mkfs_options[i].as[family].key;

		if (own && strlen(own) == len && strncmp(own, key, len) == 0)
			return mkfs_options[i].param;
	}
	return NULL;
}

/* Letters of names and values; nothing that begins another key or names a place. */
static inline bool mkfs_plain_word(const char *text, const char *more)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_-", *text) && !strchr(more, *text))
			return false;
	return true;
}

static inline int mkfs_check_xfs_feature(struct fst_ctx *ctx, const char *text)
{
	const char *option, *rest = mkfs_xfs_feature(text, &option), *own;

	if (!option) {
		own = mkfs_own_parameter(MKFS_FAMILY_XFS, rest);
		if (own)
			return fst_error(ctx, 0,
					 "features: \"%s\": there is the parameter %s for it", text,
					 own);
		return fst_error(ctx, 0,
				 "features: \"%s\": not known; with its option in front, as "
				 "\"i:%s\", it is given to "
				 "mkfs.xfs all the same",
				 text, rest);
	}
	if (!mkfs_plain_word(rest, "=."))
		return fst_error(ctx, 0, "features: \"%s\": expects key or key=value", text);
	return mkfs_guard_arg(ctx, rest, "features", false);
}

static inline int mkfs_check_features(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	size_t i;
	int r = 0;

	for (i = 0; i < cfg->features.n && r == 0; i++) {
		const char *text = cfg->features.v[i];

		if (mkfs_family(cfg) == MKFS_FAMILY_XFS)
			r = mkfs_check_xfs_feature(ctx, text);
		else if (!mkfs_plain_word(text, "^,"))
			r = fst_error(ctx, 0,
				      "features: \"%s\": expects names, with ^ in front of those "
				      "that are "
				      "to be off",
				      text);
	}
	return r;
}

/*
 * Calls fn for each feature by name, and whether it is to be on; of xfs for those with 0 or 1. Names are cut out
 * of the lists.
 */
static inline void mkfs_each_feature(struct fst_ctx *ctx,
				     void (*fn)(struct fst_ctx *ctx, const char *name, bool on))
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	bool xfs = mkfs_family(cfg) == MKFS_FAMILY_XFS;
	const char *option, *p;
	char name[64];
	size_t i, len;

	for (i = 0; i < cfg->features.n; i++) {
		p = xfs ? mkfs_xfs_feature(cfg->features.v[i], &option) : cfg->features.v[i];
		for (; *p; p += len + (p[len] == ',')) {
			bool off = !xfs && *p == '^';

			p += off;
			len = strcspn(p, xfs ? "=" : ",");
			snprintf(name, sizeof(name), "%.*s", (int)len, p);
			if (!xfs) {
				fn(ctx, name, !off);
				continue;
			}
			if (strcmp(p + len, "=0") == 0 || strcmp(p + len, "=1") == 0)
				fn(ctx, name, p[len + 1] == '1');
			break;
		}
	}
}
