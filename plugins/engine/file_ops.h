/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that are one plain system call in every engine, and what engines ask of devices. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#define FILE_OPS_PUNCH (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)

/* A punched hole of a device is written with zeros; what is meant is that nobody wants the blocks any more. */
static inline int64_t file_ops_discard(int fd, const struct fst_io *io)
{
	uint64_t range[2] = { io->offset, io->length };

	return ioctl(fd, BLKDISCARD, range) < 0 ? -errno : (int64_t)io->length;
}

/* Trim, fsync and fdatasync; the result of io. */
static inline int64_t file_ops_other(const struct fst_engine_file *file, const struct fst_io *io)
{
	int r, fd = file->fd;

	switch (io->op) {
	case FST_IO_TRIM:
		if (file->flags & FST_FILE_IS_DEVICE)
			return file_ops_discard(fd, io);
		r = fallocate(fd, FILE_OPS_PUNCH, (off_t)io->offset, (off_t)io->length);
		return r < 0 ? -errno : (int64_t)io->length;
	case FST_IO_FSYNC:
		return fsync(fd) < 0 ? -errno : 0;
	case FST_IO_FDATASYNC:
		return fdatasync(fd) < 0 ? -errno : 0;
	default:
		return -EOPNOTSUPP;
	}
}

/*
 * Polled completions need queues of their own: a device without them is driven by interrupts all the
 * same, and the number would carry the wrong name. Not known without a device: then it may work.
 */
static inline int file_ops_probe_poll(struct fst_ctx *ctx)
{
	char path[512];
	int fd, n;
	char c = '1';

	if (!ctx->sysfs)
		return 0;
	snprintf(path, sizeof(path), "%s/queue/io_poll", ctx->sysfs);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = (int)read(fd, &c, 1);
	close(fd);
	if (n == 1 && c == '0')
		return fst_error(ctx, EOPNOTSUPP,
				 "hipri = true: the device has no queues to poll (%s is 0)", path);
	return 0;
}
