/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engine psync: one I/O at a time by pread(2) and pwrite(2). */
#include <errno.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "file_ops.h"

static int psync_queue(struct fst_engine *e, struct fst_io *io)
{
	int fd = e->files[io->file].fd;
	ssize_t n;

	if (io->op == FST_IO_READ) {
		n = pread(fd, io->buf, io->length, (off_t)io->offset);
	} else if (io->op == FST_IO_WRITE) {
		n = pwrite(fd, io->buf, io->length, (off_t)io->offset);
	} else {
		io->result = file_ops_other(fd, io);
		return 1;
	}
	io->result = n < 0 ? -errno : n;
	return 1;
}

static const struct fst_engine_ops psync_ops = {
	.struct_size = sizeof(struct fst_engine_ops),
	.flags = FST_ENGINE_SYNC,
	.max_depth = 1,
	.queue = psync_queue,
};

FSTRIAL_PLUGIN(
	.kind = FST_ENGINE,
	.name = "psync",
	.version = "1.0",
	.summary = "one I/O at a time by pread and pwrite",
	.description =
		"Each I/O is one system call at an offset: pread, pwrite, fsync, fdatasync, and\n"
		"for a trim fallocate with a hole punched. iodepth is 1; more I/Os at once come\n"
		"from more workers (numjobs).",
	.engine = &psync_ops);
