/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mounts the target's device on a directory of its own; the trial goes on there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "mount_device.h"
#include "mount_holders.h"
#include "mount_log.h"
#include "mount_options.h"
#include "mount_place.h"

#define MOUNT_BUSY_NS UINT64_C(10000000000)

static const struct fst_param mount_params[] = {
	{ .name = "fs",
	  .alias = "type",
	  .type = FST_STR,
	  FST_AT(struct mount_cfg, fs),
	  .def = "auto",
	  .doc = "The file system's type as the kernel calls it; auto takes what is on the "
		 "device." },
	{ .name = "options",
	  .type = FST_STR,
	  FST_AT(struct mount_cfg, options),
	  .doc = "Mount options, separated by commas as for mount -o." },
	{ .name = "logdev",
	  .alias = "journal_dev",
	  .type = FST_STR,
	  FST_AT(struct mount_cfg, logdev),
	  .doc = "xfs, ext3, ext4: the device of the target that the log is on, as in mkfs: "
		 "\"target.2\" or its "
		 "path." },
	{ .name = "bind",
	  .type = FST_BOOL,
	  FST_AT(struct mount_cfg, bind),
	  .def = "false",
	  .doc = "Shows what is mounted already at a second place, with options of that place "
		 "alone, ro or "
		 "noatime for two; the steps that follow work there." },
};

/* ---- probe, check ---------------------------------------------------------------------------- */

static int mount_probe(struct fst_ctx *ctx)
{
	const struct mount_cfg *cfg = ctx->cfg;
	bool named = strcmp(cfg->fs, "auto") != 0;
	int fd = fsopen(named ? cfg->fs : "proc", FSOPEN_CLOEXEC);

	if (fd >= 0)
		close(fd);
	else if (errno == ENOSYS)
		return fst_error(ctx, EOPNOTSUPP,
				 "the kernel is older than 5.2: it has no fsopen()");
	else if (errno == ENODEV && named)
		return fst_error(ctx, EOPNOTSUPP, "the kernel has no file system %s", cfg->fs);
	return 0;
}

/* Words for devices of the target become their paths, once these are known. */
static int mount_name_devices(struct fst_ctx *ctx)
{
	struct mount_state *st = ctx->state;
	size_t i;

	for (i = 0; i < st->options.n && ctx->n_devices; i++) {
		struct mount_option *o = &st->options.v[i];
		const char *word = o->value;

		if (!word || !mount_in(mount_device_keys, FST_COUNT(mount_device_keys), o->name))
			continue;
		o->value = fst_target_device(ctx, word);
		if (!o->value)
			return fst_error(ctx, 0, "%s: the target has no %s", o->name, word);
	}
	return 0;
}

static int mount_parse_options(struct fst_ctx *ctx)
{
	const struct mount_cfg *cfg = ctx->cfg;
	struct mount_state *st = ctx->state;
	int r = mount_parse(&st->options, cfg->options ? cfg->options : "");

	if (r == -EINVAL)
		return fst_error(ctx, 0, "options: a quote is not closed");
	return r < 0 ? fst_error(ctx, -r, "options: too many") : mount_name_devices(ctx);
}

static int mount_check_option(struct fst_ctx *ctx, const struct mount_option *o)
{
	const struct mount_cfg *cfg = ctx->cfg;
	const struct mount_flag *f = mount_flag_find(o->name);

	if (f && f->word == MOUNT_WORD_REFUSED)
		return fst_error(ctx, 0,
				 "options: %s has no place here: the target's device is "
				 "mounted on a directory of its own",
				 o->name);
	if (f && f->word != MOUNT_WORD_FS && o->value)
		return fst_error(ctx, 0, "options: %s takes no value", o->name);
	if (cfg->bind && (!f || f->word == MOUNT_WORD_FS))
		return fst_error(
			ctx, 0,
			"options: %s is for the whole file system, which bind does not mount anew",
			o->name);
	if (cfg->logdev && mount_in(mount_log_keys, FST_COUNT(mount_log_keys), o->name))
		return fst_error(ctx, 0, "options: %s says once more what logdev says", o->name);
	if (o->value && mount_in(mount_device_keys, FST_COUNT(mount_device_keys), o->name))
		return fst_claim(ctx, o->value);
	return 0;
}

static int mount_check(struct fst_ctx *ctx)
{
	const struct mount_cfg *cfg = ctx->cfg;
	struct mount_state *st = ctx->state;
	int r = mount_parse_options(ctx);
	size_t i;

	for (i = 0; i < st->options.n && r == 0; i++)
		r = mount_check_option(ctx, &st->options.v[i]);
	if (r == 0 && cfg->bind && (cfg->logdev || strcmp(cfg->fs, "auto") != 0))
		r = fst_error(ctx, 0, "%s: bind mounts no device", cfg->logdev ? "logdev" : "fs");
	return r == 0 && cfg->logdev ? fst_claim(ctx, cfg->logdev) : r;
}

static int mount_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct mount_cfg *cfg = ctx->cfg;
	const char *options = cfg->options && cfg->options[0] ? cfg->options : NULL;

	fst_plan(ctx, NULL, "%s%s%s%s%s", cfg->bind ? "shows it at a second place" : "mounts it",
		 options ? " with " : "", options ? options : "",
		 cfg->logdev ? ", the log on " : "", cfg->logdev ? cfg->logdev : "");
	est->time_ns = 50000000;
	return 0;
}

/* ---- apply ----------------------------------------------------------------------------------- */

static void mount_say_asked(struct fst_ctx *ctx)
{
	const struct mount_cfg *cfg = ctx->cfg;
	struct mount_state *st = ctx->state;
	char key[128];
	size_t i;

	if (strcmp(cfg->fs, "auto") != 0)
		fst_asked(ctx, "fs", cfg->fs, 0);
	for (i = 0; i < st->options.n; i++) {
		const struct mount_option *o = &st->options.v[i];

		if (mount_idle(&st->options, i))
			continue;
		snprintf(key, sizeof(key), "option.%s", o->name);
		fst_asked(ctx, key, o->value ? o->value : "yes", 0);
	}
}

static int mount_apply_device(struct fst_ctx *ctx)
{
	struct mount_state *st = ctx->state;
	struct mount_job job = { .ctx = ctx, .fd = -1, .kmsg = -1 };
	struct mount_log context = { .sure = false }, kernel = { .sure = false };
	char name[64];
	int r;

	if (!ctx->device)
		return fst_error(ctx, 0, "the target has no device to mount");
	r = mount_type(ctx, &job.type);
	if (r == 0)
		r = mount_add_logdev(ctx, job.type);
	if (r < 0)
		return r;
	job.fd = fsopen(job.type, FSOPEN_CLOEXEC);
	if (job.fd < 0)
		return fst_error(ctx, errno, "the kernel has no file system %s", job.type);
	mount_kernel_name(ctx->device, name, sizeof(name));
	job.kmsg = mount_kmsg_open();
	mount_say_asked(ctx);
	r = mount_make_dir(ctx, st->dir, sizeof(st->dir));
	if (r == 0) {
		r = mount_do(&job);
		mount_read_context(ctx, job.fd, &context);
		mount_read_kmsg(job.kmsg, name, &kernel);
		if (r < 0)
			r = mount_failed(&job, -r, &context, &kernel);
		else if (kernel.all[0])
			fst_note(ctx, "kernel_log", kernel.all);
	}
	if (job.kmsg >= 0)
		close(job.kmsg);
	close(job.fd);
	return r;
}

static int mount_apply_bind(struct fst_ctx *ctx)
{
	struct mount_state *st = ctx->state;
	int r;

	if (!ctx->dir)
		return fst_error(ctx, 0, "bind: nothing is mounted: a mount step must come before");
	mount_say_asked(ctx);
	r = mount_make_dir(ctx, st->dir, sizeof(st->dir));
	return r == 0 ? mount_bind(ctx, &st->options, ctx->dir, st->dir) : r;
}

static int mount_apply(struct fst_ctx *ctx)
{
	const struct mount_cfg *cfg = ctx->cfg;
	struct mount_state *st = ctx->state;
	int r = mount_parse_options(ctx);

	if (r == 0)
		r = cfg->bind ? mount_apply_bind(ctx) : mount_apply_device(ctx);
	return r < 0 ? r : fst_set_dir(ctx, st->dir);
}

/* ---- revert, readback ------------------------------------------------------------------------ */

static int mount_put_back(struct fst_ctx *ctx, uint64_t patience_ns)
{
	const char *dir = fst_saved(ctx, "mountpoint");
	struct mount_holders holders;
	int r;

	if (!dir)
		return 0;
	r = mount_umount(dir, patience_ns);
	if (r == -EBUSY) {
		mount_find_holders(&holders, dir);
		return fst_error(ctx, EBUSY, "umount %s: held by %s", dir,
				 holders.text[0] ? holders.text
						 : "something that /proc does not show");
	}
	if (r < 0)
		return fst_error(ctx, -r, "umount %s", dir);
	if (rmdir(dir) < 0 && errno != ENOENT)
		return fst_error(ctx, errno, "remove directory %s", dir);
	return 0;
}

static int mount_revert(struct fst_ctx *ctx)
{
	return mount_put_back(ctx, MOUNT_BUSY_NS);
}

static int mount_readback(struct fst_ctx *ctx)
{
	const struct mount_cfg *cfg = ctx->cfg;
	const char *shown = fst_fact(ctx, "filesystem.mount.options");
	const char *type = fst_fact(ctx, "filesystem.type"), *now;
	struct mount_state *st = ctx->state;
	char key[128], buf[512], list[MOUNT_MAX_TEXT * 2];
	int r = mount_parse_options(ctx);
	size_t i;

	if (type)
		fst_in_force(ctx, "fs", type);
	if (r == 0 && type && !cfg->bind)
		r = mount_add_logdev(ctx, type);
	if (shown)
		mount_all_options(ctx, type, shown, list, sizeof(list));
	for (i = 0; i < st->options.n && r == 0 && shown; i++) {
		const struct mount_option *o = &st->options.v[i];

		if (mount_idle(&st->options, i))
			continue;
		snprintf(key, sizeof(key), "option.%s", o->name);
		now = mount_option_in_force(list, o, buf, sizeof(buf));
		if (now)
			fst_in_force(ctx, key, now);
	}
	return r;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "mount", .version = "2",
	       .summary = "mounts the target's device; the steps that follow work there",
	       .description =
		       "Mounts the device on a new directory under /run/fstrial, and unmounts it "
		       "afterwards. When "
		       "somebody holds it, it waits 10 seconds and then names the holder.\n"
		       "When the kernel refuses, the reason is the kernel's own and names the "
		       "option, not just an "
		       "error number.\n"
		       "Options that many recipes still carry are gone from xfs: nobarrier, "
		       "barrier, delaylog, "
		       "osyncisdsync. Some are taken and change nothing, dax=always on a device "
		       "without DAX for "
		       "one: what is in force is read back and a difference is a warning.\n"
		       "sunit and swidth are in 512-byte sectors here, as the kernel has them.\n"
		       "A workload with cold = true has all of this undone and done again before "
		       "it, so that "
		       "nothing is in a cache.",
	       FST_PARAMS(mount_params), .cfg_size = sizeof(struct mount_cfg),
	       .state_size = sizeof(struct mount_state),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_VOLATILE | FST_PROVIDES_DIR,
	       .probe = mount_probe, .check = mount_check, .estimate = mount_estimate,
	       .apply = mount_apply, .revert = mount_revert, .readback = mount_readback);
