/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mount: a device, by the calls that can say which option was wrong. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "mount_log.h"
#include "mount_options.h"

#define MOUNT_CREATE_EXCL 8 /* FSCONFIG_CMD_CREATE_EXCL, Linux 6.6 */

struct mount_cfg {
	const char *fs;
	const char *options;
	const char *logdev;
	bool bind;
};

struct mount_state {
	struct mount_options options;
	char dir[64];
};

struct mount_job {
	struct fst_ctx *ctx;
	const char *type;
	const char *option; /* at fault, or NULL */
	int fd;		    /* the context */
	int kmsg;
	uint64_t attr;
};

static inline int mount_type(struct fst_ctx *ctx, const char **type)
{
	const struct mount_cfg *cfg = ctx->cfg;

	*type = cfg->fs;
	if (strcmp(cfg->fs, "auto") != 0)
		return 0;
	*type = fst_fact(ctx, "filesystem.type");
	if (*type && **type)
		return 0;
	return fst_error(ctx, 0,
			 "no file system is known on %s: name it with fs, or put mkfs before",
			 ctx->device);
}

/* The log's device as an option of the type's, behind those of the job. */
static inline int mount_add_logdev(struct fst_ctx *ctx, const char *type)
{
	const struct mount_cfg *cfg = ctx->cfg;
	struct mount_state *st = ctx->state;
	struct mount_option *o = &st->options.v[st->options.n];
	bool ext = strcmp(type, "ext3") == 0 || strcmp(type, "ext4") == 0;

	if (!cfg->logdev)
		return 0;
	if (!ext && strcmp(type, "xfs") != 0)
		return fst_error(ctx, 0, "logdev: %s has no log on a device of its own", type);
	if (st->options.n == MOUNT_MAX_OPTIONS)
		return fst_error(ctx, E2BIG, "options: too many");
	o->name = ext ? "journal_path" : "logdev";
	o->value = fst_target_device(ctx, cfg->logdev);
	if (!o->value)
		return fst_error(ctx, 0, "logdev: the target has no %s", cfg->logdev);
	st->options.n++;
	return 0;
}

/* One option into the context, or into the attributes of the mount. */
static inline int mount_set_option(struct mount_job *job, const struct mount_option *o)
{
	const struct mount_flag *f = mount_flag_find(o->name);
	int r = 0;

	if (f) {
		job->attr &= ~f->clear;
		job->attr |= f->set;
	}
	if (!f || f->word != MOUNT_WORD_ATTR)
		r = o->value ? fsconfig(job->fd, FSCONFIG_SET_STRING, o->name, o->value, 0)
			     : fsconfig(job->fd, FSCONFIG_SET_FLAG, o->name, NULL, 0);
	if (r == 0)
		return 0;
	job->option = o->name;
	return -errno;
}

/* Only a file system that nobody has mounted: of another one the options would be ignored. */
static inline int mount_create(struct mount_job *job)
{
	if (fsconfig(job->fd, MOUNT_CREATE_EXCL, NULL, NULL, 0) == 0)
		return 0;
	if (errno != EOPNOTSUPP)
		return -errno;
	return fsconfig(job->fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0 ? -errno : 0;
}

static inline int mount_attach(struct mount_job *job, const char *dir)
{
	int r = 0, mfd = fsmount(job->fd, FSMOUNT_CLOEXEC, (unsigned int)job->attr);

	if (mfd < 0)
		return -errno;
	if (move_mount(mfd, "", AT_FDCWD, dir, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		r = -errno;
	close(mfd);
	return r;
}

static inline int mount_do(struct mount_job *job)
{
	struct mount_state *st = job->ctx->state;
	size_t i;
	int r = 0;

	if (fsconfig(job->fd, FSCONFIG_SET_STRING, "source", job->ctx->device, 0) < 0)
		return -errno;
	for (i = 0; i < st->options.n && r == 0; i++)
		if (!mount_idle(&st->options, i))
			r = mount_set_option(job, &st->options.v[i]);
	if (r == 0)
		r = mount_create(job);
	return r < 0 ? r : mount_attach(job, st->dir);
}

/* The best reason there is: the context knows the option, the kernel's log all that came later. */
static inline int mount_failed(struct mount_job *job, int err, struct mount_log *context,
			       struct mount_log *kernel)
{
	struct fst_ctx *ctx = job->ctx;
	const char *why = context->best[0] ? context->best : kernel->best;
	char option[128] = "";

	if (kernel->all[0])
		fst_note(ctx, "kernel_log", kernel->all);
	if (job->option)
		snprintf(option, sizeof(option), "option %s: ", job->option);
	if (!why[0] && err == EBUSY)
		why = "the device or its file system is in use already";
	if (!why[0] && err == EINVAL)
		why = "the kernel gives no reason; is that what is on the device?";
	return fst_error(ctx, err, "mount %s as %s: %s%s", ctx->device, job->type, option,
			 why[0] ? why : "the kernel gives no reason");
}
