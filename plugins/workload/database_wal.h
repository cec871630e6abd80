/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * database: the write-ahead log. Records lie one behind the other; an LSN is the number of bytes
 * before it. Those who commit at the same time share one flush: the first to find none under way
 * does it for all, the others wait for it. That wait is what is measured.
 */
#pragma once

#include "database_seg.h"

enum db_record_type {
	DB_RECORD_UPDATE = 1,
	DB_RECORD_COMMIT = 2,
	DB_RECORD_CHECKPOINT = 3,
};

/* On disk, in front of body and image. */
struct db_record {
	uint32_t crc;	 /* of all that follows this field, the body and the image first */
	uint32_t length; /* with header */
	uint64_t lsn;	 /* where it begins */
	uint64_t page;	 /* update: which; commit: number of the worker's transaction */
	uint32_t worker;
	uint16_t type;
	uint16_t image; /* the whole page follows the body */
};

struct db_insert {
	struct db_record head;
	const void *body;
	uint32_t n_body;
	const void *image;  /* update: the page, should it be needed */
	uint64_t image_lsn; /* of the page before this change */
};

static inline uint32_t db_record_crc(const struct db *db, const struct db_record *h, uint32_t data)
{
	return db_crc32c(&db->crc, data, (const char *)h + sizeof(h->crc),
			 sizeof(*h) - sizeof(h->crc));
}

static inline void db_wal_put(struct db_wal *wal, const void *from, uint64_t n)
{
	uint64_t at = wal->insert % wal->ring_size, part = wal->ring_size - at;

	part = n < part ? n : part;
	memcpy(wal->ring + at, from, part);
	memcpy(wal->ring, (const char *)from + part, n - part);
	wal->insert += n;
}

/* ---- flushing -------------------------------------------------------------------------------- */

/* The blocks of [start, end) as they lie in memory; the last may be a copy. Gives their number. */
static inline int db_wal_iov(const struct db_wal *wal, uint64_t start, uint64_t end, bool tail,
			     struct iovec *iov)
{
	uint64_t stop = tail ? end - wal->block : end;
	int n = 0;

	while (start < stop) {
		uint64_t at = start % wal->ring_size, part = wal->ring_size - at;

		part = stop - start < part ? stop - start : part;
		iov[n++] = (struct iovec){ wal->ring + at, part };
		start += part;
	}
	if (tail)
		iov[n++] = (struct iovec){ wal->tail, wal->block };
	return n;
}

/* One write of blocks into one segment. */
static inline int db_wal_write(struct db *db, uint64_t start, uint64_t end, bool tail)
{
	const uint64_t at = start % db->cfg.wal_segment;
	struct iovec iov[3];
	int n = db_wal_iov(&db->wal, start, end, tail, iov), r;
	ssize_t done = n == 1 ? DB_PWRITE(db->wal.seg.fd, iov[0].iov_base, iov[0].iov_len,
					  (off_t)at)
			      : DB_PWRITEV(db->wal.seg.fd, iov, n, (off_t)at);
	uint64_t skip = done > 0 ? (uint64_t)done : 0, reached = skip;
	char path[DB_FILE];

	r = done < 0 ? -errno : 0;
	for (int i = 0; i < n && r == 0;
	     i++) { /* what a short write left; mostly it finds the error */
		uint64_t part = skip < iov[i].iov_len ? skip : iov[i].iov_len;

		skip -= part;
		r = db_write_all(db->wal.seg.fd, (char *)iov[i].iov_base + part,
				 iov[i].iov_len - part, at + reached);
		reached += iov[i].iov_len - part;
	}
	if (r == 0)
		return 0;
	db_seg_path(db, db->wal.seg.number, path);
	return fst_error(db->ctx, -r, "write %s, offset %llu, %llu bytes%s", path,
			 (unsigned long long)at, (unsigned long long)(end - start),
			 r == -EINVAL && db->cfg.wal_sync == DB_SYNC_DIRECT_DSYNC
				 ? " (O_DIRECT takes multiples of the device's sector only)"
				 : "");
}

/* Brings the blocks of [start, end) to disk, segment by segment. Nothing is locked. */
static inline int db_wal_to_disk(struct db_actor *a, uint64_t start, uint64_t end, bool tail)
{
	struct db *db = a->db;
	const uint64_t size = db->cfg.wal_segment;

	while (start < end) {
		uint64_t stop = (start / size + 1) * size;
		int r = db_seg_open(db, start / size);

		stop = end < stop ? end : stop;
		if (r == 0)
			r = db_wal_write(db, start, stop, tail && stop == end);
		if (r == 0)
			r = db_seg_sync(db, start % size, stop - start);
		if (r < 0)
			return r;
		start = stop;
	}
	return 0;
}

/* Waits for others to join, up to the window. No use where all are waiting already. */
static inline void db_wal_gather(struct db_actor *a)
{
	struct db_wal *wal = &a->db->wal;
	const struct db_cfg *cfg = &a->db->cfg;
	uint32_t full = cfg->max_group && cfg->max_group < wal->n_clients ? (uint32_t)cfg->max_group
									  : wal->n_clients;
	uint64_t until = db_now(a) + cfg->group_commit_window;
	struct timespec ts = { (time_t)(until / DB_SECOND), (long)(until % DB_SECOND) };

	while (wal->n_pending < full && !db_stopping(a) &&
	       pthread_cond_timedwait(&wal->more, &wal->lock, &ts) == 0)
		;
}

static inline void db_wal_done(struct db_actor *a, uint64_t target, uint64_t bytes)
{
	struct db_wal *wal = &a->db->wal;
	uint32_t n = 0;

	while (n < wal->n_pending && wal->pending[n] <= target)
		n++;
	wal->n_pending -= n;
	memmove(wal->pending, wal->pending + n, wal->n_pending * sizeof(*wal->pending));
	wal->flushed = target;
	if (!a->w) /* behind the run */
		return;
	wal->count.flushes++;
	wal->count.commits += n;
	wal->count.bytes += bytes;
}

/* One flush, by this actor for all. wal->lock is held, and let go meanwhile. */
static inline void db_wal_lead(struct db_actor *a, bool gather)
{
	struct db_wal *wal = &a->db->wal;
	const uint64_t max = a->db->cfg.max_group;
	uint64_t target, start, end, begun;
	int r;

	wal->flushing = true;
	if (gather && a->db->cfg.group_commit_window)
		db_wal_gather(a);
	target = max && wal->n_pending > max ? wal->pending[max - 1] : wal->insert;
	start = wal->flushed / wal->block * wal->block;
	end = db_ceil(target, wal->block);
	if (target % wal->block) { /* others go on filling this block */
		uint64_t used = target % wal->block;

		memcpy(wal->tail, wal->ring + (target - used) % wal->ring_size, used);
		memset(wal->tail + used, 0, wal->block - used);
	}
	pthread_mutex_unlock(&wal->lock);
	begun = db_now(a);
	r = db_wal_to_disk(a, start, end, target % wal->block != 0);
	if (r == 0)
		db_op(a, DB_WAL_SYNC, begun, end - start);
	pthread_mutex_lock(&wal->lock);
	if (r == 0)
		db_wal_done(a, target, end - start);
	else
		wal->failed = r;
	wal->flushing = false;
	pthread_cond_broadcast(&wal->durable);
}

static inline int db_wal_flush_locked(struct db_actor *a, uint64_t lsn, bool gather)
{
	struct db_wal *wal = &a->db->wal;

	while (wal->flushed < lsn && !wal->failed) {
		if (wal->flushing)
			pthread_cond_wait(&wal->durable, &wal->lock);
		else
			db_wal_lead(a, gather);
	}
	return wal->failed;
}

/* Until everything before lsn is on disk. */
static inline int db_wal_flush(struct db_actor *a, uint64_t lsn, bool gather)
{
	int r;

	pthread_mutex_lock(&a->db->wal.lock);
	r = db_wal_flush_locked(a, lsn, gather);
	pthread_mutex_unlock(&a->db->wal.lock);
	return r;
}

/* All that was inserted, by the background worker. */
static inline int db_wal_flush_all(struct db_actor *a)
{
	int r;

	pthread_mutex_lock(&a->db->wal.lock);
	r = db_wal_flush_locked(a, a->db->wal.insert, false);
	pthread_mutex_unlock(&a->db->wal.lock);
	return r;
}

/* ---- inserting ------------------------------------------------------------------------------- */

/* Is there an image to come with it? The first change of a page after a checkpoint began. */
static inline bool db_wal_needs_image(const struct db *db, const struct db_insert *in)
{
	return db->cfg.full_page_images && in->image && in->image_lsn <= db->wal.redo;
}

/* Adds a record; *lsn is where it ends. A commit is counted among those that wait for a flush. */
static inline int db_wal_insert(struct db_actor *a, struct db_insert *in, uint64_t *lsn)
{
	struct db *db = a->db;
	struct db_wal *wal = &db->wal;
	struct db_record *h = &in->head;
	uint32_t crc = db_crc32c(&db->crc, 0, in->body, in->n_body);
	int r = 0;

	h->worker = a->w ? a->w->index : UINT32_MAX;
	pthread_mutex_lock(&wal->lock);
	for (;;) {
		h->image = db_wal_needs_image(db, in);
		h->length = (uint32_t)(sizeof(*h) + in->n_body +
				       (h->image ? db->cfg.page_size : 0));
		if (wal->insert + h->length - wal->flushed / wal->block * wal->block <=
		    wal->ring_size)
			break;
		r = db_wal_flush_locked(a, wal->flushed + 1, false);
		if (r < 0)
			goto out;
	}
	if (h->image)
		crc = db_crc32c(&db->crc, crc, in->image, db->cfg.page_size);
	h->lsn = wal->insert;
	h->crc = db_record_crc(db, h, crc);
	db_wal_put(wal, h, sizeof(*h));
	db_wal_put(wal, in->body, in->n_body);
	if (h->image)
		db_wal_put(wal, in->image, db->cfg.page_size);
	wal->count.images += h->image;
	wal->count.records += h->length;
	if (h->type == DB_RECORD_COMMIT && db->cfg.durability == DB_EACH_COMMIT) {
		wal->pending[wal->n_pending++] = wal->insert;
		pthread_cond_signal(&wal->more);
	}
	*lsn = wal->insert;
out:
	pthread_mutex_unlock(&wal->lock);
	return r;
}

/*
 * A circular log must not run into what recovery needs. Waits, before a transaction takes any page,
 * for a checkpoint. False: the step ends.
 */
static inline bool db_wal_wait_for_space(struct db_actor *a)
{
	struct db_wal *wal = &a->db->wal;
	bool there;

	if (!wal->capacity)
		return true;
	pthread_mutex_lock(&wal->lock);
	while (!(there = wal->insert + wal->reserve - wal->checkpoint <= wal->capacity) &&
	       !db_stopping(a) && !wal->failed) {
		uint64_t until = db_now(a) + DB_NAP;
		struct timespec ts = { (time_t)(until / DB_SECOND), (long)(until % DB_SECOND) };

		pthread_cond_timedwait(&wal->space, &wal->lock, &ts);
	}
	pthread_mutex_unlock(&wal->lock);
	return there;
}

/* ---- life ------------------------------------------------------------------------------------ */

static inline void db_wal_init_locks(struct db_wal *wal)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&wal->lock, NULL);
	pthread_mutex_init(&wal->seg.lock, NULL);
	pthread_cond_init(&wal->durable, &attr);
	pthread_cond_init(&wal->more, &attr);
	pthread_cond_init(&wal->space, &attr);
	pthread_condattr_destroy(&attr);
}

/* Bytes that one transaction may add. */
static inline uint64_t db_wal_transaction(const struct db_cfg *cfg)
{
	uint64_t one = sizeof(struct db_record) + cfg->record_max +
		       (cfg->full_page_images ? cfg->page_size : 0);

	return cfg->updates * one + sizeof(struct db_record) + DB_COMMIT_BODY;
}

static inline int db_wal_prepare(struct db *db)
{
	struct db_wal *wal = &db->wal;

	wal->block = db->cfg.model == DB_INNODB ? 512 : 8192;
	wal->ring_size = db->cfg.wal_buffers;
	wal->n_clients = db->n_actors - 2;
	wal->reserve = db_wal_transaction(&db->cfg) * wal->n_clients + 2 * wal->block;
	if (db->cfg.wal_recycle == DB_RECYCLE_OVERWRITE)
		wal->capacity = db->cfg.wal_segment * db->cfg.wal_segments;
	wal->ring = aligned_alloc(DB_ALIGN, wal->ring_size);
	wal->tail = aligned_alloc(DB_ALIGN, DB_ALIGN * 2);
	wal->pending = calloc(db->n_actors, sizeof(*wal->pending));
	if (!wal->ring || !wal->tail || !wal->pending)
		return fst_error(db->ctx, ENOMEM, "buffers of the WAL, %llu bytes",
				 (unsigned long long)wal->ring_size);
	return db_seg_prepare(db);
}

static inline void db_wal_free(struct db_wal *wal)
{
	free(wal->ring);
	free(wal->tail);
	free(wal->pending);
	pthread_mutex_destroy(&wal->lock);
	pthread_mutex_destroy(&wal->seg.lock);
	pthread_cond_destroy(&wal->durable);
	pthread_cond_destroy(&wal->more);
	pthread_cond_destroy(&wal->space);
}
