/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: the job's `options` may name no place to write on but the target. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstrial/plugin.h>

#include "mkfs_args.h"
#include "mkfs_table.h"

struct mkfs_state {
	struct mkfs_args user; /* `options`, split */
	struct mkfs_args args;
	struct mkfs_args other; /* of a second command: a dry run, the journal's device */
	char uuid[40];		/* drawn by us, or empty */
	char config[1024];
};

/* Keys behind which a tool takes a device or file to write on. */
static inline bool mkfs_names_place(const char *piece, bool option)
{
	static const char *const keys[] = { "logdev", "rtdev", "name", "file", "device" };
	size_t i, len = strlen(piece), k;

	for (i = 0; i < FST_COUNT(keys); i++) {
		k = strlen(keys[i]);
		if (strcmp(piece, keys[i]) == 0)
			return true;
		if (option && len > k && strcmp(piece + len - k, keys[i]) == 0)
			return true; /* "-llogdev" */
	}
	return false;
}

static inline bool mkfs_is_device(const char *path)
{
	struct stat st;

	return path[0] && stat(path, &st) == 0 && S_ISBLK(st.st_mode);
}

/* glued: letters of options stand before the path, "-Fz/tmp/x". */
static inline bool mkfs_has_device(const char *word, bool glued)
{
	bool found = mkfs_is_device(word);

	for (; glued && !found && *word; word++)
		found = mkfs_is_device(word);
	return found;
}

/* ---- words that are no options ------------------------------------------------------------------ */

/* What has no value; of all else the next word is one. */
static const struct {
	const char *letters;
	const char *words[8];
} mkfs_alone[MKFS_FAMILIES] = {
	[MKFS_FAMILY_XFS] = { .letters = "fKNqV" },
	[MKFS_FAMILY_EXT] = { .letters = "cDFjnqSvV" },
	[MKFS_FAMILY_BTRFS] = { .letters = "fKMqvV",
				.words = { "--force", "--nodiscard", "--mixed", "--quiet",
					   "--verbose", "--shrink", "--version", "--help" } },
};

/* The letter in "-Kr" or "-r/tmp" that has a value, or 0. */
static inline char mkfs_letter(int family, const char *word)
{
	return word[0] == '-' && word[1] != '-'
		       ? word[1 + strspn(word + 1, mkfs_alone[family].letters)]
		       : '\0';
}

static inline bool mkfs_wants_next(int family, const char *word)
{
	size_t len = strlen(word), i;

	if (strncmp(word, "--", 2) != 0)
		return mkfs_letter(family, word) &&
		       word[1 + strspn(word + 1, mkfs_alone[family].letters) + 1] == '\0';
	for (i = 0; i < FST_COUNT(mkfs_alone[0].words) && mkfs_alone[family].words[i]; i++)
		if (strncmp(mkfs_alone[family].words[i], word, len) == 0)
			return false;
	return !strchr(word, '=');
}

/* Does `options` make a tree of files from a directory? Then to ask the tool is to copy it. */
static inline bool mkfs_copies_tree(int family, const struct mkfs_args *user)
{
	size_t i;

	for (i = 0; family == MKFS_FAMILY_BTRFS && i < user->n; i++)
		if (mkfs_letter(family, user->v[i]) == 'r' || strncmp(user->v[i], "--ro", 4) == 0)
			return true;
	return false;
}

/* A word between the options is a device or a file to the tool, and mkfs.btrfs formats them all. */
static inline int mkfs_guard_words(struct fst_ctx *ctx, const struct mkfs_args *user)
{
	int family = mkfs_family(ctx->cfg);
	size_t i;

	for (i = 0; i < user->n; i++) {
		const char *word = user->v[i];

		if (word[0] != '-' || !word[1] || strcmp(word, "--") == 0)
			return fst_error(ctx, 0,
					 "options: \"%s\" is no option: only the job's target may "
					 "be formatted",
					 word);
		if (family == MKFS_FAMILY_EXT && mkfs_letter(family, word) == 'z')
			return fst_error(ctx, 0,
					 "options: -z names a file to write on, which nobody would "
					 "remove again");
		if (mkfs_wants_next(family, word))
			i++;
	}
	return 0;
}

/* One argument in pieces, split at ',' and '='. look: ask the kernel too, not the form alone. */
static inline int mkfs_guard_arg(struct fst_ctx *ctx, const char *arg, const char *where, bool look)
{
	const char *p = arg;
	char piece[1024];

	for (;;) {
		size_t len = strcspn(p, ",=");

		if (len >= sizeof(piece))
			return fst_error(ctx, E2BIG, "%s: an argument is too long", where);
		memcpy(piece, p, len);
		piece[len] = '\0';
		if (strstr(piece, "/dev/") ||
		    (look && mkfs_has_device(piece, p == arg && arg[0] == '-')))
			return fst_error(ctx, 0,
					 "%s: %s is a device; only the job's target may be "
					 "formatted",
					 where, piece);
		if (p[len] == '=' && mkfs_names_place(piece, p == arg && arg[0] == '-'))
			return fst_error(ctx, 0,
					 "%s: %s names another place; only the job's target may "
					 "be formatted",
					 where, piece);
		if (!p[len])
			return 0;
		p += len + 1;
	}
}

static inline int mkfs_guard_options(struct fst_ctx *ctx, bool look)
{
	struct mkfs_state *st = ctx->state;
	size_t i;
	int r = 0;

	for (i = 0; i < st->user.n && r == 0; i++)
		r = mkfs_guard_arg(ctx, st->user.v[i], "options", look);
	if (r == 0)
		r = mkfs_guard_words(ctx, &st->user);
	return r;
}

static inline int mkfs_split_options(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_state *st = ctx->state;
	int r;

	memset(st, 0, sizeof(*st));
	r = cfg->options ? mkfs_split(&st->user, cfg->options) : 0;
	if (r == -EINVAL)
		return fst_error(ctx, 0, "options: a quote is not closed");
	return r < 0 ? fst_error(ctx, -r, "options: too long") : 0;
}

/* A configuration file of mkfs.xfs ("-c options=FILE") may name a log device as well. */
static inline int mkfs_guard_file(struct fst_ctx *ctx, const char *key, const char *path)
{
	char *line = NULL;
	size_t size = 0;
	struct stat st;
	FILE *f;
	int r = 0;

	/* Of a pipe nobody may ever write to the other end. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return fst_error(ctx, 0, "%s: %s is no regular file", key, path);
	f = fopen(path, "re");
	if (!f)
		return fst_error(ctx, errno, "%s: open %s", key, path);
	while (r == 0 && getline(&line, &size, f) >= 0) {
		char *from = line, *to = line;

		line[strcspn(line, "#;\n")] = '\0';
		for (; *from; from++)
			if (!isspace((unsigned char)*from))
				*to++ = *from;
		*to = '\0';
		r = mkfs_guard_arg(ctx, line, path, true);
	}
	free(line);
	fclose(f);
	return r;
}

static inline int mkfs_guard_files(struct fst_ctx *ctx)
{
	struct mkfs_state *st = ctx->state;
	size_t i;
	int r = 0;

	for (i = 0; i < st->user.n && r == 0; i++) {
		const char *file = strstr(st->user.v[i], "options=");

		if (file)
			r = mkfs_guard_file(ctx, "options", file + strlen("options="));
	}
	return r;
}
