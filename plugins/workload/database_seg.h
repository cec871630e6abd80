/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * database: the files of the write-ahead log. Segment n holds the LSNs [n, n + 1) * wal_segment;
 * a circular log overwrites a fixed set of them, PostgreSQL renames old ones to future numbers.
 */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database_cfg.h"

static inline void db_seg_path(const struct db *db, uint64_t n, char *path)
{
	if (db->cfg.wal_recycle == DB_RECYCLE_OVERWRITE)
		n %= db->cfg.wal_segments;
	snprintf(path, DB_FILE, "%s/wal.%08llx", db->dir, (unsigned long long)n);
}

static inline int db_seg_flags(const struct db *db)
{
	switch (db->cfg.wal_sync) {
	case DB_SYNC_OPEN_DSYNC:
		return O_DSYNC;
	case DB_SYNC_OPEN_SYNC:
		return O_SYNC;
	case DB_SYNC_DIRECT_DSYNC:
		return O_DIRECT | O_DSYNC;
	default:
		return 0;
	}
}

/* New directory entries are on disk before anything relies on them. */
static inline int db_seg_sync_dir(struct db *db)
{
	if (DB_FSYNC(db->dirfd))
		return fst_error(db->ctx, errno, "fsync %s", db->dir);
	return 0;
}

static inline int db_seg_fill(struct db *db, int fd, const char *path)
{
	static const char zeros[65536] = { 0 };
	const uint64_t size = db->cfg.wal_segment;

	if (db->cfg.wal_prealloc == DB_PREALLOC_FALLOCATE && fallocate(fd, 0, 0, (off_t)size))
		return fst_error(db->ctx, errno, "fallocate %s, %llu bytes", path,
				 (unsigned long long)size);
	if (db->cfg.wal_prealloc != DB_PREALLOC_ZERO)
		return 0;
	for (uint64_t at = 0; at < size; at += sizeof(zeros)) {
		uint64_t n = size - at < sizeof(zeros) ? size - at : sizeof(zeros);
		int r = db_write_all(fd, zeros, n, at);

		if (r < 0)
			return fst_error(db->ctx, -r, "write %s, offset %llu", path,
					 (unsigned long long)at);
	}
	return 0;
}

/* One segment more, as wal_prealloc says. seg->lock is held, or nobody else is there. */
static inline int db_seg_create(struct db *db, uint64_t n)
{
	struct db_segments *seg = &db->wal.seg;
	char path[DB_FILE];
	int fd, r;

	db_seg_path(db, n, path);
	seg->last = n;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return fst_error(db->ctx, errno, "create %s", path);
	seg->created++;
	r = db_seg_fill(db, fd, path);
	if (r == 0 && DB_FSYNC(fd))
		r = fst_error(db->ctx, errno, "fsync %s", path);
	if (close(fd) && r == 0)
		r = fst_error(db->ctx, errno, "close %s", path);
	return r < 0 ? r : db_seg_sync_dir(db);
}

/* Those that are there before the first transaction. */
static inline int db_seg_prepare(struct db *db)
{
	struct db_segments *seg = &db->wal.seg;
	uint64_t n = db->cfg.wal_recycle == DB_RECYCLE_OFF ? 1 : db->cfg.wal_segments;
	int r = 0;

	seg->fd = -1;
	for (uint64_t i = 0; i < n && r == 0; i++)
		r = db_seg_create(db, i);
	return r;
}

/* seg->fd is that of segment n. By the one who flushes. */
static inline int db_seg_open(struct db *db, uint64_t n)
{
	struct db_segments *seg = &db->wal.seg;
	char path[DB_FILE];
	int r = 0;

	if (seg->fd >= 0 && seg->number == n)
		return 0;
	if (seg->fd >= 0)
		close(seg->fd); /* synced when its last block was written */
	seg->fd = -1;
	pthread_mutex_lock(&seg->lock);
	if (n > seg->last && db->cfg.wal_recycle == DB_RECYCLE_OVERWRITE)
		seg->last = n;
	else if (n > seg->last)
		r = db_seg_create(db, n);
	pthread_mutex_unlock(&seg->lock);
	if (r < 0)
		return r;
	db_seg_path(db, n, path);
	seg->fd = open(path, O_RDWR | O_CLOEXEC | db_seg_flags(db));
	if (seg->fd < 0)
		return fst_error(db->ctx, errno, "open %s", path);
	seg->number = n;
	return 0;
}

static inline int db_seg_sync(struct db *db, uint64_t at, uint64_t n)
{
	const struct db_segments *seg = &db->wal.seg;
	const char *call = "fdatasync";
	char path[DB_FILE];
	int r = 0;

	switch (db->cfg.wal_sync) {
	case DB_SYNC_FSYNC:
		call = "fsync";
		r = DB_FSYNC(seg->fd);
		break;
	case DB_SYNC_FILE_RANGE:
		r = sync_file_range(seg->fd, (off_t)at, (off_t)n,
				    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
					    SYNC_FILE_RANGE_WAIT_AFTER);
		if (r) {
			call = "sync_file_range";
			break;
		}
		r = DB_FDATASYNC(seg->fd);
		break;
	case DB_SYNC_FDATASYNC:
		r = DB_FDATASYNC(seg->fd);
		break;
	default:
		break;
	}
	if (!r)
		return 0;
	r = errno;
	db_seg_path(db, seg->number, path);
	return fst_error(db->ctx, r, "%s %s, offset %llu", call, path, (unsigned long long)at);
}

/* Segments that no recovery needs any more become future ones, or go. */
static inline int db_seg_retire_one(struct db *db, uint64_t n, bool keep)
{
	struct db_segments *seg = &db->wal.seg;
	char from[DB_FILE], to[DB_FILE];

	db_seg_path(db, n, from);
	seg->first = n + 1;
	if (!keep) {
		if (unlink(from))
			return fst_error(db->ctx, errno, "remove %s", from);
		return 0;
	}
	db_seg_path(db, seg->last + 1, to);
	if (rename(from, to))
		return fst_error(db->ctx, errno, "rename %s to %s", from, to);
	seg->last++;
	seg->recycled++;
	return 0;
}

static inline int db_seg_retire(struct db *db, uint64_t redo)
{
	struct db_segments *seg = &db->wal.seg;
	const uint64_t needed = redo / db->cfg.wal_segment;
	uint64_t before;
	int r = 0;

	if (db->cfg.wal_recycle == DB_RECYCLE_OVERWRITE)
		return 0;
	pthread_mutex_lock(&seg->lock);
	before = seg->first;
	while (seg->first < needed && r == 0)
		r = db_seg_retire_one(db, seg->first,
				      db->cfg.wal_recycle == DB_RECYCLE_RENAME &&
					      seg->last - needed < db->cfg.wal_segments);
	pthread_mutex_unlock(&seg->lock);
	return r == 0 && seg->first != before ? db_seg_sync_dir(db) : r;
}

/* Removes what db_seg_create() and renames left. */
static inline int db_seg_cleanup(struct db *db)
{
	struct db_segments *seg = &db->wal.seg;
	uint64_t last = seg->last;
	char path[DB_FILE];
	int r = 0;

	if (seg->fd >= 0)
		close(seg->fd);
	seg->fd = -1;
	if (db->cfg.wal_recycle == DB_RECYCLE_OVERWRITE && last >= db->cfg.wal_segments)
		last = db->cfg.wal_segments - 1;
	for (uint64_t n = seg->first; n <= last && seg->created; n++) {
		db_seg_path(db, n, path);
		if (unlink(path) && errno != ENOENT && r == 0)
			r = fst_error(db->ctx, errno, "remove %s", path);
	}
	return r;
}
