/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: `config`, a file of pinned defaults for mkfs.xfs. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "mkfs_table.h"

#define MKFS_MAX_PATH 1024

static inline int mkfs_check_config(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;

	if (!cfg->config)
		return 0;
	if (!cfg->config[0] || (cfg->config[0] != '/' && strchr(cfg->config, '/')))
		return fst_error(
			ctx, 0,
			"config: expects a full path, or the bare name of a file of xfsprogs");
	if (strpbrk(cfg->config, ",=") || strlen(cfg->config) > MKFS_MAX_PATH / 2)
		return fst_error(
			ctx, 0,
			"config: a path with a comma or an equals sign, or a very long one, cannot "
			"be given to mkfs.xfs");
	return 0;
}

/* Where xfsprogs puts them: beside the program that is used, and where packages have them. */
static inline int mkfs_find_config(struct fst_ctx *ctx, const char *program, char *path,
				   size_t size)
{
	static const char *const places[] = { "", "/usr/share/xfsprogs/mkfs/",
					      "/usr/local/share/xfsprogs/mkfs/" };
	const struct mkfs_cfg *cfg = ctx->cfg;
	const char *slash = strrchr(program, '/');
	int dir_len = slash ? (int)(slash - program) : 0;
	size_t i, k;

	snprintf(path, size, "%s", cfg->config);
	if (cfg->config[0] == '/')
		return access(path, R_OK) == 0 ? 0 : fst_error(ctx, errno, "config: read %s", path);
	for (i = 0; i < FST_COUNT(places); i++) {
		for (k = 0; k < 2; k++) {
			const char *end = k ? ".conf" : "";

			if (i == 0)
				snprintf(path, size, "%.*s/../share/xfsprogs/mkfs/%s%s", dir_len,
					 program, cfg->config, end);
			else
				snprintf(path, size, "%s%s%s", places[i], cfg->config, end);
			if (access(path, R_OK) == 0)
				return 0;
		}
	}
	return fst_error(ctx, 0, "config: there is no %s or %s.conf in %s", cfg->config,
			 cfg->config, places[1]);
}

/* "[metadata] crc=1 bigtime=0": what is in the file, for the result, in one line without comments. */
static inline void mkfs_note_config(struct fst_ctx *ctx, const char *path)
{
	char text[2048], *line = NULL;
	size_t n, size = 0, cap = 0;
	FILE *f = fopen(path, "re");

	n = (size_t)snprintf(text, sizeof(text), "%s:", path);
	while (f && getline(&line, &cap, f) >= 0) {
		char *p = line, *end;

		line[strcspn(line, "#;\n")] = '\0';
		while (isspace((unsigned char)*p))
			p++;
		for (end = p + strlen(p); end > p && isspace((unsigned char)end[-1]);)
			*--end = '\0';
		size = strlen(p);
		if (size && n + size + 2 < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %s", p);
	}
	free(line);
	if (f)
		fclose(f);
	fst_note(ctx, "config", text);
}
