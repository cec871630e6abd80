/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: the parameters. */
#pragma once

#include "database_cfg.h"

static const struct fst_choice database_models[] = {
	{ "postgresql", DB_POSTGRESQL,
	  "8 KiB pages, WAL in 8 KiB blocks and segments that are renamed, images of pages in "
	  "it." },
	{ "innodb", DB_INNODB, "16 KiB pages written twice, circular redo log in 512 B blocks." },
};

static const struct fst_choice database_distributions[] = {
	{ "uniform", DB_UNIFORM, "Every page alike." },
	{ "zipf", DB_ZIPF, "The page of rank k with a probability of 1/k^zipf_theta." },
	{ "hot", DB_HOT, "hot_pages percent of the pages get hot_share percent of all accesses." },
};

static const struct fst_choice database_syncs[] = {
	{ "fdatasync", DB_SYNC_FDATASYNC, "write, then fdatasync." },
	{ "fsync", DB_SYNC_FSYNC, "write, then fsync." },
	{ "open_dsync", DB_SYNC_OPEN_DSYNC, "write to a file opened with O_DSYNC." },
	{ "open_sync", DB_SYNC_OPEN_SYNC, "write to a file opened with O_SYNC." },
	{ "direct_dsync", DB_SYNC_DIRECT_DSYNC, "write with O_DIRECT and O_DSYNC." },
	{ "sync_file_range", DB_SYNC_FILE_RANGE,
	  "write, sync_file_range and wait, then fdatasync." },
	{ "none", DB_SYNC_NONE, "write only: what is acknowledged can be lost." },
};

static const struct fst_choice database_durabilities[] = {
	{ "commit", DB_EACH_COMMIT, "A commit waits until it is on disk." },
	{ "second", DB_EACH_SECOND,
	  "A commit waits for nothing; the WAL is flushed once a second, by worker 0." },
};

static const struct fst_choice database_recycles[] = {
	{ "rename", DB_RECYCLE_RENAME,
	  "Segments that are not needed any more become future ones." },
	{ "overwrite", DB_RECYCLE_OVERWRITE,
	  "wal_segments files are written in a circle; commits wait for a checkpoint when it is "
	  "full." },
	{ "none", DB_RECYCLE_OFF, "Segments are made when they are needed, and removed." },
};

static const struct fst_choice database_preallocs[] = {
	{ "zero", DB_PREALLOC_ZERO, "A new segment is filled with zeros: later writes overwrite." },
	{ "fallocate", DB_PREALLOC_FALLOCATE, "A new segment is allocated and left unwritten." },
	{ "none", DB_PREALLOC_NONE, "A new segment is empty and grows with each flush." },
};

#define DB_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct db_cfg, n)

static const struct fst_param database_params[] = {
	{ DB_PARAM(model, FST_ENUM), .def = "postgresql", FST_CHOICES(database_models),
	  .doc = "Whose habits: sets the defaults below that depend on it." },
	{ DB_PARAM(page_size, FST_SIZE), .min = "4KiB", .max = "64KiB",
	  .doc = "Size of a page, a power of two; without it 8KiB, with innodb 16KiB." },
	{ DB_PARAM(table_size, FST_SIZE), .def = "256MiB", .min = "1MiB", .max = "16TiB",
	  .doc = "Size of the table, in whole pages; laid out before the clock starts." },
	{ DB_PARAM(file_size, FST_SIZE), .def = "1GiB", .min = "1MiB",
	  .doc = "The table is cut into files of this size." },
	{ DB_PARAM(transactions, FST_U64), .def = "0", .unit = "transactions",
	  .doc = "What each client does; 0: until the runtime is over." },
	{ DB_PARAM(transaction_rate, FST_U64), .def = "0", .unit = "transactions/s",
	  .doc = "Of all clients together: each begins on schedule, and its latency counts from "
		 "then; 0: "
		 "as fast as they can." },
	{ DB_PARAM(reads, FST_U64), .def = "4", .max = "100000", .unit = "pages",
	  .doc = "Pages that a transaction reads." },
	{ DB_PARAM(updates, FST_U64), .def = "3", .max = "100000", .unit = "pages",
	  .doc = "Pages that a transaction changes, each with a WAL record." },
	{ DB_PARAM(read_pct, FST_F64), .def = "0", .min = "0", .max = "100", .unit = "%",
	  .doc = "Of all transactions, how many read only: they neither change nor commit." },
	{ DB_PARAM(distribution, FST_ENUM), .def = "zipf", FST_CHOICES(database_distributions),
	  .doc = "How often which page is used; hot pages are scattered over the table." },
	{ DB_PARAM(zipf_theta, FST_F64), .def = "1.07", .min = "0.01", .max = "10",
	  .doc = "Skew of zipf; pgbench's example is 1.07." },
	{ DB_PARAM(hot_pages, FST_F64), .def = "20", .min = "0.001", .max = "100", .unit = "%",
	  .doc = "Share of the pages that is the hot set; hot_set_share is about it in every "
		 "distribution." },
	{ DB_PARAM(hot_share, FST_F64), .def = "80", .min = "0", .max = "100", .unit = "%",
	  .doc = "Share of the accesses that go to the hot set, with distribution = \"hot\"." },
	{ DB_PARAM(cache, FST_F64), .def = "0.1", .min = "0", .max = "1",
	  .doc = "Pages held in memory, as a share of the table; at least a few hundred." },
	{ DB_PARAM(direct, FST_BOOL), .def = "false",
	  .doc = "O_DIRECT for the table: what is not in the database's cache comes from the "
		 "device." },
	{ DB_PARAM(wal_sync, FST_ENUM), .def = "fdatasync", FST_CHOICES(database_syncs),
	  .doc = "How a flush of the WAL gets to the disk." },
	{ DB_PARAM(durability, FST_ENUM), .def = "commit", FST_CHOICES(database_durabilities),
	  .doc = "When the WAL is flushed." },
	{ DB_PARAM(record_min, FST_SIZE), .def = "200B", .min = "8B", .max = "32KiB",
	  .doc = "Smallest change that a record describes." },
	{ DB_PARAM(record_max, FST_SIZE), .def = "800B", .min = "8B", .max = "32KiB",
	  .doc = "Largest change that a record describes." },
	{ DB_PARAM(group_commit_window, FST_TIME), .def = "0", .max = "1s",
	  .doc = "How long a flush waits for others to join; 0: only those that came meanwhile." },
	{ DB_PARAM(max_group, FST_U64), .def = "0", .unit = "commits",
	  .doc = "Commits that one flush takes at most; 0: all that wait." },
	{ DB_PARAM(wal_segment, FST_SIZE), .def = "16MiB", .min = "1MiB", .max = "4GiB",
	  .doc = "Size of a file of the WAL." },
	{ DB_PARAM(wal_segments, FST_U64), .def = "5", .min = "2", .max = "10000", .unit = "files",
	  .doc = "Files of the WAL made before the clock starts, and kept for reuse; with "
		 "wal_recycle = \"overwrite\" all there are." },
	{ DB_PARAM(wal_recycle, FST_ENUM), FST_CHOICES(database_recycles),
	  .doc = "What becomes of old segments; without it rename, with innodb overwrite." },
	{ DB_PARAM(wal_prealloc, FST_ENUM), .def = "zero", FST_CHOICES(database_preallocs),
	  .doc = "How a new segment is made." },
	{ DB_PARAM(wal_buffers, FST_SIZE), .def = "4MiB", .min = "256KiB", .max = "1GiB",
	  .doc = "WAL in memory that is not flushed yet: who finds it full flushes." },
	{ DB_PARAM(full_page_images, FST_BOOL), .def = "true",
	  .doc = "postgresql: the first change of a page after a checkpoint began takes the whole "
		 "page "
		 "into the WAL." },
	{ DB_PARAM(checkpoint_interval, FST_TIME), .def = "30s", .max = "24h",
	  .doc = "A checkpoint begins so long after the last began; 0: never by time." },
	{ DB_PARAM(checkpoint_wal, FST_SIZE), .def = "64MiB",
	  .doc = "A checkpoint begins after so much WAL, at most half of a circular one; 0: never "
		 "by "
		 "size." },
	{ DB_PARAM(completion_target, FST_F64), .def = "0.9", .min = "0", .max = "1",
	  .doc = "Share of the time, or WAL, until the next one over which a checkpoint spreads "
		 "its "
		 "writes." },
	{ DB_PARAM(doublewrite, FST_BOOL), .def = "true",
	  .doc = "innodb: changed pages are written and synced in a row before they go to their "
		 "places." },
	{ DB_PARAM(bgwriter_delay, FST_TIME), .def = "200ms",
	  .doc = "Between checkpoints worker 0 writes pages that soon will be replaced, so often; "
		 "0: "
		 "never." },
	{ DB_PARAM(bgwriter_pages, FST_U64), .def = "100", .unit = "pages",
	  .doc = "Pages that the background writer writes at most each time." },
	{ DB_PARAM(verify, FST_BOOL), .def = "true",
	  .doc = "After the run: is each changed page on disk in its last version, and the WAL "
		 "since the "
		 "last checkpoint whole and in order?" },
};
