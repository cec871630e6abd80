/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel says of a block device. */
#include "core/util/blockdev.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define BLOCKDEV_SECTOR 512 /* sysfs counts in these whatever the device's own sector is */

const char *blockdev_node(dev_t dev, char *buf, size_t size)
{
	snprintf(buf, size, "/sys/dev/block/%u:%u", major(dev), minor(dev));
	return buf;
}

/* A number below a sysfs directory; 0 when it is not there. */
static uint64_t blockdev_number(const char *dir, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, file);
	uint64_t v = 0;
	char text[64];

	if (file_read_line(path, text, sizeof(text)) || units_parse_u64(text, &v, NULL))
		return 0;
	return v;
}

/* sysfs writes "cciss!c0d0" for what is "cciss/c0d0" everywhere else. */
static int blockdev_copy_name(char *dst, size_t size, const char *src)
{
	if ((size_t)snprintf(dst, size, "%s", src) >= size)
		return -ENAMETOOLONG;
	for (; (dst = strchr(dst, '!')); dst++)
		*dst = '/';
	return 0;
}

/* node is the device's own directory, ".../block/sda/sda1"; cut to the disk's in the course. */
static int blockdev_fill_names(char *node, struct blockdev *bd)
{
	_cleanup_free_ char *partition = xasprintf("%s/partition", node);
	char *base = strrchr(node, '/');

	if (!base)
		return -ENODEV;
	if (blockdev_copy_name(bd->name, sizeof(bd->name), base + 1))
		return -ENAMETOOLONG;
	if (file_exists(partition)) {
		*base = '\0';
		base = strrchr(node, '/');
		if (!base)
			return -ENODEV;
	}
	if (blockdev_copy_name(bd->disk, sizeof(bd->disk), base + 1))
		return -ENAMETOOLONG;
	if ((size_t)snprintf(bd->sysfs, sizeof(bd->sysfs), "/sys/block/%s", base + 1) >=
	    sizeof(bd->sysfs))
		return -ENAMETOOLONG;
	return 0;
}

int blockdev_get_dev(dev_t dev, struct blockdev *bd, struct err *e)
{
	char link[64];
	_cleanup_free_ char *node = realpath(blockdev_node(dev, link, sizeof(link)), NULL);
	int ret;

	memset(bd, 0, sizeof(*bd));
	if (!node)
		return err_set(e, ENODEV,
			       "block device %u:%u: the kernel has no such device (%s: %m)",
			       major(dev), minor(dev), link);
	bd->dev = dev;
	bd->size = blockdev_number(node, "size") * BLOCKDEV_SECTOR;
	ret = blockdev_fill_names(node, bd);
	if (ret)
		return err_set(e, -ret, "%s: unexpected place %s: %s", link, node, strerror(-ret));
	bd->sector = (uint32_t)blockdev_number(bd->sysfs, "queue/logical_block_size");
	if (!bd->sector)
		bd->sector = BLOCKDEV_SECTOR;
	bd->diskseq = blockdev_number(bd->sysfs, "diskseq");
	return 0;
}

int blockdev_get(const char *path, struct blockdev *bd, struct err *e)
{
	struct err inner = { 0 };
	struct stat st;
	int ret;

	memset(bd, 0, sizeof(*bd));
	if (stat(path, &st))
		return err_set(e, errno, "%s: %m", path);
	if (!S_ISBLK(st.st_mode)) {
		_cleanup_free_ char *full = realpath(path, NULL);

		if (!full || str_eq(full, path))
			return err_set(e, ENOTBLK, "%s is not a block device", path);
		return err_set(e, ENOTBLK, "%s is not a block device: it leads to %s", path, full);
	}
	ret = blockdev_get_dev(st.st_rdev, bd, &inner);
	if (ret)
		return err_set(e, -ret, "%s: %s", path, inner.text);
	return 0;
}

char *blockdev_path(const char *path, const struct blockdev *bd)
{
	char *own = xasprintf("/dev/%s", bd->name);
	struct stat st;

	if (!stat(own, &st) && S_ISBLK(st.st_mode) && st.st_rdev == bd->dev)
		return own;
	free(own);
	return xstrdup(path);
}

/* SCSI keeps it in a binary page: four bytes of header, the last two the length, then text. */
static bool blockdev_serial_vpd(const char *sysfs, char *buf, size_t size)
{
	_cleanup_free_ char *path = xasprintf("%s/device/vpd_pg80", sysfs);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char page[260];
	char *text = (char *)page + 4;
	size_t got, len;

	if (fd < 0 || file_read_all(fd, page, sizeof(page) - 1, &got) || got < 5 || page[1] != 0x80)
		return false;
	len = (size_t)page[2] << 8 | page[3];
	page[4 + MIN(len, got - 4)] = '\0';
	return (size_t)snprintf(buf, size, "%s", str_trim(text)) < size && *buf;
}

bool blockdev_serial(const struct blockdev *bd, char *buf, size_t size)
{
	/* virtio; NVMe and MMC */
	static const char *const places[] = { "serial", "device/serial" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", bd->sysfs, places[i]);

		if (!file_read_line(path, buf, size) && *buf)
			return true;
	}
	if (blockdev_serial_vpd(bd->sysfs, buf, size))
		return true;
	if (size)
		*buf = '\0';
	return false;
}

bool blockdev_wwid(const struct blockdev *bd, char *buf, size_t size)
{
	static const char *const places[] = { "wwid", "device/wwid" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", bd->sysfs, places[i]);

		if (!file_read_line(path, buf, size) && *buf)
			return true;
	}
	if (size)
		*buf = '\0';
	return false;
}
