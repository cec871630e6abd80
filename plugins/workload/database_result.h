/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: the metrics, made from what was counted. The latencies are the host's. */
#pragma once

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "database_seg.h"

static inline void db_result_sum(const struct db *db, struct db_counts *sum, uint64_t *ns)
{
	uint64_t begin = UINT64_MAX, end = 0;

	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i + 1 < db->n_actors; i++) {
		const struct db_actor *a = &db->actor[i];

		if (!a->counting)
			continue;
		sum->transactions += a->count.transactions;
		sum->commits += a->count.commits;
		sum->accesses += a->count.accesses;
		sum->hits += a->count.hits;
		sum->hot += a->count.hot;
		sum->logical += a->count.logical;
		sum->data += a->count.data;
		sum->doublewrite += a->count.doublewrite;
		if (i == 0) /* the background worker ends no transactions */
			continue;
		begin = a->begin_ns < begin ? a->begin_ns : begin;
		end = a->end_ns > end ? a->end_ns : end;
	}
	*ns = end > begin ? end - begin : 0;
}

/* Not a number where there is nothing to divide by: then there is no value. */
static inline double db_ratio(uint64_t n, uint64_t by)
{
	return by ? (double)n / (double)by : NAN;
}

static inline double db_result_rate(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * (double)DB_SECOND / (double)ns : NAN;
}

/* The worst whole second of those with a checkpoint, against the mean of all whole seconds. */
static inline double db_result_dip(const struct db *db, uint64_t ns)
{
	uint64_t n = ns / DB_SECOND, sum = 0, min = UINT64_MAX;

	n = n < DB_MAX_SECONDS ? n : DB_MAX_SECONDS;
	for (uint64_t i = 0; i < n; i++) {
		sum += db->second[i];
		if (db->checkpointing[i] && db->second[i] < min)
			min = db->second[i];
	}
	return min == UINT64_MAX || !sum ? NAN : (double)min * (double)n / (double)sum;
}

static inline double db_result_distinct(const struct db *db)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < (db->pages + 63) / 64; i++)
		n += (uint64_t)__builtin_popcountll(db->touched[i]);
	return (double)n;
}

/* Of all WAL files that are there; NaN where the file system does not say. */
static inline double db_result_extents(const struct db *db)
{
	const struct db_segments *seg = &db->wal.seg;
	uint64_t last = seg->last, sum = 0;
	char path[DB_FILE];

	if (db->cfg.wal_recycle == DB_RECYCLE_OVERWRITE && last >= db->cfg.wal_segments)
		last = db->cfg.wal_segments - 1;
	for (uint64_t i = seg->first; i <= last; i++) {
		struct fiemap map = { .fm_length = FIEMAP_MAX_OFFSET,
				      .fm_flags = FIEMAP_FLAG_SYNC };
		int fd, r;

		db_seg_path(db, i, path);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return NAN;
		r = ioctl(fd, FS_IOC_FIEMAP, &map);
		close(fd);
		if (r)
			return NAN;
		sum += map.fm_mapped_extents;
	}
	return (double)sum;
}

static inline int db_result(struct db *db)
{
	const struct db_wal_counts *wal = &db->wal.count;
	struct db_counts c;
	uint64_t ns;
	int r = 0;

	db_result_sum(db, &c, &ns);
	const struct {
		const char *name;
		double value;
	} metrics[] = {
		{ "tps", db_result_rate(c.transactions, ns) },
		{ "wal_throughput", db_result_rate(wal->bytes, ns) },
		{ "wal_bytes_per_commit", db_ratio(wal->bytes, c.commits) },
		{ "wal_record_bytes", (double)wal->records },
		{ "commits_per_flush", db_ratio(wal->commits, wal->flushes) },
		{ "full_page_images", (double)wal->images },
		{ "write_amplification", db_ratio(c.data + c.doublewrite + wal->bytes, c.logical) },
		{ "data_bytes", (double)c.data },
		{ "doublewrite_bytes", (double)c.doublewrite },
		{ "wal_bytes", (double)wal->bytes },
		{ "logical_bytes", (double)c.logical },
		{ "checkpoints", (double)db->ckpt.n },
		{ "checkpoint_duration", db_ratio(db->ckpt.ns, db->ckpt.n) },
		{ "checkpoint_dip", db_result_dip(db, ns) },
		{ "cache_hit_share", db_ratio(c.hits, c.accesses) },
		{ "hot_set_share", db_ratio(c.hot, c.accesses) },
		{ "distinct_pages", db_result_distinct(db) },
		{ "wal_segments_created", (double)db->wal.seg.created },
		{ "wal_segments_recycled", (double)db->wal.seg.recycled },
		{ "wal_extents", db_result_extents(db) },
	};
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && r == 0; i++)
		r = fst_set_metric(db->ctx, metrics[i].name, metrics[i].value);
	return r;
}
