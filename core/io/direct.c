/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What direct I/O on a file asks for. */
#include "core/io/direct.h"

#include <errno.h>
#include <linux/fs.h>
#include <linux/stat.h> /* newer than the C library's struct statx; the two exclude each other */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/util/units.h"

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif
#ifndef STATX_DIOALIGN
#define STATX_DIOALIGN 0x00002000U
#endif

enum { DIRECT_MAX_TRY = 1 << 20, DIRECT_MEM_ALIGN = 4096 };

/*
 * Bytes that offsets and lengths must be multiples of; 0: none will do; -1: the kernel does not
 * tell.
 */
static int64_t direct_alignment(int fd)
{
	union {
		struct statx stx;
		unsigned char raw[256];
	} u;
	uint32_t align;
	int sector;

	/* Only a block device knows this one. */
	if (ioctl(fd, BLKSSZGET, &sector) == 0 && sector > 0)
		return sector;
	memset(&u, 0, sizeof(u));
	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &u.stx) < 0)
		return -1;
	if (!(u.stx.stx_mask & STATX_DIOALIGN))
		return -1;
	/* stx_dio_offset_align, which older headers do not name. */
	memcpy(&align, u.raw + 0x9c, sizeof(align));
	return align;
}

static int direct_try(int fd, const char *name, uint64_t bs, struct err *e)
{
	void *buf;
	ssize_t got;
	int code;

	if (bs > DIRECT_MAX_TRY || posix_memalign(&buf, DIRECT_MEM_ALIGN, (size_t)bs))
		return 0;
	got = pread(fd, buf, (size_t)bs, 0);
	code = errno;
	free(buf);
	if (got < 0 && code == EINVAL) {
		char text[32];

		return err_set(e, EINVAL, "bs = %s: direct I/O on %s is refused",
			       units_format_size(bs, text, sizeof(text)), name);
	}
	return 0;
}

static int direct_multiple(const char *what, uint64_t value, const char *name, int64_t align,
			   struct err *e)
{
	char text[32];

	if (value % (uint64_t)align == 0)
		return 0;
	return err_set(e, EINVAL, "%s = %s: direct I/O on %s needs multiples of %lld bytes", what,
		       units_format_size(value, text, sizeof(text)), name, (long long)align);
}

int direct_check(int fd, const char *name, const struct io_params *p, uint64_t size, struct err *e)
{
	int64_t align = direct_alignment(fd);
	uint64_t min, max;
	int r = 0;

	io_block_sizes(p, &min, &max);
	if (align < 0)
		return direct_try(fd, name, min, e);
	if (align == 0)
		return err_set(e, EINVAL, "direct = true: this file system has no direct I/O (%s)",
			       name);
	for (uint32_t i = 0; i < p->n_shares && r == 0; i++)
		r = direct_multiple("bssplit: block size", p->shares[i].bs, name, align, e);
	if (r == 0 && !p->n_shares)
		r = direct_multiple("bs", p->bs, name, align, e);
	if (r == 0)
		r = direct_multiple("size / nrfiles", size, name, align, e);
	if (r == 0)
		r = direct_multiple("offset", p->offset, name, align, e);
	return r ? r : direct_multiple("offset_increment", p->offset_increment, name, align, e);
}
