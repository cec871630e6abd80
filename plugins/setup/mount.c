/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mounts the target's device on a directory of its own; the trial goes on there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "mount_holders.h"
#include "mount_log.h"
#include "mount_options.h"

#define MOUNT_BUSY_NS UINT64_C(10000000000)
#define MOUNT_CREATE_EXCL 8 /* FSCONFIG_CMD_CREATE_EXCL, Linux 6.6 */

struct mount_cfg {
	const char *fs;
	const char *options;
};

struct mount_state {
	struct mount_options options;
	char dir[64];
};

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

static int mount_parse_options(struct fst_ctx *ctx)
{
	const struct mount_cfg *cfg = ctx->cfg;
	struct mount_state *st = ctx->state;
	int r = mount_parse(&st->options, cfg->options ? cfg->options : "");

	if (r == -EINVAL)
		return fst_error(ctx, 0, "options: a quote is not closed");
	return r < 0 ? fst_error(ctx, -r, "options: too many") : 0;
}

static int mount_check(struct fst_ctx *ctx)
{
	struct mount_state *st = ctx->state;
	int r = mount_parse_options(ctx);
	size_t i;

	for (i = 0; i < st->options.n && r == 0; i++) {
		const struct mount_option *o = &st->options.v[i];
		const struct mount_flag *f = mount_flag_find(o->name);

		if (f && f->word == MOUNT_WORD_REFUSED)
			return fst_error(ctx, 0,
					 "options: %s has no place here: the target's device is "
					 "mounted on a directory of its own",
					 o->name);
		if (f && f->word != MOUNT_WORD_FS && o->value)
			return fst_error(ctx, 0, "options: %s takes no value", o->name);
		if (o->value && mount_in(mount_device_keys, FST_COUNT(mount_device_keys), o->name))
			r = fst_claim(ctx, o->value);
	}
	return r;
}

/* ---- the mount ------------------------------------------------------------------------------- */

struct mount_job {
	struct fst_ctx *ctx;
	const char *type;
	const char *option; /* at fault, or NULL */
	int fd;		    /* the context */
	int kmsg;
	uint64_t attr;
};

static int mount_type(struct fst_ctx *ctx, const char **type)
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

/* One option into the context, or into the attributes of the mount. */
static int mount_set_option(struct mount_job *job, const struct mount_option *o)
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
static int mount_create(struct mount_job *job)
{
	if (fsconfig(job->fd, MOUNT_CREATE_EXCL, NULL, NULL, 0) == 0)
		return 0;
	if (errno != EOPNOTSUPP)
		return -errno;
	return fsconfig(job->fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0 ? -errno : 0;
}

static int mount_attach(struct mount_job *job, const char *dir)
{
	int r = 0, mfd = fsmount(job->fd, FSMOUNT_CLOEXEC, (unsigned int)job->attr);

	if (mfd < 0)
		return -errno;
	if (move_mount(mfd, "", AT_FDCWD, dir, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		r = -errno;
	close(mfd);
	return r;
}

static int mount_do(struct mount_job *job)
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
static int mount_failed(struct mount_job *job, int err, struct mount_log *context,
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

/* A new directory with a name that nobody can foresee; its name is kept before it is made. */
static int mount_make_dir(struct fst_ctx *ctx)
{
	struct mount_state *st = ctx->state;
	const char *base = "/run/fstrial";
	uint64_t id;
	int r;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return fst_error(ctx, errno, "getrandom");
	/* A program that runs as another user must come through, whatever the umask; but not list the names. */
	if ((mkdir(base, 0711) < 0 && errno != EEXIST) || chmod(base, 0711) < 0)
		base = "/tmp";
	snprintf(st->dir, sizeof(st->dir), "%s/mnt-%016llx", base, (unsigned long long)id);
	r = fst_save(ctx, "mountpoint", st->dir);
	if (r < 0)
		return r;
	return mkdir(st->dir, 0700) < 0 ? fst_error(ctx, errno, "make directory %s", st->dir) : 0;
}

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

static int mount_apply(struct fst_ctx *ctx)
{
	struct mount_state *st = ctx->state;
	struct mount_job job = { .ctx = ctx, .fd = -1, .kmsg = -1 };
	struct mount_log context = { .sure = false }, kernel = { .sure = false };
	char name[64];
	int r;

	if (!ctx->device)
		return fst_error(ctx, 0, "the target has no device to mount");
	r = mount_parse_options(ctx);
	if (r == 0)
		r = mount_type(ctx, &job.type);
	if (r < 0)
		return r;
	job.fd = fsopen(job.type, FSOPEN_CLOEXEC);
	if (job.fd < 0)
		return fst_error(ctx, errno, "the kernel has no file system %s", job.type);
	mount_kernel_name(ctx->device, name, sizeof(name));
	job.kmsg = mount_kmsg_open();
	mount_say_asked(ctx);
	r = mount_make_dir(ctx);
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
	return r < 0 ? r : fst_set_dir(ctx, st->dir);
}

/* ---- revert, readback ------------------------------------------------------------------------ */

/*
 * Takes away every mount that is there. Busy ones get a while: a process may just be on its way
 * out.
 */
static int mount_umount(const char *dir, uint64_t patience_ns)
{
	const struct timespec pause = { .tv_nsec = 50000000 };

	for (;;) {
		if (umount2(dir, UMOUNT_NOFOLLOW) == 0)
			continue;
		if (errno == EINVAL || errno == ENOENT || errno == ENOTDIR)
			return 0;
		if (errno != EBUSY || patience_ns < (uint64_t)pause.tv_nsec)
			return -errno;
		patience_ns -= (uint64_t)pause.tv_nsec;
		nanosleep(&pause, NULL);
	}
}

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
	const char *list = fst_fact(ctx, "filesystem.mount.options");
	const char *type = fst_fact(ctx, "filesystem.type"), *now;
	struct mount_state *st = ctx->state;
	char key[128], buf[512];
	int r = mount_parse_options(ctx);
	size_t i;

	if (type)
		fst_in_force(ctx, "fs", type);
	for (i = 0; i < st->options.n && r == 0 && list; i++) {
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

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "mount", .version = "1",
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
		       "sunit and swidth are in 512-byte sectors here, as the kernel has them.",
	       FST_PARAMS(mount_params), .cfg_size = sizeof(struct mount_cfg),
	       .state_size = sizeof(struct mount_state),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_VOLATILE | FST_PROVIDES_DIR, .probe = mount_probe,
	       .check = mount_check, .apply = mount_apply, .revert = mount_revert,
	       .readback = mount_readback);
