/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * database: is what was acknowledged there? The server is shut down as a real one is: what is still
 * dirty is written. Then every page that was changed must be on disk in its last version, and the
 * WAL from the last checkpoint on must be whole and in order.
 */
#pragma once

#include "database_pool.h"

static inline int db_verify_shutdown(struct db_actor *a)
{
	struct db_pool *pool = &a->db->pool;
	int r = 0;

	for (uint32_t f = 0; f < pool->n && r == 0; f++) {
		if (!pool->frame[f].dirty)
			continue;
		pool->frame[f].pins++;
		r = db_flush_frame(a, f);
	}
	if (r == 0)
		r = db_flush_batch(a);
	if (r == 0)
		r = db_flush_sync_files(a);
	return r < 0 ? r : db_wal_flush_all(a);
}

static inline int db_verify_pages(struct db *db, char *buf)
{
	int r = 0;

	for (uint32_t i = 0; i < db->n_files; i++) /* from disk, not from memory */
		posix_fadvise(db->file[i].fd, 0, 0, POSIX_FADV_DONTNEED);
	for (uint64_t page = 0; page < db->pages && r == 0; page++) {
		if (!db->shadow[page])
			continue;
		r = db_page_read(db, page, buf);
		if (r == 0)
			r = db_page_check(db, buf, page);
	}
	return r;
}

/* ---- the WAL --------------------------------------------------------------------------------- */

struct db_scan {
	struct db *db;
	uint64_t lsn; /* next to be read */
	int fd;	      /* of the segment */
	uint64_t number;
	uint64_t *sequence; /* by worker: number of its next commit + 1; 0: not seen */
	uint64_t records;
};

static inline int db_scan_error(const struct db_scan *s, uint64_t lsn, int err, const char *what,
				uint64_t expected, uint64_t found)
{
	char path[DB_FILE];

	db_seg_path(s->db, lsn / s->db->cfg.wal_segment, path);
	lsn %= s->db->cfg.wal_segment;
	if (err)
		return fst_error(s->db->ctx, err, "%s %s, offset %llu", what, path,
				 (unsigned long long)lsn);
	return fst_error(s->db->ctx, 0,
			 "%s, record at offset %llu: %s: expected %#llx, found %#llx", path,
			 (unsigned long long)lsn, what, (unsigned long long)expected,
			 (unsigned long long)found);
}

static inline int db_scan_open(struct db_scan *s, uint64_t n)
{
	char path[DB_FILE];

	if (s->fd >= 0 && s->number == n)
		return 0;
	if (s->fd >= 0)
		close(s->fd);
	db_seg_path(s->db, n, path);
	s->number = n;
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	return s->fd < 0 ? db_scan_error(s, s->lsn, errno, "open", 0, 0) : 0;
}

/* The next n bytes of the log, over the segments. */
static inline int db_scan_bytes(struct db_scan *s, void *buf, uint64_t n)
{
	const uint64_t size = s->db->cfg.wal_segment;
	char *to = buf;

	while (n) {
		uint64_t at = s->lsn % size, part = n < size - at ? n : size - at;
		int r = db_scan_open(s, s->lsn / size);
		ssize_t got = r < 0 ? 0 : DB_PREAD(s->fd, to, part, (off_t)at);

		if (r < 0)
			return r;
		if (got < 0)
			return db_scan_error(s, s->lsn, errno, "read", 0, 0);
		if ((uint64_t)got != part)
			return db_scan_error(s, s->lsn, 0, "bytes that could be read", part,
					     (uint64_t)got);
		s->lsn += part;
		to += part;
		n -= part;
	}
	return 0;
}

/* Each worker's commits are there one after the other. */
static inline int db_scan_commit(struct db_scan *s, const struct db_record *h)
{
	uint64_t *next;

	if (h->worker >= s->db->n_actors)
		return db_scan_error(s, h->lsn, 0, "worker below", s->db->n_actors, h->worker);
	next = &s->sequence[h->worker];
	if (*next && *next != h->page + 1)
		return db_scan_error(s, h->lsn, 0, "number of the worker's commit", *next - 1,
				     h->page);
	*next = h->page + 2;
	return 0;
}

static inline int db_scan_record(struct db_scan *s, char *data, uint64_t room)
{
	const uint64_t at = s->lsn;
	struct db_record h = { 0 };
	uint32_t crc;
	int r = db_scan_bytes(s, &h, sizeof(h));

	if (r < 0)
		return r;
	if (h.lsn != at)
		return db_scan_error(s, at, 0, "LSN", at, h.lsn);
	if (h.length < sizeof(h) || h.length - sizeof(h) > room)
		return db_scan_error(s, at, 0, "length of at most", room + sizeof(h), h.length);
	r = db_scan_bytes(s, data, h.length - sizeof(h));
	if (r < 0)
		return r;
	crc = db_record_crc(s->db, &h, db_crc32c(&s->db->crc, 0, data, h.length - sizeof(h)));
	if (crc != h.crc)
		return db_scan_error(s, at, 0, "checksum", h.crc, crc);
	s->records++;
	return h.type == DB_RECORD_COMMIT ? db_scan_commit(s, &h) : 0;
}

static inline int db_scan_all(struct db_scan *s, char *data, uint64_t room)
{
	struct db *db = s->db;
	int r = 0;

	while (r == 0 && s->lsn < db->wal.flushed)
		r = db_scan_record(s, data, room);
	/* The last commit of each worker is the last in the log. */
	for (uint32_t i = 0; r == 0 && i < db->n_actors; i++)
		if (s->sequence[i] && s->sequence[i] != db->actor[i].sequence + 1)
			r = db_scan_error(s, s->lsn, 0, "commits of a worker",
					  db->actor[i].sequence, s->sequence[i] - 1);
	return r;
}

/* From the last checkpoint to the end. */
static inline int db_verify_wal(struct db *db)
{
	const uint64_t room = db->cfg.record_max + db->cfg.page_size + 64;
	struct db_scan s = { .db = db, .lsn = db->wal.checkpoint, .fd = -1 };
	char *data = malloc(room);
	int r;

	s.sequence = calloc(db->n_actors, sizeof(*s.sequence));
	r = data && s.sequence ? db_scan_all(&s, data, room)
			       : fst_error(db->ctx, ENOMEM, "buffers");
	if (s.fd >= 0)
		close(s.fd);
	free(data);
	free(s.sequence);
	return r;
}

static inline int db_verify(struct db *db)
{
	struct db_actor *a = &db->actor[db->n_actors - 1];
	char *buf = aligned_alloc(DB_ALIGN, db_ceil(db->cfg.page_size, DB_ALIGN));
	int r;

	if (!buf)
		return fst_error(db->ctx, ENOMEM, "buffer");
	r = db_verify_shutdown(a);
	if (r == 0)
		r = db_verify_pages(db, buf);
	if (r == 0)
		r = db_verify_wal(db);
	free(buf);
	return r;
}
