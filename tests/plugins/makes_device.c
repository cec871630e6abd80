/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a device by a shell command, as plugins for zram, loop devices or volumes do, and unmakes it by another. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

struct makes_device_cfg {
	const char *make, *unmake;
	bool missing;
};

static const struct fst_param makes_device_params[] = {
	{ .name = "make",
	  .type = FST_STR,
	  FST_AT(struct makes_device_cfg, make),
	  .flags = FST_REQUIRED,
	  .doc = "For sh -c, with DIR, DEVICE and DEVICES; prints the device's path, or nothing." },
	{ .name = "unmake",
	  .type = FST_STR,
	  FST_AT(struct makes_device_cfg, unmake),
	  .def = ":",
	  .doc = "The way back, with MADE." },
	{ .name = "missing",
	  .type = FST_BOOL,
	  FST_AT(struct makes_device_cfg, missing),
	  .def = "false",
	  .doc = "Cannot be had here." },
};

static int makes_device_sh(struct fst_ctx *ctx, const char *text, const char *const *env, struct fst_cmd_result *res)
{
	const char *const argv[] = { "/bin/sh", "-euc", text, NULL };
	const struct fst_cmd cmd = { .argv = argv, .env = env };
	int r = fst_run_cmd(ctx, &cmd, res);

	if (r == 0 && res->exit_status != 0)
		return fst_error(ctx, 0, "sh: %s", res->err);
	return r;
}

static int makes_device_probe(struct fst_ctx *ctx)
{
	const struct makes_device_cfg *cfg = ctx->cfg;

	return cfg->missing ? fst_error(ctx, EOPNOTSUPP, "the kernel has none of these") : 0;
}

static int makes_device_apply(struct fst_ctx *ctx)
{
	const struct makes_device_cfg *cfg = ctx->cfg;
	char dir[4096], device[4096], devices[4096] = "DEVICES=", made[4096];
	const char *const env[] = { dir, device, devices, NULL };
	struct fst_cmd_result res = { .struct_size = sizeof(res) };
	int r;

	snprintf(dir, sizeof(dir), "DIR=%s", ctx->dir ? ctx->dir : "");
	snprintf(device, sizeof(device), "DEVICE=%s", ctx->device ? ctx->device : "");
	for (uint32_t i = 0; i < ctx->n_devices; i++) {
		size_t len = strlen(devices);

		snprintf(devices + len, sizeof(devices) - len, "%s%s", i ? " " : "", ctx->devices[i]);
	}
	r = makes_device_sh(ctx, cfg->make, env, &res);
	if (r < 0)
		return r;
	snprintf(made, sizeof(made), "%s", res.out);
	made[strcspn(made, "\n")] = '\0';
	r = fst_save(ctx, "unmake", cfg->unmake);
	if (r == 0)
		r = fst_save(ctx, "made", made);
	return r < 0 || !*made ? r : fst_set_device(ctx, made);
}

static int makes_device_revert(struct fst_ctx *ctx)
{
	const char *unmake = fst_saved(ctx, "unmake"), *device = fst_saved(ctx, "made");
	char made[4096];
	const char *const env[] = { made, NULL };
	struct fst_cmd_result res = { .struct_size = sizeof(res) };

	if (!unmake || !device)
		return 0;
	snprintf(made, sizeof(made), "MADE=%s", device);
	return makes_device_sh(ctx, unmake, env, &res);
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "makes_device", COMMON_TEXTS, FST_PARAMS(makes_device_params),
	       .cfg_size = sizeof(struct makes_device_cfg), .flags = FST_PROVIDES_DEVICE,
	       .probe = makes_device_probe, .apply = makes_device_apply, .revert = makes_device_revert);
