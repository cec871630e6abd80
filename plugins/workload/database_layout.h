/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: the directory and the table in it, made before the clock starts and removed behind. */
#pragma once

#include "database_pool.h"

#define DB_LAYOUT (1u << 20) /* bytes written at a time */
#define DB_DIRS 100u	     /* database steps that run in parallel in one directory */

static inline int db_layout_dir(struct db *db)
{
	for (uint32_t i = 0; i < DB_DIRS; i++) {
		if ((size_t)snprintf(db->dir, sizeof(db->dir), "%s/" DB_NAME ".%u", db->ctx->dir,
				     i) >= sizeof(db->dir))
			return fst_error(db->ctx, ENAMETOOLONG, "directory %s", db->ctx->dir);
		if (mkdir(db->dir, 0755) == 0) {
			db->made = true;
			db->dirfd = open(db->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			return db->dirfd < 0 ? fst_error(db->ctx, errno, "open %s", db->dir) : 0;
		}
		if (errno != EEXIST)
			break;
	}
	return fst_error(db->ctx, errno, "make directory %s", db->dir);
}

/* Pages as a server finds them: sealed, random, never changed. */
static inline void db_layout_pages(struct db *db, char *buf, uint64_t first, uint64_t n)
{
	const uint64_t size = db->cfg.page_size;
	uint64_t x = db->ctx->seed ^ first;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t *word = (uint64_t *)(buf + i * size);
		struct db_page *page = (struct db_page *)word;

		for (uint64_t k = sizeof(*page) / 8; k < size / 8; k++)
			word[k] = db_mix(x += UINT64_C(0x9e3779b97f4a7c15));
		*page = (struct db_page){ .magic = DB_PAGE_MAGIC, .number = first + i };
		db_page_seal(db, page);
	}
}

static inline int db_layout_fill(struct db *db, uint32_t f, char *buf)
{
	const uint64_t per_file = db->cfg.file_size / db->cfg.page_size;
	const uint64_t at_once = DB_LAYOUT / db->cfg.page_size;
	uint64_t page = f * per_file, end = page + per_file;
	int r = 0;

	end = end < db->pages ? end : db->pages;
	while (page < end && r == 0) {
		uint64_t n = end - page < at_once ? end - page : at_once;

		db_layout_pages(db, buf, page, n);
		r = db_write_all(db->file[f].fd, buf, n * db->cfg.page_size,
				 db_page_offset(db, page));
		if (r < 0)
			return db_page_error(db, page, -r, "write");
		page += n;
	}
	return 0;
}

static inline int db_layout_file(struct db *db, uint32_t f, char *buf)
{
	char path[DB_FILE];
	int r;

	db_file_path(db, f, path);
	db->file[f].fd = open(
		path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | (db->cfg.direct ? O_DIRECT : 0),
		0644);
	if (db->file[f].fd < 0)
		return fst_error(db->ctx, errno, "create %s", path);
	r = db_layout_fill(db, f, buf);
	if (r == 0 && fsync(db->file[f].fd))
		r = fst_error(db->ctx, errno, "fsync %s", path);
	/* The first reads are cold, whatever the size of memory. */
	if (r == 0)
		posix_fadvise(db->file[f].fd, 0, 0, POSIX_FADV_DONTNEED);
	return r;
}

/* As InnoDB's: as large as what is ever in it, and written before it is used. */
static inline int db_layout_doublewrite(struct db *db)
{
	const uint64_t size = (DB_BATCH + db->n_actors) * db->cfg.page_size;
	char path[DB_FILE], *buf;
	int r;

	if (!db->cfg.doublewrite)
		return 0;
	snprintf(path, sizeof(path), "%s/doublewrite", db->dir);
	db->doublewrite = open(
		path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | (db->cfg.direct ? O_DIRECT : 0),
		0644);
	if (db->doublewrite < 0)
		return fst_error(db->ctx, errno, "create %s", path);
	buf = aligned_alloc(DB_ALIGN, size);
	if (!buf)
		return fst_error(db->ctx, ENOMEM, "doublewrite buffer, %llu bytes",
				 (unsigned long long)size);
	memset(buf, 0, size);
	r = db_write_all(db->doublewrite, buf, size, 0);
	free(buf);
	if (r < 0)
		return fst_error(db->ctx, -r, "write %s", path);
	return fsync(db->doublewrite) ? fst_error(db->ctx, errno, "fsync %s", path) : 0;
}

static inline int db_layout(struct db *db)
{
	char *buf = aligned_alloc(DB_ALIGN, DB_LAYOUT);
	int r;

	if (!buf)
		return fst_error(db->ctx, ENOMEM, "buffer");
	r = db_layout_dir(db);
	for (uint32_t i = 0; i < db->n_files && r == 0; i++)
		r = db_layout_file(db, i, buf);
	free(buf);
	return r < 0 ? r : db_layout_doublewrite(db);
}

/* Removes what db_layout() made, and nothing else: a directory with other things in it stays. */
static inline int db_layout_cleanup(struct db *db)
{
	char path[DB_FILE];
	int r = 0;

	for (uint32_t i = 0; db->file && i < db->n_files; i++) {
		if (db->file[i].fd < 0)
			continue;
		close(db->file[i].fd);
		db_file_path(db, i, path);
		if (unlink(path) && errno != ENOENT && r == 0)
			r = fst_error(db->ctx, errno, "remove %s", path);
	}
	if (db->doublewrite >= 0) {
		close(db->doublewrite);
		snprintf(path, sizeof(path), "%s/doublewrite", db->dir);
		if (unlink(path) && errno != ENOENT && r == 0)
			r = fst_error(db->ctx, errno, "remove %s", path);
	}
	if (db->dirfd >= 0)
		close(db->dirfd);
	if (db->made && rmdir(db->dir) && r == 0)
		r = fst_error(db->ctx, errno, "remove directory %s", db->dir);
	return r;
}
