/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * database: changed pages on their way to disk. First the WAL up to their last change, then, as
 * InnoDB does it, a copy of all in a row into the doublewrite file and its sync, then each in its
 * place. Without doublewrite a batch is one page.
 */
#pragma once

#include "database_page.h"
#include "database_wal.h"

/* Takes a copy of a dirty frame, pinned by the caller, into the batch. False: nothing to do. */
static inline bool db_flush_add(struct db_actor *a, uint32_t f)
{
	struct db *db = a->db;
	struct db_pool *pool = &db->pool;
	struct db_frame *fr = &pool->frame[f];
	char *copy = a->batch + a->batch_n * db->cfg.page_size;
	uint64_t lsn;

	pthread_mutex_lock(&pool->lock);
	while (fr->writing)
		pthread_cond_wait(&pool->written, &pool->lock);
	if (!fr->dirty) {
		fr->pins--;
		pthread_mutex_unlock(&pool->lock);
		return false;
	}
	fr->writing = true;
	fr->again = false;
	pthread_mutex_unlock(&pool->lock);
	pthread_mutex_lock(&fr->content);
	memcpy(copy, pool->mem + f * db->cfg.page_size, db->cfg.page_size);
	pthread_mutex_unlock(&fr->content);
	db_page_seal(db, copy);
	lsn = ((struct db_page *)copy)->lsn;
	a->batch_lsn = lsn > a->batch_lsn ? lsn : a->batch_lsn;
	a->frame[a->batch_n++] = f;
	return true;
}

/* The copies in a row, and to disk, so that a torn page can be put right from there. */
static inline int db_flush_doublewrite(struct db_actor *a)
{
	struct db *db = a->db;
	const uint64_t n = a->batch_n * db->cfg.page_size, begun = db_now(a);
	/* The background worker's region is a batch long, each other's one page. */
	const uint64_t slot = a->batch_max > 1 ? 0 : DB_BATCH + (uint64_t)(a - db->actor);
	const uint64_t at = slot * db->cfg.page_size;
	int r = db_write_all(db->doublewrite, a->batch, n, at);

	if (r < 0)
		return fst_error(db->ctx, -r, "write %s/doublewrite, offset %llu", db->dir,
				 (unsigned long long)at);
	if (DB_FSYNC(db->doublewrite))
		return fst_error(db->ctx, errno, "fsync %s/doublewrite", db->dir);
	db_op(a, DB_DOUBLEWRITE, begun, n);
	a->count.doublewrite += n;
	return 0;
}

static inline int db_flush_place(struct db_actor *a, uint32_t i)
{
	struct db *db = a->db;
	const char *copy = a->batch + i * db->cfg.page_size;
	const uint64_t number = ((const struct db_page *)copy)->number, begun = db_now(a);
	struct db_table_file *file = &db->file[db_page_file(db, number)];
	int r = db_write_all(file->fd, copy, db->cfg.page_size, db_page_offset(db, number));

	if (r < 0)
		return db_page_error(db, number, -r, "write");
	db_op(a, DB_PAGE_WRITE, begun, db->cfg.page_size);
	a->count.data += db->cfg.page_size;
	if (db->doublewrite < 0)
		__atomic_store_n(&file->dirty, 1, __ATOMIC_RELEASE);
	return 0;
}

static inline int db_flush_sync_file(struct db_actor *a, uint32_t file)
{
	const uint64_t begun = db_now(a);
	char path[DB_FILE];

	if (DB_FSYNC(a->db->file[file].fd)) {
		int err = errno;

		db_file_path(a->db, file, path);
		return fst_error(a->db->ctx, err, "fsync %s", path);
	}
	db_op(a, DB_DATA_SYNC, begun, 0);
	return 0;
}

/* Every table file that was written since its last fsync. */
static inline int db_flush_sync_files(struct db_actor *a)
{
	int r = 0;

	for (uint32_t i = 0; i < a->db->n_files && r == 0; i++)
		if (__atomic_exchange_n(&a->db->file[i].dirty, 0, __ATOMIC_ACQ_REL))
			r = db_flush_sync_file(a, i);
	return r;
}

static inline uint32_t db_flush_file_of(const struct db_actor *a, uint32_t i)
{
	const char *copy = a->batch + i * a->db->cfg.page_size;

	return db_page_file(a->db, ((const struct db_page *)copy)->number);
}

/* Each file of the batch once. Only then may the next overwrite the doublewrite file. */
static inline int db_flush_sync_batch(struct db_actor *a)
{
	int r = 0;

	for (uint32_t i = 0; i < a->batch_n && r == 0; i++) {
		const uint32_t file = db_flush_file_of(a, i);
		uint32_t k = 0;

		while (k < i && db_flush_file_of(a, k) != file)
			k++;
		if (k == i)
			r = db_flush_sync_file(a, file);
	}
	return r;
}

static inline void db_flush_release(struct db_actor *a, bool written)
{
	struct db_pool *pool = &a->db->pool;

	pthread_mutex_lock(&pool->lock);
	for (uint32_t i = 0; i < a->batch_n; i++) {
		struct db_frame *fr = &pool->frame[a->frame[i]];

		if (written)
			fr->dirty = fr->again;
		fr->writing = false;
		fr->pins--;
	}
	pthread_cond_broadcast(&pool->written);
	pthread_mutex_unlock(&pool->lock);
	a->batch_n = 0;
	a->batch_lsn = 0;
}

/* Writes what db_flush_add() took, and unpins it. */
static inline int db_flush_batch(struct db_actor *a)
{
	const bool doublewrite = a->db->doublewrite >= 0;
	int r = 0;

	if (!a->batch_n)
		return 0;
	r = db_wal_flush(a, a->batch_lsn, false);
	if (r == 0 && doublewrite)
		r = db_flush_doublewrite(a);
	for (uint32_t i = 0; i < a->batch_n && r == 0; i++)
		r = db_flush_place(a, i);
	if (r == 0 && doublewrite)
		r = db_flush_sync_batch(a);
	db_flush_release(a, r == 0);
	return r;
}

/* One frame, pinned by the caller; unpinned behind. */
static inline int db_flush_frame(struct db_actor *a, uint32_t f)
{
	if (!db_flush_add(a, f) || a->batch_n < a->batch_max)
		return 0;
	return db_flush_batch(a);
}
