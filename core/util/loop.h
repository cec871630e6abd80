/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop devices by ioctl; never a fixed number, never a device that somebody else attached. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/util/err.h"
#include "core/util/macro.h"

/* What is behind a loop device. */
struct loop_file {
	dev_t dev; /* of the file system that the image is in */
	ino_t ino;
	dev_t rdev; /* the block device, when that is what is behind it; else 0 */
};

/*
 * Attaches image to a free loop device with direct I/O to the backing file where that works.
 * sector: 512, 1024, 2048 or 4096. *device is "/dev/loopN", the caller's to free.
 */
int loop_attach(const char *image, uint32_t sector, char **device, struct err *e) _must_check_;
/*
 * Detaches device if image is still what is behind it; nothing attached, or another file, is no
 * error and changes nothing. -EBUSY (waited for up to wait_ns) names the holder.
 */
int loop_detach(const char *device, const char *image, uint64_t wait_ns,
		struct err *e) _must_check_;
/*
 * Full path of the file behind a loop device, with " (deleted)" behind it where it was unlinked;
 * caller frees; NULL when nothing is attached.
 */
char *loop_backing_file(const char *device);
/* name: "loop3". -ENXIO when nothing is attached, also when it is no loop device at all. */
int loop_get(const char *name, struct loop_file *lf) _must_check_;
/* Calls fn for every attached loop device in sorted order; stops at its first non-zero result. */
int loop_each(int (*fn)(const char *name, const struct loop_file *lf, void *arg),
	      void *arg) _must_check_;
