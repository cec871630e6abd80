/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sysfs: why the kernel refused a write, in the words of who set the value. */
#pragma once

#include <fstrial/plugin.h>

#include "near_name.h"
#include "sysfs_value.h"

static const char *sysfs_disk(const struct fst_ctx *ctx)
{
	const char *slash = strrchr(ctx->sysfs, '/');

	return slash ? slash + 1 : ctx->sysfs;
}

static int sysfs_refused_scheduler(struct fst_ctx *ctx, int err, const char *value)
{
	char offer[SYSFS_VALUE_MAX], text[SYSFS_VALUE_MAX] = "";
	size_t i, n = 0;

	if (sysfs_value_read(ctx->sysfs, "queue/scheduler", offer, sizeof(offer)) < 0)
		return fst_error(ctx, err, "scheduler = %s", value);
	for (i = 0; offer[i] && n + 2 < sizeof(text); i++) {
		if (offer[i] == '[' || offer[i] == ']')
			continue;
		if (offer[i] == ' ')
			text[n++] = ',';
		text[n++] = offer[i];
	}
	text[n] = '\0';
	return fst_error(ctx, err, "scheduler = %s: the kernel offers %s for %s", value, text,
			 sysfs_disk(ctx));
}

static int sysfs_refused_nr_requests(struct fst_ctx *ctx, int err, const char *value)
{
	char scheduler[SYSFS_VALUE_MAX] = "", tags[SYSFS_VALUE_MAX] = "";

	sysfs_value_get(ctx->sysfs, "queue/scheduler", scheduler, sizeof(scheduler));
	sysfs_value_read(ctx->sysfs, "mq/0/nr_tags", tags, sizeof(tags));
	if (!tags[0])
		return fst_error(ctx, err,
				 "nr_requests = %s: %s has no request queue that takes it", value,
				 sysfs_disk(ctx));
	if (strcmp(scheduler, "none") == 0)
		return fst_error(
			ctx, err,
			"nr_requests = %s: with scheduler none the limit is the hardware "
			"queue's %s tags (mq/0/nr_tags); under mq-deadline it may be larger",
			value, tags);
	return fst_error(ctx, err,
			 "nr_requests = %s: more than the kernel allows under scheduler %s "
			 "(2048 as a rule)",
			 value, scheduler);
}

/* "NAME" is not there: is one that is nearly the same? */
static int sysfs_refused_name(struct fst_ctx *ctx, const char *name, const char *value)
{
	char path[SYSFS_VALUE_MAX], near[NEAR_NAME_MAX + 32] = "";
	const char *base = strrchr(name, '/');

	if (base && snprintf(path, sizeof(path), "%s/%.*s", ctx->sysfs, (int)(base - name), name) > 0)
		near_name(path, base + 1, near, sizeof(near));
	return fst_error(ctx, ENOENT, "%s = %s: %s has no %s%s", name, value, sysfs_disk(ctx), name,
			 near);
}

static int sysfs_refused(struct fst_ctx *ctx, int err, const char *name, const char *value)
{
	char now[SYSFS_VALUE_MAX] = "";

	if (err == ENOENT || err == ENOTDIR)
		return sysfs_refused_name(ctx, name, value);
	if (err == EACCES || err == EPERM || err == EROFS)
		return fst_error(ctx, err, "%s = %s: %s", name, value,
				 geteuid() == 0 ? "it is read-only" : "only root may write it");
	if (err == EINVAL && strcmp(name, "queue/scheduler") == 0)
		return sysfs_refused_scheduler(ctx, err, value);
	if (err == EINVAL && strcmp(name, "queue/nr_requests") == 0)
		return sysfs_refused_nr_requests(ctx, err, value);
	if (sysfs_value_get(ctx->sysfs, name, now, sizeof(now)) == 0)
		return fst_error(ctx, err,
				 "%s = %s: the kernel refuses this value for %s; it stays %s", name,
				 value, sysfs_disk(ctx), now);
	return fst_error(ctx, err, "%s = %s: the kernel refuses this value for %s", name, value,
			 sysfs_disk(ctx));
}
