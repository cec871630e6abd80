/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engine psync: one I/O at a time by pread(2) and pwrite(2). */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "file_ops.h"

/*
 * The library's own functions ask before and after each call whether the thread was cancelled, which
 * nobody does here. Where a register holds no offset of 64 bits they are used all the same.
 */
static inline ssize_t psync_read(int fd, void *buf, uint64_t n, uint64_t offset)
{
#ifdef __LP64__
	return syscall(SYS_pread64, fd, buf, n, offset);
#else
	return pread(fd, buf, n, (off_t)offset);
#endif
}

static inline ssize_t psync_write(int fd, const void *buf, uint64_t n, uint64_t offset)
{
#ifdef __LP64__
	return syscall(SYS_pwrite64, fd, buf, n, offset);
#else
	return pwrite(fd, buf, n, (off_t)offset);
#endif
}

static int psync_queue(struct fst_engine *e, struct fst_io *io)
{
	int fd = e->files[io->file].fd;
	ssize_t n;

	if (io->op == FST_IO_READ) {
		n = psync_read(fd, io->buf, io->length, io->offset);
	} else if (io->op == FST_IO_WRITE) {
		n = psync_write(fd, io->buf, io->length, io->offset);
	} else {
		io->result = file_ops_other(&e->files[io->file], io);
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
