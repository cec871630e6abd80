/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: what a job can say, and what the parts of the plugin share. */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fstrial/plugin.h>

/* Tests put functions of their own in place of these, to record calls or to make them fail. */
#ifndef DB_PWRITE
#define DB_PWRITE pwrite
#define DB_PWRITEV pwritev
#define DB_PREAD pread
#define DB_FSYNC fsync
#define DB_FDATASYNC fdatasync
#endif

#define DB_NAME "database"
#define DB_PATH 4096u	       /* of the directory */
#define DB_FILE (DB_PATH + 32) /* of a file in it */
#define DB_ALIGN 4096u	       /* of memory for O_DIRECT */
#define DB_SECOND UINT64_C(1000000000)
#define DB_NAP (DB_SECOND / 100) /* how late the background worker sees a change */
#define DB_MAX_SECONDS 86400u	 /* whose transactions are counted one by one */
#define DB_BATCH 128u		 /* pages of a doublewrite batch */
#define DB_NOISE 65536u		 /* random bytes that records and pages are made of */
#define DB_COMMIT_BODY 16u	 /* bytes of a commit record behind its header */

/* Numbers of database_ops. */
enum db_kind {
	DB_TRANSACTION,
	DB_COMMIT,
	DB_PAGE_READ,
	DB_PAGE_WRITE,
	DB_WAL_SYNC,
	DB_DOUBLEWRITE,
	DB_DATA_SYNC,
};

enum db_model { DB_POSTGRESQL, DB_INNODB };
enum db_distribution { DB_UNIFORM, DB_ZIPF, DB_HOT };
enum db_durability { DB_EACH_COMMIT, DB_EACH_SECOND };

enum db_sync {
	DB_SYNC_FDATASYNC,
	DB_SYNC_FSYNC,
	DB_SYNC_OPEN_DSYNC,
	DB_SYNC_OPEN_SYNC,
	DB_SYNC_DIRECT_DSYNC,
	DB_SYNC_FILE_RANGE,
	DB_SYNC_NONE,
};

/* From 1: what the job does not say is zero, and depends on the model. */
enum db_recycle { DB_RECYCLE_RENAME = 1, DB_RECYCLE_OVERWRITE, DB_RECYCLE_OFF };
enum db_prealloc { DB_PREALLOC_ZERO, DB_PREALLOC_FALLOCATE, DB_PREALLOC_NONE };

struct db_cfg {
	int model;
	uint64_t page_size;
	uint64_t table_size;
	uint64_t file_size;
	uint64_t transactions;
	uint64_t transaction_rate;
	uint64_t reads;
	uint64_t updates;
	double read_pct;
	int distribution;
	double zipf_theta;
	double hot_pages;
	double hot_share;
	double cache;
	bool direct;
	int wal_sync;
	int durability;
	uint64_t record_min, record_max;
	uint64_t group_commit_window;
	uint64_t max_group;
	uint64_t wal_segment;
	uint64_t wal_segments;
	int wal_recycle;
	int wal_prealloc;
	uint64_t wal_buffers;
	bool full_page_images;
	uint64_t checkpoint_interval;
	uint64_t checkpoint_wal;
	double completion_target;
	bool doublewrite;
	uint64_t bgwriter_delay;
	uint64_t bgwriter_pages;
	bool verify;
};

/* What one worker counted: no other thread writes it while workers run. */
struct db_counts {
	uint64_t transactions, commits; /* commits: those that changed something */
	uint64_t accesses, hits, hot;
	uint64_t logical;	    /* bytes of changes */
	uint64_t data, doublewrite; /* bytes written */
};

struct db_table_file {
	int fd;
	int dirty; /* written since its last fsync: atomic */
};

#include "database_crc.h"
#include "database_pick.h"

/* One worker, or the main thread, which has no `w`. */
struct db_actor {
	struct db *db;
	struct fst_worker *w;
	struct db_counts count;
	bool counting;		   /* the ramp is over */
	uint64_t begin_ns, end_ns; /* of what was counted */
	uint64_t sequence;	   /* number of its next commit */
	char *batch;		   /* page copies on their way to disk */
	uint32_t batch_max, batch_n;
	uint32_t frame[DB_BATCH];
	uint64_t batch_lsn;
} __attribute__((aligned(64)));

#include "database_state.h"

static inline uint64_t db_now(const struct db_actor *a)
{
	return fst_now(a->db->ctx);
}

static inline bool db_stopping(const struct db_actor *a)
{
	return a->w && fst_stopping(a->w);
}

static inline void db_op(const struct db_actor *a, enum db_kind kind, uint64_t start,
			 uint64_t bytes)
{
	if (a->w)
		fst_op(a->w, kind, start, bytes);
}

static inline uint64_t db_ceil(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * Counts from now on, once the ramp is over; what belongs to no worker is set back by the first to
 * come here.
 */
static inline void db_count_begin(struct db_actor *a, uint64_t now)
{
	struct db *db = a->db;
	uint64_t none = 0;

	if (a->counting || now < a->w->counts_from_ns)
		return;
	memset(&a->count, 0, sizeof(a->count));
	a->counting = true;
	a->begin_ns = now;
	__atomic_compare_exchange_n(&db->from_ns, &none, now, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	pthread_mutex_lock(&db->wal.lock);
	if (!db->wal.counting)
		memset(&db->wal.count, 0, sizeof(db->wal.count));
	db->wal.counting = true;
	pthread_mutex_unlock(&db->wal.lock);
}

/* All of it, or an errno; what the kernel took only in part goes on where it stopped. */
static inline int db_write_all(int fd, const char *buf, size_t n, uint64_t at)
{
	while (n) {
		ssize_t r = DB_PWRITE(fd, buf, n, (off_t)at);

		if (r <= 0)
			return r < 0 ? -errno : -EIO;
		buf += r;
		n -= (size_t)r;
		at += (uint64_t)r;
	}
	return 0;
}
