/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Device guard: what a device stands on. A step may hand over a device that it made; it is taken when all that is
 * below it is the trial's own, however it was put together.
 */
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/run/guard_internal.h"
#include "core/util/file.h"
#include "core/util/loop.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define GROUND_DEPTH_MAX 16 /* against a loop in what sysfs shows */

/* ---- devices that are new -------------------------------------------------------------------- */

struct ground_disk {
	char name[64];
	uint64_t diskseq;
};

struct ground_seen {
	VEC(struct ground_disk) disks;
};

static int ground_see_one(const char *name, void *arg)
{
	struct ground_seen *s = arg;
	_cleanup_free_ char *path = xasprintf("/sys/block/%s/diskseq", name);
	struct ground_disk d = { .diskseq = 0 };
	char text[32];

	snprintf(d.name, sizeof(d.name), "%s", name);
	if (!file_read_line(path, text, sizeof(text)))
		d.diskseq = strtoull(text, NULL, 10);
	vec_push(&s->disks, d);
	return 0;
}

struct ground_seen *guard_see(void)
{
	struct ground_seen *s = xcalloc(1, sizeof(*s));

	if (dir_each("/sys/block", ground_see_one, s) == 0)
		return s;
	guard_forget(s);
	return NULL;
}

void guard_forget(struct ground_seen *s)
{
	if (s)
		vec_free(&s->disks);
	free(s);
}

/*
 * A number of a disk is never used again; where the kernel has none, the name alone tells. The same name with
 * another number is another disk: the one that was seen is gone.
 */
static bool ground_was_seen(const struct ground_seen *s, const struct blockdev *bd)
{
	for (size_t i = 0; i < s->disks.n; i++)
		if (str_eq(s->disks.v[i].name, bd->name) && s->disks.v[i].diskseq == bd->diskseq)
			return true;
	return false;
}

/* Disks in memory that are empty when they come into being; one that is plugged in or connected is not. */
static bool ground_is_empty_kind(const struct blockdev *bd)
{
	static const char *const prefixes[] = { "zram", "nullb", "ram" };
	_cleanup_free_ char *virtual = xasprintf("/sys/devices/virtual/block/%s", bd->name);
	_cleanup_free_ char *backing = xasprintf("%s/backing_dev", bd->sysfs);
	char text[256];

	if (!file_exists(virtual))
		return false;
	/* A zram that gives pages away to a disk may find some there. */
	if (!file_read_line(backing, text, sizeof(text)) && !str_eq(text, "none"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (str_starts(bd->name, prefixes[i]) && strspn(bd->name + len, "0123456789") == strlen(bd->name + len))
			return true;
	}
	return false;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* The device of a file system that shows another number in each of its subvolumes. */
static dev_t ground_mount_source(const char *path)
{
	_cleanup_free_ char *point = mnt_get_mountpoint(path);
	struct libmnt_table *tb = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_fs *fs = tb && point ? mnt_table_find_target(tb, point, MNT_ITER_BACKWARD) : NULL;
	const char *source = fs ? mnt_fs_get_srcpath(fs) : NULL;
	struct stat st;
	dev_t dev = 0;

	if (source && !stat(source, &st) && S_ISBLK(st.st_mode))
		dev = st.st_rdev;
	mnt_unref_table(tb);
	return dev;
}

static bool ground_is_below(const char *path, const char *dir)
{
	_cleanup_free_ char *real = dir ? realpath(dir, NULL) : NULL;
	size_t len = real ? strlen(real) : 0;

	return len > 1 && str_starts(path, real) && path[len] == '/';
}

/* When was it made? INT64_MIN: not known. */
static int64_t ground_birth(const char *path)
{
	struct statx sx;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &sx) || !(sx.stx_mask & STATX_BTIME))
		return INT64_MIN;
	return (int64_t)sx.stx_btime.tv_sec * 1000000000 + sx.stx_btime.tv_nsec;
}

/*
 * In the target's own directory, made empty by us, or in the trial's: and not one that was there before and got a
 * second name or a new place.
 */
static bool ground_is_new_file(const struct guard_ground *gr, const char *path, const struct loop_file *lf)
{
	struct stat st;
	int64_t birth;

	if (lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_dev != lf->dev || st.st_ino != lf->ino || st.st_nlink != 1)
		return false;
	birth = ground_birth(path);
	if (ground_is_below(path, gr->own_dir))
		return birth == INT64_MIN || birth >= ground_birth(gr->own_dir);
	return ground_is_below(path, gr->dir) && birth != INT64_MIN && birth >= gr->began_ns;
}

static int ground_check(dev_t dev, const struct guard_ground *gr, unsigned int depth, struct err *e);

static int ground_check_loop(const struct blockdev *bd, const struct loop_file *lf, const struct guard_ground *gr,
			     unsigned int depth, struct err *e)
{
	_cleanup_free_ char *device = xasprintf("/dev/%s", bd->name);
	_cleanup_free_ char *image = NULL;
	struct err inner = { 0 };
	dev_t home = lf->dev;

	if (lf->rdev)
		return ground_check(lf->rdev, gr, depth + 1, e);
	image = loop_backing_file(device);
	if (image && ground_is_new_file(gr, image, lf))
		return 0;
	if (image && major(home) == 0)
		home = ground_mount_source(image);
	if (home && ground_check(home, gr, depth + 1, &inner) == 0)
		return 0;
	return err_set(e, EPERM, "the image %s of %s was not made by the trial", image ? image : "?", bd->name);
}

/* ---- any device ------------------------------------------------------------------------------ */

struct ground_walk {
	const char *dir;
	const struct guard_ground *gr;
	unsigned int depth, n;
	struct err *e;
};

static int ground_check_slave(const char *name, void *arg)
{
	struct ground_walk *w = arg;
	_cleanup_free_ char *path = xasprintf("%s/%s/dev", w->dir, name);
	unsigned int ma, mi;
	char text[32];

	if (file_read_line(path, text, sizeof(text)) || sscanf(text, "%u:%u", &ma, &mi) != 2)
		return err_set(w->e, EPERM, "%s cannot be read", path);
	w->n++;
	return ground_check(makedev(ma, mi), w->gr, w->depth, w->e);
}

static bool ground_is_own(const struct blockdev *bd, const struct guard_ground *gr)
{
	for (size_t i = 0; i < gr->n; i++)
		if (gr->v[i].dev && gr->v[i].dev == bd->dev && gr->v[i].diskseq == bd->diskseq)
			return true;
	if (!gr->seen || !ground_is_empty_kind(bd) || ground_was_seen(gr->seen, bd))
		return false;
	if (gr->found)
		vec_push(gr->found, *bd);
	return true;
}

static int ground_check_parts(const struct blockdev *bd, const struct guard_ground *gr, unsigned int depth,
			      struct err *e)
{
	char node[64];
	_cleanup_free_ char *slaves = xasprintf("%s/slaves", blockdev_node(bd->dev, node, sizeof(node)));
	struct ground_walk w = { slaves, gr, depth + 1, 0, e };
	int ret = file_exists(slaves) ? dir_each(slaves, ground_check_slave, &w) : 0;

	if (ret < 0 || w.n)
		return ret < 0 ? err_set(e, EPERM, "%s cannot be read", slaves) : 0;
	return err_set(e, EPERM, "%s is none of the target's devices", bd->name);
}

static int ground_check(dev_t dev, const struct guard_ground *gr, unsigned int depth, struct err *e)
{
	struct blockdev bd, disk;
	struct loop_file behind;
	int ret;

	if (depth > GROUND_DEPTH_MAX)
		return err_set(e, EPERM, "the devices stand on each other without end");
	ret = blockdev_get_dev(dev, &bd, e);
	if (ret)
		return ret;
	if (ground_is_own(&bd, gr))
		return 0;
	if (!str_eq(bd.name, bd.disk)) {
		_cleanup_free_ char *path = xasprintf("/dev/%s", bd.disk);

		ret = blockdev_get(path, &disk, e);
		return ret ? ret : ground_check(disk.dev, gr, depth + 1, e);
	}
	if (!loop_get(bd.name, &behind))
		return ground_check_loop(&bd, &behind, gr, depth, e);
	return ground_check_parts(&bd, gr, depth, e);
}

int guard_check_ground(const struct blockdev *bd, const struct guard_ground *gr, struct err *e)
{
	return ground_check(bd->dev, gr, 0, e);
}
