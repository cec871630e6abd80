/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A setup step that misbehaves in the way a job asks for. Its change of the machine is a file:
 * made by apply, removed by revert, so a test sees whether it was put back.
 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum fails_apply_mode {
	FAILS_OK,
	FAILS_ERROR,
	FAILS_ERROR_AFTER_CHANGE,
	FAILS_SEGFAULT,
	FAILS_HANG,
	FAILS_EXIT0,
	FAILS_ABORT,
	FAILS_SKIP,
};

enum fails_apply_revert {
	REVERT_OK,
	REVERT_ERROR,
	REVERT_SEGFAULT,
};

enum fails_apply_in_force {
	IN_FORCE_SAME,
	IN_FORCE_OTHER,
	IN_FORCE_OTHER_MUST,
};

struct fails_apply_cfg {
	int mode;
	int revert_mode;
	int in_force;
	const char *path;
};

static const struct fst_choice fails_apply_modes[] = {
	{ "ok", FAILS_OK, "All goes well." },
	{ "error", FAILS_ERROR, "EIO before anything is changed." },
	{ "error_after_change", FAILS_ERROR_AFTER_CHANGE, "EIO after the file was made." },
	{ "segfault", FAILS_SEGFAULT, "Dies of SIGSEGV after the file was made." },
	{ "hang", FAILS_HANG, "Waits for ever after the file was made." },
	{ "exit0", FAILS_EXIT0, "Calls exit(0) after the file was made." },
	{ "abort", FAILS_ABORT, "Calls abort() after the file was made." },
	{ "skip", FAILS_SKIP, "probe says that it cannot work here." },
};

static const struct fst_choice fails_apply_reverts[] = {
	{ "ok", REVERT_OK, "Removes the file." },
	{ "error", REVERT_ERROR, "EIO, and the file stays." },
	{ "segfault", REVERT_SEGFAULT, "Dies of SIGSEGV, and the file stays." },
};

static const struct fst_choice fails_apply_in_forces[] = {
	{ "same", IN_FORCE_SAME, "What was asked." },
	{ "other", IN_FORCE_OTHER, "Another value, which is worth a warning." },
	{ "other_must", IN_FORCE_OTHER_MUST, "Another value, which is an error." },
};

#define FAILS_AT(field) FST_AT(struct fails_apply_cfg, field)

static const struct fst_param fails_apply_params[] = {
	{ .name = "mode",
	  .type = FST_ENUM,
	  FAILS_AT(mode),
	  .def = "ok",
	  FST_CHOICES(fails_apply_modes),
	  .doc = "What apply does." },
	{ .name = "revert_mode",
	  .type = FST_ENUM,
	  FAILS_AT(revert_mode),
	  .def = "ok",
	  FST_CHOICES(fails_apply_reverts),
	  .doc = "What revert does." },
	{ .name = "in_force",
	  .type = FST_ENUM,
	  FAILS_AT(in_force),
	  .def = "same",
	  FST_CHOICES(fails_apply_in_forces),
	  .doc = "What is in force afterwards." },
	{ .name = "path",
	  .type = FST_PATH,
	  FAILS_AT(path),
	  .flags = FST_REQUIRED,
	  .doc = "File that is made." },
};

/* Dies of the signal even where a sanitizer has taken it. */
static void fails_apply_die(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static int fails_apply_probe(struct fst_ctx *ctx)
{
	const struct fails_apply_cfg *cfg = ctx->cfg;

	if (cfg->mode == FAILS_SKIP)
		return fst_error(ctx, EOPNOTSUPP, "fails_apply was told to be impossible");
	return 0;
}

static int fails_apply_change(struct fst_ctx *ctx, const struct fails_apply_cfg *cfg)
{
	static const char *const reverts[] = { "ok", "error", "segfault" };
	int fd, ret;

	ret = fst_save(ctx, "revert_mode", reverts[cfg->revert_mode]);
	if (!ret)
		ret = fst_save(ctx, "marker", cfg->path);
	if (ret)
		return ret;
	fd = open(cfg->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return fst_error(ctx, errno, "create %s", cfg->path);
	close(fd);
	fst_asked(ctx, "marker", "there", cfg->in_force == IN_FORCE_OTHER_MUST ? FST_MUST : 0);
	return 0;
}

static int fails_apply_apply(struct fst_ctx *ctx)
{
	const struct fails_apply_cfg *cfg = ctx->cfg;
	int ret;

	if (cfg->mode == FAILS_ERROR)
		return fst_error(ctx, EIO, "fails_apply was told to fail before its change");
	ret = fails_apply_change(ctx, cfg);
	if (ret)
		return ret;
	switch (cfg->mode) {
	case FAILS_ERROR_AFTER_CHANGE:
		return fst_error(ctx, EIO, "fails_apply was told to fail after its change");
	case FAILS_SEGFAULT:
		fails_apply_die();
		break;
	case FAILS_HANG:
		for (;;)
			pause();
	case FAILS_EXIT0:
		exit(0);
	case FAILS_ABORT:
		abort();
	default:
		break;
	}
	return 0;
}

static int fails_apply_readback(struct fst_ctx *ctx)
{
	const struct fails_apply_cfg *cfg = ctx->cfg;
	bool same = cfg->in_force == IN_FORCE_SAME && access(cfg->path, F_OK) == 0;

	fst_in_force(ctx, "marker", same ? "there" : "elsewhere");
	return 0;
}

static int fails_apply_revert(struct fst_ctx *ctx)
{
	const char *path = fst_saved(ctx, "marker"), *mode = fst_saved(ctx, "revert_mode");

	if (!path)
		return 0;
	if (mode && !strcmp(mode, "error"))
		return fst_error(ctx, EIO, "fails_apply was told to leave %s", path);
	if (mode && !strcmp(mode, "segfault"))
		fails_apply_die();
	if (unlink(path) && errno != ENOENT)
		return fst_error(ctx, errno, "remove %s", path);
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "fails_apply", .version = "1", .summary = "Fails as told",
	       .description = "For tests: makes a file, then misbehaves in apply or revert.",
	       FST_PARAMS(fails_apply_params), .cfg_size = sizeof(struct fails_apply_cfg),
	       .probe = fails_apply_probe, .apply = fails_apply_apply, .revert = fails_apply_revert,
	       .readback = fails_apply_readback);
