/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: what is timed, and what is said about it. */
#pragma once

#include "database_cfg.h"

static const struct fst_op_kind database_ops[] = {
	[DB_TRANSACTION] = { .name = "transaction",
			     .doc = "From its begin, or when it was due, until it is durable." },
	[DB_COMMIT] = { .name = "commit",
			.flags = FST_OP_INNER,
			.doc = "COMMIT alone: its record, and the wait for the flush." },
	[DB_PAGE_READ] = { .name = "page_read",
			   .flags = FST_OP_INNER,
			   .doc = "One page that was not in the database's cache." },
	[DB_PAGE_WRITE] = { .name = "page_write",
			    .flags = FST_OP_INNER,
			    .doc = "One page to its place, without a sync." },
	[DB_WAL_SYNC] = { .name = "wal_sync",
			  .flags = FST_OP_INNER,
			  .doc = "One flush of the WAL: append and sync." },
	[DB_DOUBLEWRITE] = { .name = "doublewrite",
			     .flags = FST_OP_INNER,
			     .doc = "One batch of copies and its sync." },
	[DB_DATA_SYNC] = { .name = "checkpoint_fsync",
			   .flags = FST_OP_INNER,
			   .doc = "fsync of one table file, by a checkpoint or after a doublewrite "
				  "batch." },
};

#define DB_METRIC(n, u, b, d)                                       \
	{                                                           \
		.name = (n), .unit = (u), .better = (b), .doc = (d) \
	}
#define DB_LATENCY(n, d) DB_METRIC(n, "ns", FST_LOWER, d)

static const struct fst_metric database_metrics[] = {
	{ .name = "tps",
	  .unit = "ops/s",
	  .better = FST_HIGHER,
	  .flags = FST_PRIMARY,
	  .doc = "Transactions of all clients per second." },
	DB_LATENCY("transaction_mean", "Mean time of a transaction."),
	DB_LATENCY("transaction_p99", "99 % of the transactions took at most this."),
	DB_LATENCY("commit_p50", "Half of the commits took at most this."),
	DB_LATENCY("commit_p95", "95 % of the commits took at most this."),
	DB_LATENCY("commit_p99", "99 % of the commits took at most this."),
	DB_LATENCY("commit_p999", "99.9 % of the commits took at most this."),
	DB_LATENCY("commit_max", "The slowest commit."),
	DB_LATENCY("page_read_p50", "Half of the page reads took at most this."),
	DB_LATENCY("page_read_p99", "99 % of the page reads took at most this."),
	DB_METRIC("page_read_rate", "ops/s", FST_NEUTRAL,
		  "Pages read per second: the cache's misses."),
	DB_LATENCY("wal_sync_p50", "Half of the WAL's flushes took at most this."),
	DB_LATENCY("wal_sync_p99", "99 % of the WAL's flushes took at most this."),
	DB_METRIC("wal_sync_rate", "ops/s", FST_NEUTRAL, "Flushes of the WAL per second."),
	DB_LATENCY("page_write_p99", "99 % of the page writes took at most this."),
	DB_METRIC("page_write_rate", "ops/s", FST_NEUTRAL,
		  "Pages written to their places per second."),
	DB_METRIC("wal_throughput", "bytes/s", FST_NEUTRAL, "Bytes written to the WAL per second."),
	DB_METRIC("wal_bytes_per_commit", "bytes", FST_LOWER,
		  "Bytes written to the WAL per commit."),
	DB_METRIC("wal_record_bytes", "bytes", FST_NEUTRAL, "Size of all records in the WAL."),
	DB_METRIC("commits_per_flush", "ratio", FST_HIGHER, "Commits that one flush made durable."),
	DB_METRIC("full_page_images", "count", FST_NEUTRAL, "Pages that went into the WAL whole."),
	DB_METRIC("write_amplification", "ratio", FST_LOWER,
		  "Bytes written to table, doublewrite file and WAL per byte changed."),
	DB_METRIC("data_bytes", "bytes", FST_NEUTRAL, "Bytes written to the table in the run."),
	DB_METRIC("doublewrite_bytes", "bytes", FST_NEUTRAL,
		  "Bytes written to the doublewrite file."),
	DB_METRIC("wal_bytes", "bytes", FST_NEUTRAL, "Bytes written to the WAL."),
	DB_METRIC("logical_bytes", "bytes", FST_NEUTRAL, "Bytes that the transactions changed."),
	DB_METRIC("checkpoints", "count", FST_NEUTRAL, "Checkpoints that were completed."),
	DB_LATENCY("checkpoint_duration", "Mean time of a checkpoint."),
	DB_LATENCY("checkpoint_fsync_max", "The longest fsync of a table file."),
	DB_METRIC("checkpoint_dip", "ratio", FST_HIGHER,
		  "Transactions in the worst second with a checkpoint, against the mean second."),
	DB_METRIC("cache_hit_share", "ratio", FST_NEUTRAL,
		  "Page accesses that the database's cache answered."),
	DB_METRIC("hot_set_share", "ratio", FST_NEUTRAL,
		  "Page accesses that went to the hottest hot_pages percent."),
	DB_METRIC("distinct_pages", "count", FST_NEUTRAL,
		  "Pages that were used at all, ramp included."),
	DB_METRIC("wal_segments_created", "count", FST_NEUTRAL,
		  "Segments made, before the run too."),
	DB_METRIC("wal_segments_recycled", "count", FST_NEUTRAL,
		  "Segments renamed to a future number."),
	DB_METRIC("wal_extents", "count", FST_LOWER, "Extents of the WAL's files at the end."),
};
