/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engine mmap: one I/O at a time by copying from and to mapped files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <fstrial/plugin.h>

#include "file_ops.h"

struct mmap_file {
	char *at; /* NULL: not mapped */
	uint64_t size;
	bool writable;
};

struct mmap_state {
	struct mmap_file *file;
};

static int mmap_check(struct fst_ctx *ctx)
{
	if (ctx->io->direct)
		return fst_error(ctx, 0, "direct = true: a mapped file is the page cache itself; "
					 "engines for direct I/O: psync, pvsync2, io_uring, libaio");
	if (ctx->io->sync != FST_SYNC_NONE)
		return fst_error(ctx, 0, "sync: writes to a mapped file are never synchronous by "
					 "themselves; use fdatasync = 1");
	return 0;
}

/*
 * A file that is to be written must have its size before: behind its end nothing can be mapped. Space
 * is allocated, for otherwise a full file system shows by SIGBUS in the middle of a copy.
 */
static int mmap_grow(struct fst_engine *e, uint32_t number, int fd)
{
	uint64_t size = e->files[number].size;

	if (fallocate(fd, 0, 0, (off_t)size) == 0)
		return 0;
	if (errno == EOPNOTSUPP && ftruncate(fd, (off_t)size) == 0)
		return 0;
	return fst_error(e->worker->ctx, errno, "engine mmap: file %u of %llu bytes", number,
			 (unsigned long long)size);
}

static int mmap_map(struct fst_engine *e, uint32_t number)
{
	struct mmap_state *st = e->state;
	struct mmap_file *file = &st->file[number];
	int fd = e->files[number].fd, flags = fcntl(fd, F_GETFL), r;
	struct stat s;
	void *at;

	file->writable = flags >= 0 && (flags & O_ACCMODE) == O_RDWR;
	if (fstat(fd, &s) < 0)
		return fst_error(e->worker->ctx, errno, "engine mmap: stat of file %u", number);
	file->size = e->files[number].flags & FST_FILE_IS_DEVICE ? e->files[number].size
								     : (uint64_t)s.st_size;
	if (file->writable && file->size < e->files[number].size) {
		r = mmap_grow(e, number, fd);
		if (r < 0)
			return r;
		file->size = e->files[number].size;
	}
	if (!file->size)
		return 0;
	at = mmap(NULL, file->size, PROT_READ | (file->writable ? PROT_WRITE : 0), MAP_SHARED, fd,
		  0);
	if (at == MAP_FAILED)
		return fst_error(e->worker->ctx, errno, "engine mmap: file %u of %llu bytes",
				 number, (unsigned long long)file->size);
	file->at = at;
	return 0;
}

static void mmap_close(struct fst_engine *e)
{
	struct mmap_state *st = e->state;

	for (uint32_t i = 0; st->file && i < e->n_files; i++)
		if (st->file[i].at)
			munmap(st->file[i].at, st->file[i].size);
	free(st->file);
	st->file = NULL;
}

static int mmap_open(struct fst_engine *e)
{
	struct mmap_state *st = e->state;
	int r = 0;

	st->file = calloc(e->n_files ? e->n_files : 1, sizeof(*st->file));
	if (!st->file)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->n_files && r == 0; i++)
		if (e->files[i].fd >= 0)
			r = mmap_map(e, i);
	if (r < 0)
		mmap_close(e);
	return r;
}

/* Bytes from the I/O's offset to the end of the mapping, at most its length. */
static inline uint64_t mmap_room(const struct mmap_file *file, const struct fst_io *io)
{
	uint64_t left;

	if (!file->at || io->offset >= file->size)
		return 0;
	left = file->size - io->offset;
	return left < io->length ? left : io->length;
}

static int64_t mmap_other(struct fst_engine *e, const struct fst_io *io)
{
	const struct mmap_state *st = e->state;
	const struct mmap_file *file = &st->file[io->file];

	/* fsync writes dirty pages of mappings too, and the metadata that msync leaves out. */
	if (io->op == FST_IO_FDATASYNC && file->at)
		return msync(file->at, file->size, MS_SYNC) < 0 ? -errno : 0;
	return file_ops_other(&e->files[io->file], io);
}

static int mmap_queue(struct fst_engine *e, struct fst_io *io)
{
	const struct mmap_state *st = e->state;
	const struct mmap_file *file = &st->file[io->file];
	uint64_t n = mmap_room(file, io);

	if (io->op > FST_IO_WRITE) {
		io->result = mmap_other(e, io);
		return 1;
	}
	io->result = (int64_t)n;
	if (!n)
		io->result = io->op == FST_IO_READ ? 0 : -EFBIG;
	else if (io->op == FST_IO_READ)
		memcpy(io->buf, file->at + io->offset, n);
	else if (file->writable)
		memcpy(file->at + io->offset, io->buf, n);
	else
		io->result = -EBADF;
	return 1;
}

static const struct fst_engine_ops mmap_ops = {
	.struct_size = sizeof(struct fst_engine_ops),
	.flags = FST_ENGINE_SYNC | FST_ENGINE_MAPPED,
	.max_depth = 1,
	.open = mmap_open,
	.queue = mmap_queue,
	.close = mmap_close,
};

FSTRIAL_PLUGIN(
	.kind = FST_ENGINE,
	.name = "mmap",
	.version = "1.0",
	.summary = "copies from and to mapped files",
	.description =
		"Files are mapped whole before the clock runs; an I/O is a copy between the\n"
		"mapping and the buffer, and the page faults that this takes. fdatasync is msync\n"
		"of the whole file, fsync is fsync, a trim punches a hole (of a device: BLKDISCARD). iodepth is 1.\n"
		"Traps: a file to be written is allocated (fallocate) to its size first, so writes\n"
		"never extend it. The kernel tells of a file that somebody truncates meanwhile, and of\n"
		"a device that fails, by SIGBUS only: which of them, the file's size must say.",
	.state_size = sizeof(struct mmap_state),
	.check = mmap_check,
	.engine = &mmap_ops);
