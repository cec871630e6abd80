/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: runs a tool, and says what it said. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <fstrial/plugin.h>

#include "mkfs_build.h"
#include "mkfs_message.h"

/* The program's full path, and what to call it: a program of the job's is named in full. NULL: not installed. */
static inline const char *mkfs_find(struct fst_ctx *ctx, const char **name)
{
	const struct mkfs_cfg *cfg = ctx->cfg;

	*name = cfg->program ? cfg->program : mkfs_program(cfg->fs);
	return cfg->program ? cfg->program : fst_find_tool(ctx, *name);
}

/* "mke2fs 1.47.0 (5-Feb-2023)", "mkfs.xfs version 6.1.0", "..., part of btrfs-progs v6.2": the number. */
static inline bool mkfs_parse_version(const char *text, char *version, size_t size)
{
	static const char between[] = " \t\n,;()";

	while (*text) {
		size_t len = strcspn(text, between);
		size_t v = len && *text == 'v';

		if (isdigit((unsigned char)text[v]) && memchr(text, '.', len)) {
			snprintf(version, size, "%.*s", (int)(len - v), text + v);
			return true;
		}
		text += len;
		text += strspn(text, between);
	}
	return false;
}

/* Asked of a program of the job's: the host only knows the version of the one that is installed. */
static inline bool mkfs_ask_version(struct fst_ctx *ctx, char *version, size_t size)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	const char *argv[] = { cfg->program, "-V", NULL };
	struct fst_cmd_result res = { .struct_size = sizeof(res) };
	struct fst_cmd cmd = { .argv = argv, .timeout_ns = UINT64_C(10000000000) };

	if (!cfg->program || fst_run_cmd(ctx, &cmd, &res) < 0 || res.exit_status != 0)
		return false;
	return mkfs_parse_version(res.out ? res.out : "", version, size) ||
	       mkfs_parse_version(res.err ? res.err : "", version, size);
}

/* What a tool that went well has to say, in one warning. */
static inline void mkfs_warn(struct fst_ctx *ctx, const char *program, const char *err)
{
	char line[512], text[1024] = "";
	size_t n = 0;

	while (said_next_line(&err, line, sizeof(line)) && n < sizeof(text))
		if (!mkfs_is_banner(line))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "",
					      line);
	if (n)
		fst_warning(ctx, "%s: %s", program, text);
}

/* *out: what it printed, or NULL. note: key for the command in the result. */
static inline int mkfs_run(struct fst_ctx *ctx, struct mkfs_args *args, const char *path,
			   const char *note, const char **out)
{
	struct fst_cmd_result res = { .struct_size = sizeof(res) };
	struct fst_cmd cmd = { .argv = args->v };
	const char *base = strrchr(args->v[0], '/') ? strrchr(args->v[0], '/') + 1 : args->v[0];
	char command[MKFS_MAX_TEXT], text[1200];
	int r;

	mkfs_join(command, sizeof(command), args);
	args->v[0] = path;
	r = fst_run_cmd(ctx, &cmd, &res);
	fst_note(ctx, note, command);
	if (r < 0)
		return r;
	if (res.exit_status < 0)
		return fst_error(ctx, 0, "%s was ended by signal %d (command: %s)", base,
				 res.signal, command);
	if (res.exit_status != 0) {
		mkfs_message(base, res.out ? res.out : "", res.err ? res.err : "", text,
			     sizeof(text));
		return fst_error(ctx, 0, "%s (command: %s)", text, command);
	}
	mkfs_warn(ctx, base, res.err ? res.err : "");
	if (out)
		*out = res.out;
	return 0;
}
