/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * database: worker 0. It writes back: all that is dirty at a checkpoint, in the order of the table
 * and spread over time; and between, ahead of the clock hand, pages that soon will be victims.
 */
#pragma once

#include <time.h>

#include "database_pool.h"

#define DB_WRITEBACK (256u << 10) /* bytes after which their writeback is started */
#define DB_WRITEBACK_PAGES 512u
#define DB_LOOK 1024u /* frames looked at while the pool is locked */

struct db_background {
	struct db_actor *a;
	uint64_t last_ns;		/* begin of the last checkpoint */
	uint64_t last_lsn;		/* its redo */
	uint64_t bgwriter_ns, flush_ns; /* when last */
	uint64_t begun_ns;		/* of the checkpoint under way */
	/* Pages written whose writeback was not started yet, in order. */
	uint64_t page[DB_WRITEBACK_PAGES];
	uint32_t n;
};

static inline uint64_t db_background_lsn(struct db_background *b)
{
	struct db_wal *wal = &b->a->db->wal;
	uint64_t lsn;

	pthread_mutex_lock(&wal->lock);
	lsn = wal->insert;
	pthread_mutex_unlock(&wal->lock);
	return lsn;
}

/* Is the step over for this worker? */
static inline bool db_background_ends(const struct db_background *b)
{
	return db_stopping(b->a) || !__atomic_load_n(&b->a->db->clients_left, __ATOMIC_ACQUIRE);
}

/* ---- background writer ----------------------------------------------------------------------- */

/* Pins the next dirty frame from *at on that will be a victim; false when there is none. */
static inline bool db_background_next(struct db_pool *pool, uint32_t hand, uint32_t *at,
				      uint32_t *f)
{
	bool found = false;

	pthread_mutex_lock(&pool->lock);
	for (uint32_t i = 0; i < DB_LOOK && *at < pool->n && !found; i++, ++*at) {
		struct db_frame *fr = &pool->frame[((uint64_t)hand + *at) % pool->n];

		found = fr->dirty && !fr->pins && !fr->usage;
		if (found) {
			fr->pins++;
			*f = (uint32_t)(((uint64_t)hand + *at) % pool->n);
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return found;
}

static inline int db_background_write(struct db_background *b)
{
	struct db_pool *pool = &b->a->db->pool;
	uint32_t at = 0, hand, f;
	uint64_t n = 0;
	int r = 0;

	pthread_mutex_lock(&pool->lock);
	hand = pool->hand;
	pthread_mutex_unlock(&pool->lock);
	while (at < pool->n && n < b->a->db->cfg.bgwriter_pages && r == 0)
		if (db_background_next(pool, hand, &at, &f)) {
			r = db_flush_frame(b->a, f);
			n++;
		}
	return r < 0 ? r : db_flush_batch(b->a);
}

/* What is due, then a little rest. The batch is empty when this is called. */
static inline int db_background_nap(struct db_background *b)
{
	const struct db_cfg *cfg = &b->a->db->cfg;
	const struct timespec nap = { 0, (long)DB_NAP };
	uint64_t now = db_now(b->a);
	int r = 0;

	if (cfg->durability == DB_EACH_SECOND && now - b->flush_ns >= DB_SECOND) {
		b->flush_ns = now;
		r = db_wal_flush_all(b->a);
	}
	if (r == 0 && cfg->bgwriter_delay && now - b->bgwriter_ns >= cfg->bgwriter_delay) {
		b->bgwriter_ns = now;
		r = db_background_write(b);
	}
	if (r == 0)
		nanosleep(&nap, NULL);
	return r;
}

/* ---- checkpoint ------------------------------------------------------------------------------ */

static inline void db_sift(uint64_t *v, size_t at, size_t n)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		uint64_t swap = v[at];

		child += child + 1 < n && v[child + 1] > v[child];
		if (v[child] <= swap)
			return;
		v[at] = v[child];
		v[child] = swap;
	}
}

/* Heap sort: qsort() may allocate. */
static inline void db_sort(uint64_t *v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		db_sift(v, i, n);
	while (n > 1) {
		uint64_t swap = v[0];

		v[0] = v[--n];
		v[n] = swap;
		db_sift(v, 0, n);
	}
}

/* What is dirty now, in order of the pages. */
static inline uint32_t db_checkpoint_collect(struct db *db)
{
	struct db_pool *pool = &db->pool;
	uint32_t n = 0;

	for (uint32_t f = 0; f < pool->n;) {
		pthread_mutex_lock(&pool->lock);
		for (uint32_t i = 0; i < DB_LOOK && f < pool->n; i++, f++)
			if (pool->frame[f].dirty)
				db->ckpt.order[n++] = pool->frame[f].page << 32 | f;
		pthread_mutex_unlock(&pool->lock);
	}
	db_sort(db->ckpt.order, n);
	return n;
}

/* Has somebody written it since, and perhaps used the frame for another page? Else pins it. */
static inline bool db_checkpoint_pin(struct db_pool *pool, uint64_t entry)
{
	struct db_frame *fr = &pool->frame[entry & UINT32_MAX];
	bool still;

	pthread_mutex_lock(&pool->lock);
	still = (fr->dirty || fr->writing) && fr->page == entry >> 32;
	fr->pins += still;
	pthread_mutex_unlock(&pool->lock);
	return still;
}

/* Starts the writeback of what was written, one call for each run of neighbours. */
static inline int db_checkpoint_writeback(struct db_background *b)
{
	const struct db *db = b->a->db;
	const uint64_t size = db->cfg.page_size;

	for (uint32_t i = 0, k; i < b->n; i = k) {
		const uint32_t file = db_page_file(db, b->page[i]);

		for (k = i + 1; k < b->n && b->page[k] == b->page[k - 1] + 1 &&
				db_page_file(db, b->page[k]) == file;)
			k++;
		if (sync_file_range(db->file[file].fd, (off_t)db_page_offset(db, b->page[i]),
				    (off_t)((k - i) * size), SYNC_FILE_RANGE_WRITE))
			return db_page_error(db, b->page[i], errno, "sync_file_range");
	}
	b->n = 0;
	return 0;
}

/* Will those who commit soon have to wait, since a circular log is full? */
static inline bool db_checkpoint_urgent(struct db_background *b)
{
	struct db_wal *wal = &b->a->db->wal;
	bool urgent;

	pthread_mutex_lock(&wal->lock);
	urgent = wal->capacity &&
		 wal->insert + wal->reserve - wal->checkpoint > wal->capacity / 4 * 3;
	pthread_mutex_unlock(&wal->lock);
	return urgent;
}

/* Ahead of the schedule, by time and by the WAL that was written since? */
static inline bool db_checkpoint_early(struct db_background *b, double done)
{
	const struct db_cfg *cfg = &b->a->db->cfg;
	double wal = (double)(db_background_lsn(b) - b->last_lsn);
	double time = (double)(db_now(b->a) - b->begun_ns);

	done *= cfg->completion_target;
	return !db_checkpoint_urgent(b) &&
	       (!cfg->checkpoint_interval || done > time / (double)cfg->checkpoint_interval) &&
	       (!cfg->checkpoint_wal || done > wal / (double)cfg->checkpoint_wal);
}

static inline int db_checkpoint_pace(struct db_background *b, uint32_t i, uint32_t n)
{
	int r = db_flush_batch(b->a);

	while (r == 0 && !db_background_ends(b) && db_checkpoint_early(b, (double)i / n))
		r = db_background_nap(b);
	return r;
}

static inline int db_checkpoint_pages(struct db_background *b, uint32_t n)
{
	struct db *db = b->a->db;
	const uint32_t per = DB_WRITEBACK / (uint32_t)db->cfg.page_size;
	const bool writeback = !db->cfg.direct && db->doublewrite < 0;
	int r = 0;

	for (uint32_t i = 0; i < n && r == 0 && !db_background_ends(b); i++) {
		const uint64_t entry = db->ckpt.order[i];

		if (!db_checkpoint_pin(&db->pool, entry))
			continue;
		r = db_flush_frame(b->a, (uint32_t)entry);
		db->ckpt.pages++;
		if (writeback) {
			b->page[b->n++] = entry >> 32;
			if (r == 0 && b->n >= (per ? per : 1))
				r = db_checkpoint_writeback(b);
		}
		/* A batch is filled before there is a rest. */
		if (r == 0 && b->a->batch_n == 0)
			r = db_checkpoint_pace(b, i + 1, n);
	}
	if (r == 0)
		r = db_flush_batch(b->a);
	return r == 0 && writeback ? db_checkpoint_writeback(b) : r;
}

static inline uint64_t db_checkpoint_redo(struct db *db)
{
	uint64_t redo;

	pthread_mutex_lock(&db->wal.lock);
	redo = db->wal.redo = db->wal.insert;
	pthread_mutex_unlock(&db->wal.lock);
	return redo;
}

/* The record that says where recovery begins, and what it makes superfluous. */
static inline int db_checkpoint_finish(struct db_actor *a, uint64_t redo)
{
	struct db *db = a->db;
	struct db_insert in = { .head = { .type = DB_RECORD_CHECKPOINT },
				.body = &redo,
				.n_body = sizeof(redo) };
	uint64_t lsn;
	int r = db_wal_insert(a, &in, &lsn);

	if (r == 0)
		r = db_wal_flush(a, lsn, false);
	if (r < 0)
		return r;
	pthread_mutex_lock(&db->wal.lock);
	db->wal.checkpoint = redo;
	pthread_cond_broadcast(&db->wal.space);
	pthread_mutex_unlock(&db->wal.lock);
	return db_seg_retire(db, redo);
}

static inline int db_checkpoint(struct db_background *b)
{
	struct db *db = b->a->db;
	int r;

	b->begun_ns = b->last_ns = db_now(b->a);
	b->last_lsn = db_checkpoint_redo(db);
	__atomic_store_n(&db->ckpt.running, 1, __ATOMIC_RELAXED);
	r = db_checkpoint_pages(b, db_checkpoint_collect(db));
	if (r == 0 && !db_background_ends(b)) { /* else it is left undone: the step is over */
		r = db_flush_sync_files(b->a);
		if (r == 0)
			r = db_checkpoint_finish(b->a, b->last_lsn);
		if (r == 0 && b->a->counting) {
			db->ckpt.n++;
			db->ckpt.ns += db_now(b->a) - b->begun_ns;
		}
	}
	__atomic_store_n(&db->ckpt.running, 0, __ATOMIC_RELAXED);
	return r;
}

static inline bool db_checkpoint_due(struct db_background *b)
{
	const struct db_cfg *cfg = &b->a->db->cfg;
	uint64_t wal = db_background_lsn(b) - b->last_lsn;

	/* A server with nothing to do makes none. */
	return wal && ((cfg->checkpoint_interval &&
			db_now(b->a) - b->last_ns >= cfg->checkpoint_interval) ||
		       (cfg->checkpoint_wal && wal >= cfg->checkpoint_wal));
}

static inline int db_background_run(struct db_actor *a)
{
	struct db_background b = { .a = a, .last_ns = db_now(a) };
	int r = 0;

	b.bgwriter_ns = b.flush_ns = b.last_ns;
	while (r == 0 && !db_background_ends(&b)) {
		db_count_begin(a, db_now(a));
		r = db_checkpoint_due(&b) ? db_checkpoint(&b) : db_background_nap(&b);
	}
	return r;
}
