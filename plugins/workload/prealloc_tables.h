/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters, metrics and operations of the workload prealloc. */
#pragma once

#include "prealloc_state.h"

static const struct fst_choice prealloc_modes[] = {
	{ "none", PREALLOC_NONE, "Nothing: the first write allocates." },
	{ "fallocate", PREALLOC_FALLOCATE,
	  "fallocate(2): unwritten space, the file is that long." },
	{ "keep_size", PREALLOC_KEEP_SIZE,
	  "fallocate(2) beyond the end of the file, which stays empty and grows as it is "
	  "written." },
	{ "zero_range", PREALLOC_ZERO_RANGE, "fallocate(2) with FALLOC_FL_ZERO_RANGE." },
	{ "write", PREALLOC_WRITE, "Zeros are written and flushed: no unwritten space is left." },
};

static const struct fst_choice prealloc_orders[] = {
	{ "sequential", PREALLOC_SEQUENTIAL, "From the beginning of the region to its end." },
	{ "random", PREALLOC_RANDOM, "Each block once, in random order, the same in both passes." },
};

static const struct fst_choice prealloc_syncs[] = {
	{ "auto", PREALLOC_SYNC_AUTO, "Yes, unless direct: a pass must not end in memory." },
	{ "always", PREALLOC_SYNC_ALWAYS, "Yes." },
	{ "never", PREALLOC_SYNC_NEVER, "No." },
};

static const struct fst_param prealloc_params[] = {
	{ .name = "prealloc",
	  .type = FST_ENUM,
	  FST_AT(struct prealloc_config, mode),
	  .def = "fallocate",
	  FST_CHOICES(prealloc_modes),
	  .doc = "How the space of each file is allocated before it is written." },
	{ .name = "prealloc_size",
	  .type = FST_SIZE,
	  FST_AT(struct prealloc_config, size),
	  .def = "0",
	  .max = "1024PiB",
	  .doc = "Space of each file; 0: as much as is written of it." },
	{ .name = "extsize",
	  .type = FST_SIZE,
	  FST_AT(struct prealloc_config, extsize),
	  .def = "0",
	  .doc = "Extent size hint of each file (XFS); 0: none." },
	{ .name = "order",
	  .type = FST_ENUM,
	  FST_AT(struct prealloc_config, order),
	  .def = "sequential",
	  FST_CHOICES(prealloc_orders),
	  .doc = "Order of the writes in a pass." },
	{ .name = "pass_sync",
	  .type = FST_ENUM,
	  FST_AT(struct prealloc_config, pass_sync),
	  .def = "auto",
	  FST_CHOICES(prealloc_syncs),
	  .doc = "Whether a pass ends with an fsync(2) of the file, within its time." },
};

#define PREALLOC_METRIC(n, u, b, d)                                 \
	{                                                           \
		.name = (n), .unit = (u), .better = (b), .doc = (d) \
	}

/* Counters of a pass, each per write. */
#define PREALLOC_PASS_METRICS(pass, what)                                                       \
	PREALLOC_METRIC(pass "_mean", "ns", FST_LOWER, "Mean time of a write in " what "."),    \
		PREALLOC_METRIC(pass "_p99", "ns", FST_LOWER,                                   \
				"99 of 100 writes in " what " took at most so long."),          \
		PREALLOC_METRIC(pass "_log_writes", "count", FST_LOWER,                         \
				"Writes to the log of XFS per write in " what "."),             \
		PREALLOC_METRIC(pass "_log_bytes", "bytes", FST_LOWER,                          \
				"Bytes written to the log of XFS per write in " what "."),      \
		PREALLOC_METRIC(pass "_log_forces", "count", FST_LOWER,                         \
				"Times that XFS had to force its log, per write in " what "."), \
		PREALLOC_METRIC(pass "_transactions", "count", FST_LOWER,                       \
				"Transactions of XFS per write in " what "."),                  \
		PREALLOC_METRIC(pass "_device_writes", "count", FST_NEUTRAL,                    \
				"Writes that the device got per write in " what "."),           \
		PREALLOC_METRIC(pass "_flushes", "count", FST_LOWER,                            \
				"Cache flushes that the disk got per write in " what ".")

static const struct fst_metric prealloc_metrics[] = {
	{ .name = "first_write_throughput",
	  .unit = "bytes/s",
	  .better = FST_HIGHER,
	  .flags = FST_PRIMARY,
	  .doc = "Bytes of the first write of all files per second of the time in which it went "
		 "on." },
	PREALLOC_METRIC("overwrite_throughput", "bytes/s", FST_HIGHER,
			"The same of the overwrite."),
	PREALLOC_METRIC("conversion_cost", "ns", FST_LOWER,
			"Time per write that the first write took more than the overwrite."),
	PREALLOC_PASS_METRICS("first_write", "the first pass"),
	PREALLOC_PASS_METRICS("overwrite", "the second pass"),
	PREALLOC_METRIC("extents_before", "count", FST_LOWER,
			"Extents per file after preallocation, before the first write."),
	PREALLOC_METRIC("extents_first_write", "count", FST_LOWER,
			"Extents per file after the first write."),
	PREALLOC_METRIC("extents_overwrite", "count", FST_LOWER,
			"Extents per file after the overwrite."),
	PREALLOC_METRIC("unwritten_before", "count", FST_NEUTRAL,
			"Of the extents before the first write, those with the unwritten flag."),
	PREALLOC_METRIC("unwritten_first_write", "count", FST_NEUTRAL,
			"Of the extents after the first write, those with the unwritten flag."),
	PREALLOC_METRIC("unwritten_overwrite", "count", FST_NEUTRAL,
			"Of the extents after the overwrite, those with the unwritten flag."),
	PREALLOC_METRIC("data_position", "bytes", FST_NEUTRAL,
			"Where on the device the written data lies, the mean over its bytes."),
	PREALLOC_METRIC("data_groups", "count", FST_NEUTRAL,
			"Allocation groups of XFS that hold written data."),
	PREALLOC_METRIC("log_position", "bytes", FST_NEUTRAL,
			"Where on the device the log of XFS begins."),
	PREALLOC_METRIC("data_log_distance", "bytes", FST_NEUTRAL,
			"How far the written data is from the middle of the log, the mean over its "
			"bytes: what a disk's head travels for each write that forces the log."),
	PREALLOC_METRIC("prealloc_time", "ns", FST_LOWER, "Time of the preallocation of a file."),
	PREALLOC_METRIC("first_file_penalty", "ratio", FST_LOWER,
			"Time of a first write to the first file against the later ones."),
};

static const struct fst_op_kind prealloc_ops[] = {
	{ .name = "first_write", .doc = "A write of the first pass over a file." },
	{ .name = "overwrite", .doc = "A write of the second pass, of the same blocks." },
};
