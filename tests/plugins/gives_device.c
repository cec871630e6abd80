/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says that the trial goes on on another device, as a step does that makes a volume. */
#include "common.h"

struct gives_device_cfg {
	const char *device;
};

static const struct fst_param gives_device_params[] = {
	{ .name = "device",
	  .type = FST_PATH,
	  FST_AT(struct gives_device_cfg, device),
	  .flags = FST_REQUIRED,
	  .doc = "The device." },
};

static int gives_device_apply(struct fst_ctx *ctx)
{
	const struct gives_device_cfg *cfg = ctx->cfg;

	return fst_set_device(ctx, cfg->device);
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "gives_device", COMMON_TEXTS, FST_PARAMS(gives_device_params),
	       .cfg_size = sizeof(struct gives_device_cfg), .apply = gives_device_apply);
