/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and fills data files before the clock runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "core/io/buffers.h"
#include "core/io/direct.h"
#include "core/io/files.h"
#include "core/io/verify.h"
#include "core/util/units.h"

enum { LAYOUT_CHUNK = 1 << 20 };

/* Removes what stands in the place of a new file, if it is a regular file. */
static int layout_unlink(const struct io_files *f, const struct io_file *file, struct err *e)
{
	const char *base;
	struct stat st;
	int at = files_parent(f, file->name, &base, e), r = 0;

	if (at < 0)
		return at;
	if (fstatat(at, base, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			r = err_sys(e, errno, "stat %s", file->name);
	} else if (S_ISLNK(st.st_mode)) {
		r = err_set(e, ELOOP, "%s is a symbolic link, not a data file of ours", file->name);
	} else if (!S_ISREG(st.st_mode)) {
		r = err_set(e, EINVAL, "%s is not a regular file", file->name);
	} else if (unlinkat(at, base, 0) < 0) {
		r = err_sys(e, errno, "unlink %s", file->name);
	}
	close(at);
	return r;
}

static int layout_create(const struct io_files *f, struct io_file *file, struct err *e)
{
	int r = layout_unlink(f, file, e), fd;

	if (r < 0)
		return r;
	fd = files_open_one(f, file->name, O_RDWR | O_CREAT | O_EXCL, e);
	if (fd < 0)
		return fd;
	close(fd);
	file->fill_from = file->size;
	return 0;
}

/*
 * How far is the file real data? A hole or a preallocated extent would be read without any I/O, and
 * both count as holes for lseek.
 */
static int layout_inspect(const struct io_files *f, struct io_file *file, struct err *e)
{
	struct stat st;
	off_t hole;
	int fd = files_open_one(f, file->name, O_RDWR | O_CREAT, e);

	/* What is only read may stand on a file system that is mounted read-only. */
	if (fd == -EROFS && file->mode == FST_FILE_READ) {
		err_clear(e);
		fd = files_open_one(f, file->name, O_RDONLY, e);
	}
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0) {
		err_sys(e, errno, "stat %s", file->name);
		close(fd);
		return -e->code;
	}
	hole = st.st_size ? lseek(fd, 0, SEEK_HOLE) : 0;
	if (hole < 0) /* not known here */
		hole = st.st_size;
	close(fd);
	file->fill_from = MIN((uint64_t)hole, file->size);
	if (file->fill_from < file->size)
		file->fill_from -= file->fill_from % BUFFER_BLOCK;
	return 0;
}

/* Made by the workload's prepare: whatever its size and holes are, it stays so. */
static int layout_keep(const struct io_files *f, struct io_file *file, struct err *e)
{
	int fd = files_open_one(f, file->name, O_RDWR, e);

	if (fd < 0)
		return fd;
	close(fd);
	file->fill_from = file->size;
	return 0;
}

static int layout_one(const struct io_files *f, struct io_file *file, struct err *e)
{
	switch (file->mode) {
	case FST_FILE_CREATE:
		return layout_create(f, file, e);
	case FST_FILE_AS_IS:
		return layout_keep(f, file, e);
	default:
		return layout_inspect(f, file, e);
	}
}

static int layout_available(const struct io_files *f, uint64_t *avail, struct err *e)
{
	struct statvfs v;

	if (fstatvfs(f->dirfd, &v) < 0)
		return err_sys(e, errno, "free space of %s", f->dir);
	*avail = (uint64_t)v.f_bavail * v.f_frsize;
	return 0;
}

static int layout_check_space(const struct io_files *f, const struct layout *l, uint64_t need,
			      struct err *e)
{
	char a[32], b[32], text[160];
	uint64_t avail = 0;
	int r = layout_available(f, &avail, e);

	/* What was removed just now is free on btrfs after a commit only. */
	if (r == 0 && need + l->to_write > avail && syncfs(f->dirfd) == 0)
		r = layout_available(f, &avail, e);
	if (r < 0)
		return r;
	if (need > avail)
		return err_set(e, ENOSPC,
			       "laying out the data files in %s needs %llu bytes (%s), %llu (%s) "
			       "are available",
			       f->dir, (unsigned long long)need,
			       units_format_size(need, a, sizeof(a)), (unsigned long long)avail,
			       units_format_size(avail, b, sizeof(b)));
	if (l->to_write > avail - need && l->warn) {
		snprintf(text, sizeof(text),
			 "will write %llu bytes where %llu are available: ENOSPC is to be expected",
			 (unsigned long long)l->to_write, (unsigned long long)(avail - need));
		l->warn(l->arg, text);
	}
	return 0;
}

static int layout_write(struct io_files *f, const struct io_file *file, int fd, struct layout *l,
			struct buffers *b, struct err *e)
{
	uint64_t at = file->fill_from;

	while (at < file->size) {
		size_t len = (size_t)MIN((uint64_t)LAYOUT_CHUNK, file->size - at);
		ssize_t n;

		if (live_get(l->live->stop))
			return err_set(e, ECANCELED, "interrupted while %s was laid out",
				       file->name);
		if (buffers_stamped(f->p))
			buffers_stamp(b, b->slab, len);
		if (l->verify)
			verify_fill(l->verify, (uint32_t)(file - f->file.v), at, b->slab, len);
		n = pwrite(fd, b->slab, len, (off_t)at);
		if (n <= 0)
			return err_sys(e, n < 0 ? errno : EIO,
				       "laying out: write %s at offset %llu, %zu bytes", file->name,
				       (unsigned long long)at, len);
		at += (uint64_t)n;
		f->laid_out += (uint64_t)n;
		live_set(l->live->w[0].bytes, f->laid_out);
	}
	if (fsync(fd) < 0)
		return err_sys(e, errno, "laying out: fsync %s", file->name);
	/*
	 * That we filled it must not make its reads come from memory; a hint, so its result is of
	 * no use.
	 */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

static int layout_fill(struct io_files *f, const struct io_file *file, struct layout *l,
		       struct buffers *b, struct err *e)
{
	int fd = files_open_one(f, file->name, O_RDWR, e), r;

	if (fd < 0)
		return fd;
	r = layout_write(f, file, fd, l, b, e);
	if (close(fd) < 0 && r == 0)
		r = err_sys(e, errno, "laying out: close %s", file->name);
	return r;
}

static int layout_fill_all(struct io_files *f, struct layout *l, struct err *e)
{
	struct buffers b;
	struct prng rng;
	int r = buffers_init(&b, 1, LAYOUT_CHUNK);

	if (r < 0)
		return err_set(e, -r, "memory to lay out the data files");
	prng_seed(&rng, l->seed, UINT32_MAX);
	buffers_fill(&b, f->p, &rng);
	for (size_t i = 0; i < f->file.n && r == 0; i++)
		if (f->file.v[i].fill_from < f->file.v[i].size)
			r = layout_fill(f, &f->file.v[i], l, &b, e);
	buffers_release(&b);
	return r;
}

/* Before anything is filled, which may take long. */
static int layout_check_direct(const struct io_files *f, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < f->file.n && f->direct && r == 0; i++) {
		const struct io_file *file = &f->file.v[i];
		int fd = files_open_one(f, file->name, O_RDONLY | O_DIRECT, e);

		if (fd < 0)
			return fd;
		r = direct_check(fd, file->name, f->p, file->size, e);
		close(fd);
	}
	return r;
}

int files_lay_out(struct io_files *f, struct layout *l, struct err *e)
{
	uint64_t need = 0;
	int r;

	/* A device is as long as it is, and holds what it holds. */
	if (f->device)
		return layout_check_direct(f, e);
	for (size_t i = 0; i < f->file.n; i++) {
		struct io_file *file = &f->file.v[i];

		r = layout_one(f, file, e);
		if (r < 0)
			return r;
		need += file->size - file->fill_from;
	}
	r = layout_check_direct(f, e);
	if (r == 0)
		r = layout_check_space(f, l, need, e);
	if (r < 0)
		return r;
	live_set(l->live->expected_bytes, need);
	return need ? layout_fill_all(f, l, e) : 0;
}
