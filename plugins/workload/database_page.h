/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: a page of the table, and where it lies. */
#pragma once

#include "database_cfg.h"

#define DB_PAGE_MAGIC 0x50445446u

/* In front of each page on disk; random bytes behind it. */
struct db_page {
	uint32_t crc; /* of all that follows, set when it is written */
	uint32_t magic;
	uint64_t number;
	uint64_t lsn; /* end of the record of its last change; 0: as laid out */
	uint64_t changes;
};

static inline void db_page_seal(const struct db *db, void *page)
{
	struct db_page *p = page;

	p->crc = db_crc32c(&db->crc, 0, (char *)page + sizeof(p->crc),
			   db->cfg.page_size - sizeof(p->crc));
}

static inline uint32_t db_page_file(const struct db *db, uint64_t number)
{
	return (uint32_t)(number / (db->cfg.file_size / db->cfg.page_size));
}

static inline uint64_t db_page_offset(const struct db *db, uint64_t number)
{
	return number % (db->cfg.file_size / db->cfg.page_size) * db->cfg.page_size;
}

static inline void db_file_path(const struct db *db, uint32_t file, char *path)
{
	snprintf(path, DB_FILE, "%s/table.%u", db->dir, file);
}

/* What went wrong with a page: errno, or 0 where the text says it all. */
static inline int db_page_error(const struct db *db, uint64_t number, int err, const char *what)
{
	char path[DB_FILE];

	db_file_path(db, db_page_file(db, number), path);
	return fst_error(db->ctx, err, "%s %s, page %llu at offset %llu", what, path,
			 (unsigned long long)number,
			 (unsigned long long)db_page_offset(db, number));
}

static inline int db_page_mismatch(const struct db *db, uint64_t number, const char *what,
				   uint64_t expected, uint64_t found)
{
	char path[DB_FILE];

	db_file_path(db, db_page_file(db, number), path);
	return fst_error(db->ctx, 0,
			 "%s, page %llu at offset %llu: %s: expected %#llx, found %#llx", path,
			 (unsigned long long)number, (unsigned long long)db_page_offset(db, number),
			 what, (unsigned long long)expected, (unsigned long long)found);
}

/* Is it the page, whole, in its last version? */
static inline int db_page_check(const struct db *db, const void *page, uint64_t number)
{
	const struct db_page *p = page;
	uint32_t crc = db_crc32c(&db->crc, 0, (const char *)page + sizeof(p->crc),
				 db->cfg.page_size - sizeof(p->crc));

	if (crc != p->crc)
		return db_page_mismatch(db, number, "checksum", p->crc, crc);
	if (p->magic != DB_PAGE_MAGIC)
		return db_page_mismatch(db, number, "magic number", DB_PAGE_MAGIC, p->magic);
	if (p->number != number)
		return db_page_mismatch(db, number, "page number", number, p->number);
	if (p->lsn != db->shadow[number])
		return db_page_mismatch(db, number, "LSN", db->shadow[number], p->lsn);
	return 0;
}

/* A whole page into buf, and nothing is hidden: less than a page is an error. */
static inline int db_page_read(const struct db *db, uint64_t number, void *buf)
{
	ssize_t n = DB_PREAD(db->file[db_page_file(db, number)].fd, buf, db->cfg.page_size,
			     (off_t)db_page_offset(db, number));

	if (n < 0)
		return db_page_error(db, number, errno, "read");
	if ((uint64_t)n != db->cfg.page_size)
		return db_page_mismatch(db, number, "bytes that could be read", db->cfg.page_size,
					(uint64_t)n);
	return 0;
}
