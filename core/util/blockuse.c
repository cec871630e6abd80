/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who uses a block device. */
#include "core/util/blockuse.h"

#include <ctype.h>
#include <errno.h>
#include <libmount/libmount.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/util/blockdev.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define BLOCKUSE_MOUNTS "/proc/self/mountinfo"
#define BLOCKUSE_SWAPS "/proc/swaps"

static bool blockuse_is_device(const char *path, dev_t dev)
{
	struct stat st;

	return path && str_starts(path, "/dev/") && !stat(path, &st) && S_ISBLK(st.st_mode) &&
	       st.st_rdev == dev;
}

/* Devices that a file system has beside its own, as its mount options name them. */
static const char *blockuse_extra_option(struct libmnt_fs *fs, dev_t dev)
{
	static const char *const options[] = { "logdev", "rtdev", "journal_path" };
	const char *all = mnt_fs_get_fs_options(fs);

	for (size_t i = 0; all && i < ARRAY_SIZE(options); i++) {
		_cleanup_free_ char *path = NULL;
		char *value;
		size_t len;

		if (mnt_optstr_get_option(all, options[i], &value, &len))
			continue;
		path = xstrndup(value, len);
		if (blockuse_is_device(path, dev))
			return options[i];
	}
	return NULL;
}

/*
 * By device number. File systems without one of their own (btrfs) have major 0 there and are known
 * by their source; sources are not looked at otherwise, as they may lie ("/dev/root").
 */
static bool blockuse_mount_is(struct libmnt_fs *fs, dev_t dev)
{
	dev_t devno = mnt_fs_get_devno(fs);

	if (devno == dev)
		return true;
	return major(devno) == 0 && blockuse_is_device(mnt_fs_get_srcpath(fs), dev);
}

static char *blockuse_in_table(struct libmnt_table *tb, dev_t dev)
{
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	char *use = NULL;

	while (it && !use && mnt_table_next_fs(tb, it, &fs) == 0) {
		const char *extra;

		if (blockuse_mount_is(fs, dev)) {
			use = xasprintf("mounted on %s", mnt_fs_get_target(fs));
			continue;
		}
		extra = blockuse_extra_option(fs, dev);
		if (extra)
			use = xasprintf("the %s of %s", extra, mnt_fs_get_target(fs));
	}
	mnt_free_iter(it);
	return use;
}

struct blockuse_btrfs {
	const char *device; /* as a directory entry of sysfs */
	char *use;
};

static int blockuse_btrfs_one(const char *uuid, void *arg)
{
	struct blockuse_btrfs *b = arg;
	_cleanup_free_ char *path = xasprintf("/sys/fs/btrfs/%s/devices/%s", uuid, b->device);

	if (!file_exists(path))
		return 0;
	b->use = xasprintf("part of the mounted btrfs %s", uuid);
	return 1;
}

/* Of several devices that a btrfs is made of, the mount table shows one. */
static char *blockuse_btrfs(dev_t dev)
{
	struct blockuse_btrfs b = { NULL, NULL };
	char link[64];
	_cleanup_free_ char *node = realpath(blockdev_node(dev, link, sizeof(link)), NULL);

	if (!node)
		return NULL;
	b.device = strrchr(node, '/') + 1;
	if (dir_each("/sys/fs/btrfs", blockuse_btrfs_one, &b) < 0)
		return NULL;
	return b.use;
}

char *blockuse_mount(dev_t dev)
{
	struct libmnt_table *tb = mnt_new_table_from_file(BLOCKUSE_MOUNTS);
	char *use;

	if (!tb)
		return xasprintf("perhaps mounted: %s cannot be read: %m", BLOCKUSE_MOUNTS);
	use = blockuse_in_table(tb, dev);
	mnt_unref_table(tb);
	return use ? use : blockuse_btrfs(dev);
}

char *blockuse_swap(dev_t dev)
{
	struct libmnt_table *tb;
	struct libmnt_iter *it;
	struct libmnt_fs *fs;
	char *use = NULL;

	if (!file_exists(BLOCKUSE_SWAPS))
		return NULL; /* a kernel without swap */
	tb = mnt_new_table();
	it = mnt_new_iter(MNT_ITER_FORWARD);
	if (!tb || !it || mnt_table_parse_swaps(tb, BLOCKUSE_SWAPS))
		use = xasprintf("perhaps swap: %s cannot be read", BLOCKUSE_SWAPS);
	while (!use && mnt_table_next_fs(tb, it, &fs) == 0) {
		if (blockuse_is_device(mnt_fs_get_source(fs), dev))
			use = xstrdup("in use as swap");
	}
	mnt_free_iter(it);
	mnt_unref_table(tb);
	return use;
}

static int blockuse_first_name(const char *name, void *arg)
{
	*(char **)arg = xstrdup(name);
	return 1;
}

char *blockuse_holder(dev_t dev)
{
	_cleanup_free_ char *dir = NULL, *name = NULL, *dm = NULL;
	char node[64], text[128];
	int ret;

	dir = xasprintf("%s/holders", blockdev_node(dev, node, sizeof(node)));
	ret = dir_each(dir, blockuse_first_name, &name);
	if (ret < 0 && ret != -ENOENT)
		return xasprintf("perhaps held: %s: %s", dir, strerror(-ret));
	if (!name)
		return NULL;
	dm = xasprintf("/sys/block/%s/dm/name", name);
	if (!file_read_line(dm, text, sizeof(text)) && *text)
		return xasprintf("held by %s (%s)", name, text);
	return xasprintf("held by %s", name);
}

/* ---- processes ------------------------------------------------------------------------------- */

struct blockuse_proc {
	const char *pid;
	dev_t dev;
	char *use;
};

static int blockuse_proc_fd(const char *fd, void *arg)
{
	struct blockuse_proc *p = arg;
	_cleanup_free_ char *path = xasprintf("/proc/%s/fd/%s", p->pid, fd);
	_cleanup_free_ char *comm = NULL;
	char link[16], name[64];
	struct stat st;
	ssize_t n;

	/* The link's text first: a stat() of a file on a dead server would not come back. */
	n = readlink(path, link, sizeof(link));
	if (n < 5 || memcmp(link, "/dev/", 5) || stat(path, &st) || !S_ISBLK(st.st_mode) ||
	    st.st_rdev != p->dev)
		return 0;
	comm = xasprintf("/proc/%s/comm", p->pid);
	if (file_read_line(comm, name, sizeof(name)))
		memcpy(name, "?", 2);
	p->use = xasprintf("open in process %s (%s)", p->pid, name);
	return 1;
}

static int blockuse_proc_one(const char *pid, void *arg)
{
	struct blockuse_proc *p = arg;
	_cleanup_free_ char *dir = NULL;

	if (!isdigit((unsigned char)*pid))
		return 0;
	p->pid = pid;
	dir = xasprintf("/proc/%s/fd", pid);
	return dir_each(dir, blockuse_proc_fd, p) > 0;
}

static char *blockuse_process(dev_t dev)
{
	struct blockuse_proc p = { .dev = dev };

	return dir_each("/proc", blockuse_proc_one, &p) > 0 ? p.use : NULL;
}

char *blockuse_any(dev_t dev)
{
	static char *(*const ask[])(dev_t) = { blockuse_mount, blockuse_swap, blockuse_holder,
					       blockuse_process };
	char *use = NULL;

	for (size_t i = 0; !use && i < ARRAY_SIZE(ask); i++)
		use = ask[i](dev);
	return use;
}
