/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel says of a block device, from /sys/dev/block; needs no root unless said. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/util/err.h"
#include "core/util/macro.h"

struct blockdev {
	dev_t dev;
	char name[64];	  /* kernel name, "sda1", "cciss/c0d0" */
	char disk[64];	  /* whole disk's kernel name, "sda"; the same as name for a whole disk */
	char sysfs[256];  /* "/sys/block/sda", of the whole disk */
	uint64_t size;	  /* bytes */
	uint32_t sector;  /* logical sector, bytes */
	uint64_t diskseq; /* changes when other media take the same name; 0: not known */
};

/* Follows symbolic links. -ENOTBLK when path is not a block device, both named in e. */
int blockdev_get(const char *path, struct blockdev *bd, struct err *e) _must_check_;
/* The same by number. -ENODEV when the kernel knows no such device. */
int blockdev_get_dev(dev_t dev, struct blockdev *bd, struct err *e) _must_check_;
/*
 * The kernel's own node of the device, "/dev/sda1": a link that path may be can be turned to another
 * device later. path itself where there is no such node. The caller frees it.
 */
char *blockdev_path(const char *path, const struct blockdev *bd);
/* Serial number of the disk, as its driver gives it; false and "" when it has none. */
bool blockdev_serial(const struct blockdev *bd, char *buf, size_t size);
/* The name that the hardware gives its medium, the same by whatever path ("naa.5000..."); false when none. */
bool blockdev_wwid(const struct blockdev *bd, char *buf, size_t size);
/* "/sys/dev/block/8:1", of the device itself; buf of at least 64 bytes. */
const char *blockdev_node(dev_t dev, char *buf, size_t size);
