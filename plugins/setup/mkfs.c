/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a new file system on the target's device. */
#include <errno.h>
#include <stdlib.h>

#include <fstrial/plugin.h>

#include "mkfs_build.h"
#include "mkfs_config.h"
#include "mkfs_dry.h"
#include "mkfs_external.h"
#include "mkfs_guard.h"
#include "mkfs_params.h"
#include "mkfs_readback.h"
#include "mkfs_run.h"

/* ---- probe, check ---------------------------------------------------------------------------- */

static int mkfs_probe(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	const char *name;
	size_t i;

	if (mkfs_find(ctx, &name))
		return cfg->program && access(cfg->program, X_OK) < 0
			       ? fst_error(ctx, errno, "program: run %s", cfg->program)
			       : 0;
	for (i = 0; i < FST_COUNT(mkfs_tools); i++)
		if (strcmp(mkfs_tools[i].program, name) == 0)
			return fst_error(ctx, EOPNOTSUPP,
					 "%s is not installed: install the package %s", name,
					 mkfs_tools[i].package);
	return fst_error(ctx, EOPNOTSUPP, "%s is not installed", name);
}

static int mkfs_check_number(struct fst_ctx *ctx, const struct mkfs_option *o)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	static const struct {
		int unit;
		uint64_t bytes;
		const char *name;
	} units[] = {
		{ MKFS_SECTORS, 512, "a multiple of 512 bytes" },
		{ MKFS_MIB, 1u << 20, "a whole number of MiB" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(units); i++)
		if (o->unit == units[i].unit && mkfs_number(cfg, o) % units[i].bytes)
			return fst_error(ctx, 0, "%s is not %s", o->param, units[i].name);
	if (o->unit == MKFS_BLOCKS && cfg->block_size && mkfs_number(cfg, o) % cfg->block_size)
		return fst_error(ctx, 0, "%s is not a multiple of block_size", o->param);
	return 0;
}

/* "xfs, not ext4": the parameter has no meaning for the type that is asked for. */
static int mkfs_wrong_family(struct fst_ctx *ctx, const char *param, int family)
{
	static const char *const names[MKFS_FAMILIES] = { "xfs", "ext4", "btrfs" };
	const struct mkfs_cfg *cfg = ctx->cfg;

	return fst_error(ctx, 0, "%s is for %s, not %s", param, names[family],
			 mkfs_fs_name(cfg->fs));
}

static int mkfs_check_family(struct fst_ctx *ctx)
{
	static const struct {
		const char *param;
		int family;
	} others[] = {
		{ "config", MKFS_FAMILY_XFS },
		{ "lazy_init", MKFS_FAMILY_EXT },
		{ "devices", MKFS_FAMILY_BTRFS },
	};
	const struct mkfs_cfg *cfg = ctx->cfg;
	int family = mkfs_family(cfg), of, r = 0;
	size_t i;

	for (i = 0; i < FST_COUNT(mkfs_options) && r == 0; i++) {
		const struct mkfs_option *o = &mkfs_options[i];

		if (!fst_is_set(ctx, o->param))
			continue;
		for (of = 0; of + 1 < MKFS_FAMILIES && !o->as[of].option;)
			of++;
		r = o->as[family].option ? mkfs_check_number(ctx, o)
					 : mkfs_wrong_family(ctx, o->param, of);
	}
	for (i = 0; i < FST_COUNT(others) && r == 0; i++)
		if (others[i].family != family && fst_is_set(ctx, others[i].param))
			r = mkfs_wrong_family(ctx, others[i].param, others[i].family);
	if (r == 0 && cfg->logdev && family == MKFS_FAMILY_BTRFS)
		r = mkfs_wrong_family(ctx, "logdev", MKFS_FAMILY_XFS);
	if (r == 0 && cfg->fs == MKFS_EXT2 && (cfg->logdev || fst_is_set(ctx, "journal_size")))
		r = fst_error(ctx, 0, "%s: ext2 has no journal",
			      cfg->logdev ? "logdev" : "journal_size");
	if (r == 0 && cfg->logdev && fst_is_set(ctx, "log_agnum"))
		r = fst_error(ctx, 0,
			      "log_agnum is for a log inside, and logdev names a device for it");
	return r;
}

static int mkfs_check_texts(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	static const size_t longest[MKFS_FAMILIES] = { 12, 16, 255 };
	size_t max = longest[mkfs_family(cfg)];
	unsigned char uuid[16];

	if (cfg->label && strlen(cfg->label) > max)
		return fst_error(ctx, 0, "label: at most %zu bytes for %s", max,
				 mkfs_fs_name(cfg->fs));
	if (cfg->uuid && !mkfs_uuid_bytes(cfg->uuid, uuid))
		return fst_error(ctx, 0, "uuid: \"%s\" is none", cfg->uuid);
	if (cfg->usage_type && !mkfs_plain_word(cfg->usage_type, ","))
		return fst_error(ctx, 0, "usage_type: expects names, separated by commas");
	return mkfs_check_config(ctx);
}

/* Everything that loses its contents beside the trial's device. */
static int mkfs_claim_all(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	size_t i;
	int r = cfg->logdev ? fst_claim(ctx, cfg->logdev) : 0;

	if (cfg->devices.n >= MKFS_MAX_ARGS)
		return fst_error(ctx, 0, "devices: %zu are too many", cfg->devices.n);
	for (i = 0; i < cfg->devices.n && r == 0; i++)
		r = fst_claim(ctx, cfg->devices.v[i]);
	return r < 0 ? r : block_named_once(ctx, &cfg->devices);
}

static int mkfs_check(struct fst_ctx *ctx)
{
	int r = mkfs_check_family(ctx);

	if (r == 0)
		r = mkfs_check_texts(ctx);
	if (r == 0)
		r = mkfs_check_features(ctx);
	if (r == 0)
		r = mkfs_claim_all(ctx);
	if (r == 0)
		r = mkfs_split_options(ctx);
	return r < 0 ? r : mkfs_guard_options(ctx, false);
}

/* ---- plan ------------------------------------------------------------------------------------ */

/*
 * What the tool will refuse, for `plan`. No error of the job's: in a matrix the other variants are still
 * worth running, and the tool's own version has the last word.
 */
static void mkfs_warn_pairs(struct fst_ctx *ctx)
{
	static const struct {
		const char *a, *b;
		bool together;
	} rules[] = {
		{ "agcount", "agsize", false }, { "su", "sunit", false },
		{ "su", "swidth", false },	{ "sw", "sunit", false },
		{ "sw", "swidth", false },	{ "su", "sw", true },
		{ "sw", "su", true },		{ "sunit", "swidth", true },
		{ "swidth", "sunit", true },
	};
	const struct mkfs_cfg *cfg = ctx->cfg;
	size_t i;

	for (i = 0; i < FST_COUNT(rules); i++) {
		if (!fst_is_set(ctx, rules[i].a) ||
		    fst_is_set(ctx, rules[i].b) == rules[i].together)
			continue;
		fst_warning(ctx,
			    rules[i].together ? "%s without %s will be refused by the tool"
					      : "%s together with %s will be refused by the tool",
			    rules[i].a, rules[i].b);
	}
	if (cfg->sunit && cfg->swidth % cfg->sunit)
		fst_warning(ctx, "swidth is not a multiple of sunit");
	if (cfg->stride && cfg->stripe_width % cfg->stride)
		fst_warning(ctx, "stripe_width is not a multiple of stride");
	if (cfg->log_version == 1 && !(fst_is_set(ctx, "crc") && cfg->crc == 0))
		fst_warning(ctx, "log_version = 1 needs crc = 0");
}

static int mkfs_take_config(struct fst_ctx *ctx, struct mkfs_make *m, const char *path)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_state *st = ctx->state;
	int r;

	if (!cfg->config)
		return 0;
	r = mkfs_find_config(ctx, path, st->config, sizeof(st->config));
	if (r < 0)
		return r;
	m->config = st->config;
	mkfs_note_config(ctx, st->config);
	return mkfs_guard_file(ctx, "config", st->config);
}

/* The job's options as words, and that none of them, and no file, leads to another device now. */
static int mkfs_take_options(struct fst_ctx *ctx)
{
	int r = mkfs_split_options(ctx);

	if (r == 0)
		r = mkfs_guard_options(ctx, true);
	return r < 0 ? r : mkfs_guard_files(ctx);
}

/* What will be made, where the tool is there and can be asked. *taken: false with a warning when it will refuse. */
static int mkfs_plan(struct fst_ctx *ctx, uint64_t bytes, bool *taken)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_state *st = ctx->state;
	struct mkfs_make m = { .user = &st->user, .block_size = cfg->block_size };
	char geometry[512] = "", version[32] = "", size[32];
	const char *path = mkfs_find(ctx, &m.program);
	int r;

	*taken = true;
	if (!path || mkfs_dry_enough())
		return 0;
	r = mkfs_take_options(ctx);
	if (r == 0)
		r = mkfs_take_config(ctx, &m, path);
	if (r < 0)
		return r;
	mkfs_ask_version(ctx, version, sizeof(version));
	if (bytes && !mkfs_copies_tree(mkfs_family(cfg), &st->user))
		*taken = mkfs_dry_run(ctx, &m, &st->args, path, bytes, geometry, sizeof(geometry));
	mkfs_dry_size(bytes, size, sizeof(size));
	if (*taken)
		fst_plan(ctx, NULL, "makes %s with %s%s%s%s%s%s%s", mkfs_fs_name(cfg->fs),
			 m.program, version[0] ? " " : "", version, geometry[0] ? ": on " : "",
			 geometry[0] ? size : "", geometry[0] ? " " : "", geometry);
	return 0;
}

/* mkfs.xfs 6.x refuses less. */
#define MKFS_XFS_MIN_BYTES (300ull << 20)

static int mkfs_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	const char *size = fst_fact(ctx, "device.size");
	unsigned long long bytes = size ? strtoull(size, NULL, 10) : 0;
	bool taken;
	int r = mkfs_plan(ctx, bytes, &taken);

	/* What the tool says itself, in its version, needs no guess. */
	if (r == 0 && taken) {
		mkfs_warn_pairs(ctx);
		if (cfg->fs == MKFS_XFS && bytes && bytes < MKFS_XFS_MIN_BYTES)
			fst_warning(ctx, "mkfs.xfs needs at least 300 MiB, the target has %llu MiB",
				    bytes >> 20);
	}
	est->time_ns = 300000000;
	return r;
}

/* ---- apply, revert, readback ----------------------------------------------------------------- */

/* Names of devices become paths. */
static int mkfs_place(struct fst_ctx *ctx, struct mkfs_make *m)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	size_t i;

	m->device = ctx->device;
	if (!m->device)
		return fst_error(ctx, 0, "the target has no device to make a file system on");
	m->logdev = cfg->logdev ? fst_target_device(ctx, cfg->logdev) : NULL;
	if (cfg->logdev && !m->logdev)
		return fst_error(ctx, 0, "logdev: the target has no %s", cfg->logdev);
	if (m->logdev && strcmp(m->logdev, m->device) == 0)
		return fst_error(ctx, 0, "logdev: %s is what the file system is made on",
				 cfg->logdev);
	for (i = 0; i < cfg->devices.n; i++) {
		m->more[i] = fst_target_device(ctx, cfg->devices.v[i]);
		if (!m->more[i])
			return fst_error(ctx, 0, "devices: the target has no %s",
					 cfg->devices.v[i]);
		if (strcmp(m->more[i], m->device) == 0)
			return fst_error(
				ctx, 0,
				"devices: %s is what the file system is made on without that",
				cfg->devices.v[i]);
	}
	m->n_more = cfg->devices.n;
	return 0;
}

static int mkfs_apply(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_state *st = ctx->state;
	struct mkfs_make m = { .user = &st->user };
	const char *path = mkfs_find(ctx, &m.program);
	char version[32] = "";
	int r;

	if (!path)
		return fst_error(ctx, ENOENT, "%s is not installed", m.program);
	r = mkfs_take_options(ctx);
	if (r == 0)
		r = mkfs_place(ctx, &m);
	if (r == 0)
		r = mkfs_take_config(ctx, &m, path);
	if (r)
		return r;
	mkfs_say_asked(ctx);
	r = mkfs_learn_block_size(ctx, &m, &st->other, path);
	if (r == 0)
		r = mkfs_prepare_external(ctx, &m, &st->other, path, st->uuid);
	if (r == 0)
		r = mkfs_build(ctx, &m, &st->args);
	if (r < 0)
		return r;
	mkfs_ask_version(ctx, version, sizeof(version));
	r = mkfs_run(ctx, &st->args, path, "command", NULL);
	/* Behind the run: the host notes the version of the tool that is installed, which is not what ran. */
	if (cfg->program)
		fst_note(ctx, "tool_version", version[0] ? version : "unknown");
	return r;
}

static int mkfs_revert(struct fst_ctx *ctx)
{
	return fst_saved_each(ctx, mkfs_revert_one, NULL);
}

static int mkfs_readback(struct fst_ctx *ctx)
{
	mkfs_say_in_force(ctx);
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "mkfs", .version = "2",
	       .summary = "makes a new file system on the target's device",
	       .description =
		       "Runs mkfs.xfs, mkfs.ext4 or mkfs.btrfs. Everything on the device is lost; "
		       "whether it "
		       "may be touched is decided before, by the run, so the tool itself is told "
		       "to force.\n"
		       "All sizes are in bytes, whatever the tool counts in, and are read back "
		       "from the file "
		       "system that was made: what the tool rounded or changed is a warning.\n"
		       "xfs is refused under 300MiB, allocation groups under 16MiB, and a sector "
		       "size under the "
		       "device's. su and sw change other defaults too: the number of allocation "
		       "groups doubles.\n"
		       "ext4 inode tables are zeroed at once unless lazy_init = true: by default "
		       "of the tool they would be zeroed while the workload runs.\n"
		       "A log or journal on a device of its own (logdev = \"target.2\") is mounted "
		       "with logdev "
		       "in the mount step too; its signature is removed when the trial is over.\n"
		       "program and config compare versions of a tool and its defaults; the "
		       "features of what "
		       "was made are among the notes.\n"
		       "The label \"fstrial\" is how a later run knows a file system of its own.",
	       FST_PARAMS(mkfs_params), FST_TOOLS(mkfs_tools), .cfg_size = sizeof(struct mkfs_cfg),
	       .state_size = sizeof(struct mkfs_state),
	       .flags = FST_DESTROYS_DEVICE | FST_NEEDS_DEVICE | FST_NEEDS_ROOT,
	       .probe = mkfs_probe, .check = mkfs_check, .estimate = mkfs_estimate,
	       .apply = mkfs_apply, .revert = mkfs_revert, .readback = mkfs_readback);
