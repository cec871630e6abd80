/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of metric tables that several workloads have; the values are made by the core. */
#pragma once

#define IO_METRIC_RATE(op, what, done)                                       \
	{ .name = op "_rate", .unit = "ops/s", .better = FST_HIGHER,         \
	  .doc = what " of all workers per second." },                       \
	{ .name = op "_throughput", .unit = "bytes/s", .better = FST_HIGHER, \
	  .doc = "Bytes " done " by all workers per second." }

#define IO_METRIC_TIME(op, key, which, what)                                 \
	{ .name = op "_" key, .unit = "ns", .better = FST_LOWER,             \
	  .doc = which " of the latency of the " what "." }

#define IO_METRIC_LATENCY(op, what)                                          \
	IO_METRIC_TIME(op, "mean", "Mean", what),                            \
	IO_METRIC_TIME(op, "p50", "Median", what),                           \
	IO_METRIC_TIME(op, "p95", "95th percentile", what),                  \
	IO_METRIC_TIME(op, "p99", "99th percentile", what),                  \
	IO_METRIC_TIME(op, "p999", "99.9th percentile", what),               \
	IO_METRIC_TIME(op, "max", "Maximum", what)

#define IO_METRIC_SYNC                                                       \
	IO_METRIC_LATENCY("sync", "syncs that fsync, fdatasync or end_fsync ask for")
