/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block device in the place of files. */
#include "core/io/device.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/util/units.h"
#include "core/util/xalloc.h"

/* Where the last worker begins; UINT64_MAX: beyond any device. */
static uint64_t device_last_offset(const struct io_params *p, uint64_t n)
{
	uint64_t more, at;

	if (__builtin_mul_overflow(p->offset_increment, n ? n - 1 : 0, &more) ||
	    __builtin_add_overflow(p->offset, more, &at))
		return UINT64_MAX;
	return at;
}

int device_range(const struct io_params *p, uint64_t n, uint64_t have, const char *what,
		 uint64_t *size, struct err *e)
{
	uint64_t from = device_last_offset(p, n), least, most, end;
	char a[32], b[32];

	io_block_sizes(p, &least, &most);
	*size = p->size ? p->size : most;
	if (__builtin_add_overflow(from, *size, &end))
		end = UINT64_MAX;
	if (end > have && p->size)
		return err_set(e, EINVAL, "size = %s%s ends at %llu bytes, and %s has %llu (%s)",
			       units_format_size(p->size, a, sizeof(a)),
			       from ? " behind the offset" : "", (unsigned long long)end, what,
			       (unsigned long long)have, units_format_size(have, b, sizeof(b)));
	if (end > have)
		return err_set(e, EINVAL,
			       "offset: no I/O of %s fits in behind %llu bytes, %s has %llu (%s)",
			       units_format_size(most, a, sizeof(a)), (unsigned long long)from,
			       what, (unsigned long long)have,
			       units_format_size(have, b, sizeof(b)));
	if (!p->size)
		*size = have - from;
	return 0;
}

int device_open(const struct io_files *f, int flags, struct err *e)
{
	const struct io_device *dev = f->device;
	int fd = open(dev->path, flags | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == EBUSY)
		return err_set(e, EBUSY,
			       "%s is held by somebody else: it cannot be opened exclusively",
			       dev->path);
	if (fd < 0 && errno == EINVAL && (flags & O_DIRECT))
		return err_set(e, EINVAL, "direct = true: this device has no direct I/O (open %s)",
			       dev->path);
	if (fd < 0)
		return err_sys(e, errno, "open %s", dev->path);
	if (fstat(fd, &st) < 0)
		err_sys(e, errno, "stat %s", dev->path);
	else if (!S_ISBLK(st.st_mode) || st.st_rdev != dev->dev)
		err_set(e, EPERM, "%s became another device since it was looked at", dev->path);
	else
		return fd;
	close(fd);
	return -e->code;
}

int device_init(struct io_files *f, const struct io_device *dev, bool hold, struct err *e)
{
	f->device = dev;
	if (!hold || !dev->may_write)
		return 0;
	f->hold_fd = device_open(f, O_RDONLY | O_EXCL, e);
	return f->hold_fd < 0 ? f->hold_fd : 0;
}

void device_release(struct io_files *f)
{
	if (f->device && f->hold_fd >= 0)
		close(f->hold_fd);
	f->hold_fd = -1;
	f->device = NULL;
}

int device_add(struct io_files *f, const struct io_params *p, uint32_t nworkers, uint32_t mode,
	       struct err *e)
{
	const struct io_device *dev = f->device;
	struct io_file file = { .mode = mode, .worker = nworkers == 1 ? 0 : FST_EVERY_WORKER };
	uint64_t size;
	int r;

	/* What the plugin did not say in check the guard has not seen. */
	if (mode != FST_FILE_READ && !dev->may_write)
		return err_set(e, EPERM,
			       "fst_files(): %s would be written, and check did not claim it",
			       dev->path);
	r = device_range(p, nworkers, dev->size, dev->path, &size, e);
	if (r < 0)
		return r;
	/* As far as the last worker comes: device_range() has seen that it is on the device. */
	file.size = file.fill_from = p->offset + (nworkers - 1) * p->offset_increment + size;
	file.name = xstrdup(dev->path);
	vec_push(&f->file, file);
	return 0;
}
