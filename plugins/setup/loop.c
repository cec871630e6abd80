/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes an image file and a loop device over it; the trial goes on there. */
#include <errno.h>

#include <fstrial/plugin.h>

#include "loop_ours.h"

#define LOOP_FIRST_NUMBER 300
#define LOOP_NUMBERS 1000

enum loop_space { LOOP_SPARSE = 0, LOOP_FALLOCATED = 1 };

struct loop_cfg {
	uint64_t size, sector_size;
	int space;
	bool direct_io;
};

static const struct fst_choice loop_spaces[] = {
	{ "sparse", LOOP_SPARSE, "Blocks of the file come with the first write to them." },
	{ "fallocated", LOOP_FALLOCATED, "The file has all its blocks from the beginning." },
};

#define LOOP_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct loop_cfg, n)

static const struct fst_param loop_params[] = {
	{ LOOP_PARAM(size, FST_SIZE), .flags = FST_REQUIRED, .doc = "The image's size." },
	{ LOOP_PARAM(space, FST_ENUM), .def = "sparse", FST_CHOICES(loop_spaces),
	  .doc = "Whether the file has blocks." },
	{ LOOP_PARAM(sector_size, FST_SIZE), .min = "512B", .max = "64KiB",
	  .doc = "Sectors of the device; 512 bytes when not given. Above 4KiB most kernels give up "
		 "direct I/O." },
	{ LOOP_PARAM(direct_io, FST_BOOL), .def = "true",
	  .doc = "Whether the device passes the page cache by on its way to the file; without, "
		 "everything is cached "
		 "twice." },
};

/* ---- check, probe, estimate -------------------------------------------------------------------- */

static int loop_check(struct fst_ctx *ctx)
{
	const struct loop_cfg *cfg = ctx->cfg;
	uint64_t sector = cfg->sector_size ? cfg->sector_size : 512;

	if (sector & (sector - 1))
		return fst_error(ctx, 0, "sector_size is not a power of 2");
	if (!cfg->size || cfg->size % sector)
		return fst_error(ctx, 0,
				 cfg->size ? "size is not a whole number of sectors" : "size is 0");
	return 0;
}

static int loop_probe(struct fst_ctx *ctx)
{
	if (access("/dev/loop-control", R_OK | W_OK) == 0)
		return 0;
	return fst_error(ctx, EOPNOTSUPP, "/dev/loop-control: %s: no loop devices can be had here",
			 strerror(errno));
}

static int loop_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct loop_cfg *cfg = ctx->cfg;

	fst_plan(ctx, NULL, "makes an image of %" PRIu64 " bytes and a loop device over it",
		 cfg->size);
	est->bytes_written = cfg->space == LOOP_FALLOCATED ? cfg->size : 0;
	est->time_ns = 50000000;
	return 0;
}

/* ---- apply ------------------------------------------------------------------------------------- */

static int loop_save_number(struct fst_ctx *ctx, const char *key, uint64_t a, uint64_t b)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 ":%" PRIu64, a, b);
	return fst_save(ctx, key, text);
}

/*
 * The name has 64 random bits in it, so a file of that name is ours even when the kill came before its inode
 * number was kept.
 */
static int loop_make_image(struct fst_ctx *ctx, char *path, size_t size)
{
	const struct loop_cfg *cfg = ctx->cfg;
	char name[64], real[4096];
	struct stat st;
	int fd, r = block_new_name(ctx, "fstrial-loop-", name, sizeof(name));

	if (r < 0)
		return r;
	/* as the kernel names what is behind a loop: without links and dots */
	if (!realpath(ctx->dir, real))
		return fst_error(ctx, errno, "%s", ctx->dir);
	if ((size_t)snprintf(path, size, "%s/%s.img", real, name) >= size)
		return fst_error(ctx, ENAMETOOLONG, "%s", real);
	r = fst_save(ctx, "image", path);
	if (r < 0)
		return r;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fst_error(ctx, errno, "make %s", path);
	if (fstat(fd, &st) < 0)
		r = fst_error(ctx, errno, "stat %s", path);
	if (r == 0)
		r = loop_save_number(ctx, "inode", st.st_dev, st.st_ino);
	if (r == 0 && ftruncate(fd, (off_t)cfg->size) < 0)
		r = fst_error(ctx, errno, "make %s %" PRIu64 " bytes long", path, cfg->size);
	if (r == 0 && cfg->space == LOOP_FALLOCATED && fallocate(fd, 0, 0, (off_t)cfg->size) < 0)
		r = fst_error(ctx, errno, "allocate %" PRIu64 " bytes for %s", cfg->size, path);
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

/*
 * A loop device of a number that nobody had: settings of its queue outlive those who made them, so one that
 * others used is never as new. Its number is kept before it is made.
 */
static int loop_add(struct fst_ctx *ctx, int control, char *device, size_t size)
{
	char name[BLOCK_NAME_MAX];
	int n, r;

	for (n = LOOP_FIRST_NUMBER; n < LOOP_FIRST_NUMBER + LOOP_NUMBERS; n++) {
		snprintf(name, sizeof(name), "loop%d", n);
		if (block_is_there(name))
			continue;
		r = loop_save_number(ctx, "number", (uint64_t)n, 0);
		if (r < 0)
			return r;
		if (ioctl(control, LOOP_CTL_ADD, n) == n) {
			snprintf(device, size, "/dev/%s", name);
			return 0;
		}
		if (errno != EEXIST && errno != EBUSY)
			return fst_error(ctx, errno, "add %s", name);
	}
	return fst_error(ctx, EBUSY, "no number for a loop device is free");
}

static int loop_open_new(const char *device, uint64_t limit_ns, struct fst_ctx *ctx)
{
	uint64_t end = fst_now(ctx) + limit_ns;
	int fd;

	/* the node comes a moment later where udev makes it */
	while ((fd = open(device, O_RDWR | O_CLOEXEC)) < 0 && errno == ENOENT && fst_now(ctx) < end)
		block_pause();
	return fd;
}

static int loop_bind(struct fst_ctx *ctx, const char *device, int image, const char *path)
{
	const struct loop_cfg *cfg = ctx->cfg;
	struct loop_config c = { .fd = (uint32_t)image, .block_size = (uint32_t)cfg->sector_size };
	int fd = loop_open_new(device, BLOCK_BUSY_NS, ctx), r = 0;

	if (fd < 0)
		return fst_error(ctx, errno, "open %s", device);
	snprintf((char *)c.info.lo_file_name, sizeof(c.info.lo_file_name), "%.63s", path);
	c.info.lo_flags = cfg->direct_io ? LO_FLAGS_DIRECT_IO : 0;
	if (ioctl(fd, LOOP_CONFIGURE, &c) < 0) {
		/* some kernels refuse what the file cannot do, others drop it: readback says it in both cases */
		c.info.lo_flags = 0;
		if (errno != EINVAL || !cfg->direct_io || ioctl(fd, LOOP_CONFIGURE, &c) < 0)
			r = fst_error(ctx, errno, "bind %s to %s", device, path);
	}
	close(fd);
	return r;
}

static int loop_attach_new(struct fst_ctx *ctx, int image, const char *path)
{
	char device[BLOCK_NAME_MAX + 8];
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), r;

	if (control < 0)
		return fst_error(ctx, errno, "open /dev/loop-control");
	r = loop_add(ctx, control, device, sizeof(device));
	close(control);
	if (r == 0)
		r = loop_bind(ctx, device, image, path);
	return r < 0 ? r : fst_set_device(ctx, device);
}

static int loop_apply(struct fst_ctx *ctx)
{
	const struct loop_cfg *cfg = ctx->cfg;
	char path[4096];
	int fd, r;

	if (!ctx->dir)
		return fst_error(ctx, 0,
				 "there is no place for an image: let the target be a directory, "
				 "or mount a file "
				 "system before");
	block_ask_number(ctx, "size", cfg->size);
	if (cfg->sector_size)
		block_ask_number(ctx, "sector_size", cfg->sector_size);
	fst_asked(ctx, "direct_io", cfg->direct_io ? "yes" : "no", 0);
	fd = loop_make_image(ctx, path, sizeof(path));
	if (fd < 0)
		return fd;
	r = loop_attach_new(ctx, fd, path);
	close(fd);
	return r;
}

/* ---- readback, revert -------------------------------------------------------------------------- */

static int loop_readback(struct fst_ctx *ctx)
{
	char name[BLOCK_NAME_MAX], text[64], path[BLOCK_NAME_MAX + 8];
	struct loop_saved s;
	uint64_t sectors;

	if (!loop_get_saved(ctx, &s) || !loop_find(&s, name, sizeof(name)))
		return 0;
	if (block_sys_number(name, "size", &sectors) == 0)
		block_say_number(ctx, "size", sectors * 512);
	if (block_sys_read(name, "queue/logical_block_size", text, sizeof(text)) == 0)
		fst_in_force(ctx, "sector_size", text);
	if (block_sys_read(name, "loop/dio", text, sizeof(text)) == 0)
		fst_in_force(ctx, "direct_io", strcmp(text, "1") == 0 ? "yes" : "no");
	fst_in_force(ctx, "image", s.image);
	snprintf(path, sizeof(path), "/dev/%s", name);
	block_say_limits(ctx, path);
	return 0;
}

struct loop_detach {
	const struct loop_saved *saved;
	char name[BLOCK_NAME_MAX];
};

static int loop_detach_once(struct fst_ctx *ctx, void *arg)
{
	struct loop_detach *d = arg;
	char device[BLOCK_NAME_MAX + 8];
	int fd, r;

	(void)ctx;
	if (!loop_find(d->saved, d->name, sizeof(d->name)))
		return 0;
	snprintf(device, sizeof(device), "/dev/%s", d->name);
	/* LOOP_CLR_FD says 0 for a device in use and lets go at its last close: only with nobody else there */
	fd = open(device, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return errno == ENXIO || errno == ENOENT ? 0 : -errno;
	r = ioctl(fd, LOOP_CLR_FD) < 0 && errno != ENXIO ? -errno : 0;
	close(fd);
	/* a scan of a neighbour may still have it */
	return r < 0 ? r : loop_find(d->saved, d->name, sizeof(d->name)) ? -EBUSY : 0;
}

/* The last one saved: those before turned out to be taken. */
static int loop_last_number(struct fst_ctx *ctx, const char *key, const char *value, void *arg)
{
	int *n = arg;

	(void)ctx;
	if (*n < 0 && strcmp(key, "number") == 0)
		*n = atoi(value);
	return 0;
}

/* 0: gone, or bound by somebody else. -EBUSY: open somewhere, if only in a process that is about to end. */
static int loop_remove_once(struct fst_ctx *ctx, void *arg)
{
	char path[BLOCK_PATH_MAX];
	int control, r, n = *(int *)arg;

	(void)ctx;
	snprintf(path, sizeof(path), "/sys/block/loop%d", n);
	if (access(path, F_OK) < 0)
		return 0;
	snprintf(path, sizeof(path), "/sys/block/loop%d/loop", n);
	if (access(path, F_OK) == 0)
		return 0;
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		return -errno;
	r = ioctl(control, LOOP_CTL_REMOVE, n) < 0 && errno != ENODEV ? -errno : 0;
	close(control);
	return r;
}

/* The device itself, when nobody has taken it meanwhile. */
static int loop_remove_number(struct fst_ctx *ctx)
{
	int n = -1, r;

	fst_saved_each(ctx, loop_last_number, &n);
	if (n < LOOP_FIRST_NUMBER)
		return 0;
	r = block_until_free(ctx, loop_remove_once, &n, BLOCK_BUSY_NS);
	return r < 0 ? fst_error(ctx, -r, "remove the unbound device /dev/loop%d", n) : 0;
}

static int loop_remove_image(struct fst_ctx *ctx, const struct loop_saved *s)
{
	struct stat st;

	if (lstat(s->image, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : fst_error(ctx, errno, "stat %s", s->image);
	if (!S_ISREG(st.st_mode) || (s->ino && (st.st_ino != s->ino)))
		return 0; /* another file now */
	if (unlink(s->image) < 0 && errno != ENOENT)
		return fst_error(ctx, errno, "remove %s", s->image);
	return 0;
}

static int loop_revert(struct fst_ctx *ctx)
{
	struct mount_holders h;
	struct loop_saved s;
	struct loop_detach d = { .saved = &s };
	char device[BLOCK_NAME_MAX + 8];
	int r, one;

	if (!loop_get_saved(ctx, &s))
		return 0;
	r = block_until_free(ctx, loop_detach_once, &d, BLOCK_BUSY_NS);
	if (r < 0) {
		snprintf(device, sizeof(device), "/dev/%s", d.name);
		if (r != -EBUSY)
			return fst_error(ctx, -r, "detach %s", device);
		block_find_holders(&h, device);
		return fst_error(
			ctx, EBUSY,
			"%s cannot be detached, it is held by %s; then: losetup -d %s; rm %s",
			device, h.text, device, s.image);
	}
	r = loop_remove_number(ctx);
	one = loop_remove_image(ctx, &s);
	return r < 0 ? r : one;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "loop", .version = "1",
	       .summary = "makes an image file and a loop device over it; the steps that follow "
			  "work on it",
	       .description = "The image lies where the trial works at that point: in the target's "
			      "directory, or on the file system "
			      "that a step before has mounted (to try a file system on a file "
			      "system, or other sector sizes).\n"
			      "The device has a number of its own, so that no setting of an "
			      "earlier user's queue is left in it; it and "
			      "the image are removed afterwards.\n"
			      "direct_io and sector_size depend on the file system below: what the "
			      "kernel dropped is a warning.",
	       FST_PARAMS(loop_params), .cfg_size = sizeof(struct loop_cfg),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DIR | FST_PROVIDES_DEVICE, .probe = loop_probe,
	       .check = loop_check, .estimate = loop_estimate, .apply = loop_apply,
	       .readback = loop_readback, .revert = loop_revert);
