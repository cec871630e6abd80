/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop devices by ioctl. */
#include "core/util/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>

#include "core/util/blockdev.h"
#include "core/util/blockuse.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define LOOP_ATTACH_TRIES 64
#define LOOP_POLL_NS (10 * NSEC_PER_MSEC)

static void loop_pause(void)
{
	const struct timespec ts = { .tv_nsec = LOOP_POLL_NS };

	nanosleep(&ts, NULL);
}

/* The number that the kernel calls free; somebody else may take it before we do. */
static int loop_free_number(struct err *e)
{
	_cleanup_close_ int ctl = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int n;

	if (ctl < 0)
		return err_set(e, errno, "/dev/loop-control: cannot open: %m");
	n = ioctl(ctl, LOOP_CTL_GET_FREE);
	if (n < 0)
		return err_set(e, errno, "/dev/loop-control: no free loop device: %m");
	return n;
}

static int loop_configure_fd(int fd, int image_fd, const char *image, uint32_t sector)
{
	struct loop_config cfg = { .fd = (uint32_t)image_fd, .block_size = sector };

	snprintf((char *)cfg.info.lo_file_name, sizeof(cfg.info.lo_file_name), "%s", image);
	/* The kernel drops this flag by itself where the backing file cannot, most of the time. */
	cfg.info.lo_flags = LO_FLAGS_DIRECT_IO;
	if (!ioctl(fd, LOOP_CONFIGURE, &cfg))
		return 0;
	if (errno != EINVAL)
		return -errno;
	cfg.info.lo_flags = 0;
	return ioctl(fd, LOOP_CONFIGURE, &cfg) ? -errno : 0;
}

/* -EBUSY: taken by somebody else in between; -ENOENT: the node is not there yet. */
static int loop_configure(const char *device, int image_fd, const char *image, uint32_t sector)
{
	_cleanup_close_ int fd = open(device, O_RDWR | O_CLOEXEC);
	int ret = fd < 0 ? -errno : loop_configure_fd(fd, image_fd, image, sector);
	const int off = 0;

	if (ret)
		return ret;
	/* `blockdev --setro` outlives a detach: the last user may have left it behind. */
	if (ioctl(fd, BLKROSET, &off)) {
		ret = -errno;
		ioctl(fd, LOOP_CLR_FD);
	}
	return ret;
}

int loop_attach(const char *image, uint32_t sector, char **device, struct err *e)
{
	_cleanup_close_ int fd = open(image, O_RDWR | O_CLOEXEC);
	int ret = -EBUSY;

	*device = NULL;
	if (fd < 0)
		return err_set(e, errno, "%s: cannot open: %m", image);
	if (sector != 512 && sector != 1024 && sector != 2048 && sector != 4096)
		return err_set(e, EINVAL,
			       "%s: a loop device has sectors of 512, 1024, 2048 or "
			       "4096 bytes, not %u",
			       image, sector);
	for (int i = 0; i < LOOP_ATTACH_TRIES; i++) {
		_cleanup_free_ char *path = NULL;
		int n = loop_free_number(e);

		if (n < 0)
			return n;
		path = xasprintf("/dev/loop%d", n);
		ret = loop_configure(path, fd, image, sector);
		if (!ret) {
			*device = TAKE_PTR(path);
			return 0;
		}
		if (ret != -EBUSY && ret != -ENOENT)
			return err_set(e, -ret, "%s: cannot attach to %s: %s", image, path,
				       strerror(-ret));
		if (ret == -ENOENT)
			loop_pause();
	}
	return err_set(e, -ret, "%s: no loop device could be had in %d attempts: %s", image,
		       LOOP_ATTACH_TRIES, strerror(-ret));
}

static char *loop_backing_file_node(const char *node)
{
	_cleanup_free_ char *path = xasprintf("%s/loop/backing_file", node);
	char *text;
	size_t len;

	if (file_read(path, PATH_MAX + 64, &text, &len, NULL))
		return NULL;
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	return text;
}

char *loop_backing_file(const char *device)
{
	char node[64];
	struct stat st;

	if (stat(device, &st) || !S_ISBLK(st.st_mode))
		return NULL;
	return loop_backing_file_node(blockdev_node(st.st_rdev, node, sizeof(node)));
}

static int loop_get_by_fd(int fd, struct loop_file *lf)
{
	struct loop_info64 info;

	if (ioctl(fd, LOOP_GET_STATUS64, &info))
		return errno == ENOTTY ? -ENXIO : -errno;
	lf->dev = (dev_t)info.lo_device;
	lf->ino = (ino_t)info.lo_inode;
	lf->rdev = (dev_t)info.lo_rdevice;
	return 0;
}

/* Without the right to open the device: by the path that the kernel shows. */
static int loop_get_by_path(const char *name, struct loop_file *lf)
{
	_cleanup_free_ char *node = xasprintf("/sys/block/%s", name);
	_cleanup_free_ char *file = loop_backing_file_node(node);
	struct stat st;

	if (!file)
		return -ENXIO;
	if (stat(file, &st))
		return -errno;
	lf->dev = st.st_dev;
	lf->ino = st.st_ino;
	lf->rdev = S_ISBLK(st.st_mode) ? st.st_rdev : 0;
	return 0;
}

int loop_get(const char *name, struct loop_file *lf)
{
	_cleanup_free_ char *device = xasprintf("/dev/%s", name);
	_cleanup_free_ char *attached = xasprintf("/sys/block/%s/loop", name);
	_cleanup_close_ int fd = -1;

	memset(lf, 0, sizeof(*lf));
	/* sysfs first: an open of a device that is going away would only delay it. */
	if (!file_exists(attached))
		return -ENXIO;
	fd = open(device, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? loop_get_by_path(name, lf) : loop_get_by_fd(fd, lf);
}

struct loop_each_arg {
	int (*fn)(const char *name, const struct loop_file *lf, void *arg);
	void *arg;
};

static int loop_each_name(const char *name, void *arg)
{
	const struct loop_each_arg *a = arg;
	struct loop_file lf;

	if (!str_starts(name, "loop") || loop_get(name, &lf))
		return 0;
	return a->fn(name, &lf, a->arg);
}

int loop_each(int (*fn)(const char *name, const struct loop_file *lf, void *arg), void *arg)
{
	struct loop_each_arg a = { fn, arg };

	return dir_each("/sys/block", loop_each_name, &a);
}

/* An image that was unlinked meanwhile is known by its name alone. */
static bool loop_is_image(const char *device, const struct loop_file *lf, const char *image)
{
	_cleanup_free_ char *file = NULL, *gone = NULL;
	struct stat st;

	if (!stat(image, &st))
		return st.st_dev == lf->dev && st.st_ino == lf->ino;
	file = loop_backing_file(device);
	gone = xasprintf("%s (deleted)", image);
	return str_eq(file, gone) || str_eq(file, image);
}

static bool loop_in_use(dev_t dev)
{
	_cleanup_free_ char *mount = blockuse_mount(dev);
	_cleanup_free_ char *swap = mount ? NULL : blockuse_swap(dev);
	_cleanup_free_ char *holder = mount || swap ? NULL : blockuse_holder(dev);

	return mount || swap || holder;
}

/* 0: image is not behind device (any more); -EBUSY: it still is. */
static int loop_try_detach(const char *device, const char *image, struct err *e)
{
	_cleanup_free_ char *file = NULL;
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC);
	struct loop_file lf = { 0 };
	struct stat st;
	int ret;

	if (fd < 0 && (errno == ENOENT || errno == ENXIO || errno == ENODEV))
		return 0;
	if (fd < 0 || fstat(fd, &st))
		return err_set(e, errno, "%s: cannot open: %m", device);
	ret = loop_get_by_fd(fd, &lf);
	if (ret == -ENXIO || (!ret && !loop_is_image(device, &lf, image)))
		return 0;
	if (ret)
		return err_set(e, -ret, "%s: cannot be asked: %s", device, strerror(-ret));
	/* LOOP_CLR_FD says 0 for a mounted device and lets go at the last close: look before. */
	if (loop_in_use(st.st_rdev))
		return -EBUSY;
	if (ioctl(fd, LOOP_CLR_FD) && errno != ENXIO && errno != EBUSY)
		return err_set(e, errno, "%s: cannot detach: %m", device);
	close(fd);
	fd = -1;
	file = loop_backing_file(device);
	return file ? -EBUSY : 0;
}

int loop_detach(const char *device, const char *image, uint64_t wait_ns, struct err *e)
{
	uint64_t deadline = clock_now_ns() + wait_ns;
	_cleanup_free_ char *use = NULL;
	struct stat st;
	int ret;

	while ((ret = loop_try_detach(device, image, e)) == -EBUSY && clock_now_ns() < deadline)
		loop_pause();
	if (ret != -EBUSY)
		return ret;
	if (!stat(device, &st) && S_ISBLK(st.st_mode))
		use = blockuse_any(st.st_rdev);
	return err_set(e, EBUSY, "%s (%s) cannot be detached: it is %s", device, image,
		       use ? use : "in use, perhaps in another mount namespace");
}
