/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a file's data lies: its extents by FIEMAP, and an XFS's groups and log. */
#pragma once

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

/* Extents asked for at once. */
enum { EXTENTS_BATCH = 128 };

struct extents_run {
	uint64_t logical, physical, length; /* bytes */
	bool unwritten;
	bool placed; /* physical is known */
};

/*
 * One answer of FIEMAP, given to fn extent by extent. Where the next question begins; 0: that was all.
 */
static inline uint64_t extents_decode(const struct fiemap *map,
				      void (*fn)(const struct extents_run *run, void *arg),
				      void *arg)
{
	const uint32_t nowhere = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC |
				 FIEMAP_EXTENT_DATA_INLINE;
	uint64_t next = 0;

	for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
		const struct fiemap_extent *e = &map->fm_extents[i];
		const struct extents_run run = {
			.logical = e->fe_logical,
			.physical = e->fe_physical,
			.length = e->fe_length,
			.unwritten = (e->fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0,
			.placed = !(e->fe_flags & nowhere),
		};

		fn(&run, arg);
		next = e->fe_flags & FIEMAP_EXTENT_LAST ? 0 : e->fe_logical + e->fe_length;
	}
	return next;
}

/*
 * Every extent of [start, end) after dirty data was written back, in order. 0 or -errno, which is
 * -EOPNOTSUPP or -ENOTTY where the file system has no such map.
 */
static inline int extents_each(int fd, uint64_t start, uint64_t end,
			       void (*fn)(const struct extents_run *run, void *arg), void *arg)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + EXTENTS_BATCH * sizeof(struct fiemap_extent)];
	} u;

	while (start < end) {
		memset(&u.map, 0, sizeof(u.map));
		u.map.fm_start = start;
		u.map.fm_length = end - start;
		u.map.fm_flags = FIEMAP_FLAG_SYNC;
		u.map.fm_extent_count = EXTENTS_BATCH;
		if (ioctl(fd, FS_IOC_FIEMAP, &u.map) < 0)
			return -errno;
		start = extents_decode(&u.map, fn, arg);
		if (!start)
			break;
	}
	return 0;
}

/* ---- XFS ------------------------------------------------------------------------------------- */

#define EXTENTS_XFS_MAGIC 0x58465342

/* The kernel's oldest form of it, which all have; <xfs/xfs.h> need not be installed. */
struct extents_xfs_geometry {
	uint32_t blocksize, rtextsize, agblocks, agcount, logblocks, sectsize, inodesize, imaxpct;
	uint64_t datablocks, rtblocks, rtextents, logstart;
	unsigned char uuid[16];
	uint32_t sunit, swidth;
	int32_t version;
	uint32_t flags, logsectsize, rtsectsize, dirblocksize;
};
#define EXTENTS_XFS_GEOMETRY _IOR('X', 100, struct extents_xfs_geometry)

/* All in bytes; agcount 0: no XFS. */
struct extents_groups {
	uint32_t agcount;
	uint64_t agsize;
	uint64_t log_at, log_size; /* log_size 0: the log is on another device */
};

static inline void extents_groups_of(const struct extents_xfs_geometry *x, struct extents_groups *g)
{
	unsigned int bits = 0;

	memset(g, 0, sizeof(*g));
	if (!x->agblocks || !x->agcount)
		return;
	g->agcount = x->agcount;
	g->agsize = (uint64_t)x->agblocks * x->blocksize;
	if (!x->logstart)
		return;
	/* A block number has its group in the bits above those that a block in a group takes. */
	while ((uint64_t)1 << bits < x->agblocks)
		bits++;
	g->log_at = (x->logstart >> bits) * g->agsize +
		    (x->logstart & (((uint64_t)1 << bits) - 1)) * x->blocksize;
	g->log_size = (uint64_t)x->logblocks * x->blocksize;
}

static inline void extents_groups_read(int fd, struct extents_groups *g)
{
	struct extents_xfs_geometry x;
	struct statfs fs;

	memset(g, 0, sizeof(*g));
	memset(&x, 0, sizeof(x));
	if (fstatfs(fd, &fs) == 0 && fs.f_type == EXTENTS_XFS_MAGIC &&
	    ioctl(fd, EXTENTS_XFS_GEOMETRY, &x) == 0)
		extents_groups_of(&x, g);
}

/* ---- preallocation --------------------------------------------------------------------------- */

/* 0, -EOPNOTSUPP when it did not come into force, or another -errno. */
static inline int extents_set_hint(int fd, uint64_t bytes)
{
	struct fsxattr x;

	if (bytes > UINT32_MAX)
		return -EINVAL;
	if (ioctl(fd, FS_IOC_FSGETXATTR, &x) < 0)
		return errno == ENOTTY ? -EOPNOTSUPP : -errno;
	x.fsx_xflags |= FS_XFLAG_EXTSIZE;
	x.fsx_extsize = (uint32_t)bytes;
	if (ioctl(fd, FS_IOC_FSSETXATTR, &x) < 0)
		return errno == ENOTTY ? -EOPNOTSUPP : -errno;
	if (ioctl(fd, FS_IOC_FSGETXATTR, &x) < 0)
		return -errno;
	return x.fsx_extsize == bytes ? 0 : -EOPNOTSUPP;
}
