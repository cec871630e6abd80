/* SPDX-License-Identifier: GPL-3.0-or-later */
/* transactions: their actions, what a job can say, and what is measured. */
#pragma once

#include <fstrial/plugin.h>

#include "files_names.h"

enum transactions_op {
	TRANSACTIONS_WHOLE,
	TRANSACTIONS_CREATE,
	TRANSACTIONS_DELETE,
	TRANSACTIONS_APPEND,
	TRANSACTIONS_READ,
	TRANSACTIONS_READ_APPEND,
	TRANSACTIONS_STAT,
	TRANSACTIONS_FSYNC,
	TRANSACTIONS_N_OPS,
	/* Actions that become one of those above by chance. */
	TRANSACTIONS_CREATE_OR_DELETE = TRANSACTIONS_N_OPS,
	TRANSACTIONS_READ_OR_APPEND,
};

static const struct fst_op_kind transactions_ops[TRANSACTIONS_N_OPS] = {
	[TRANSACTIONS_WHOLE] = { .name = "transaction", .doc = "One transaction with all its actions." },
	[TRANSACTIONS_CREATE] = { .name = "create", .flags = FST_OP_INNER,
				  .doc = "Opens a new file, writes it, flushes it if asked, closes it." },
	[TRANSACTIONS_DELETE] = { .name = "delete", .flags = FST_OP_INNER, .doc = "Removes a file." },
	[TRANSACTIONS_APPEND] = { .name = "append", .flags = FST_OP_INNER,
				  .doc = "Opens a file, adds to its end, flushes it if asked, closes it." },
	[TRANSACTIONS_READ] = { .name = "read", .flags = FST_OP_INNER,
				.doc = "Opens a file, reads it whole, closes it." },
	[TRANSACTIONS_READ_APPEND] = { .name = "read_append", .flags = FST_OP_INNER,
				       .doc = "Opens a file, reads it whole, adds to its end, flushes it if "
					      "asked, closes it." },
	[TRANSACTIONS_STAT] = { .name = "stat", .flags = FST_OP_INNER,
				.doc = "Asks for the attributes of a file." },
	[TRANSACTIONS_FSYNC] = { .name = "fsync", .flags = FST_OP_INNER, .doc = "Flushes one file." },
};

enum transactions_flow { TRANSACTIONS_VARMAIL, TRANSACTIONS_POSTMARK, TRANSACTIONS_FILESERVER };

static const struct {
	uint8_t n;
	uint8_t action[5];
} transactions_flows[] = {
	[TRANSACTIONS_VARMAIL] = { 4, { TRANSACTIONS_DELETE, TRANSACTIONS_CREATE,
					TRANSACTIONS_READ_APPEND, TRANSACTIONS_READ } },
	[TRANSACTIONS_POSTMARK] = { 2, { TRANSACTIONS_CREATE_OR_DELETE, TRANSACTIONS_READ_OR_APPEND } },
	[TRANSACTIONS_FILESERVER] = { 5, { TRANSACTIONS_CREATE, TRANSACTIONS_APPEND, TRANSACTIONS_READ,
					   TRANSACTIONS_DELETE, TRANSACTIONS_STAT } },
};

struct transactions_cfg {
	int flow;
	uint64_t transactions, files, dirs;
	bool shared, fsync;
	int sizes;
	uint64_t size, size_min, size_max, append_size;
	double sigma;
	uint64_t create_percent, read_percent;
};

static const struct fst_choice transactions_sizes[] = {
	{ "fixed", FILES_FIXED, "all files have `size` bytes" },
	{ "uniform", FILES_UNIFORM, "any size from size_min to size_max" },
	{ "lognormal", FILES_LOGNORMAL, "mean `size`, size_sigma, kept within size_min and size_max" },
	{ "exponential", FILES_EXPONENTIAL, "mean `size`, kept within size_min and size_max" },
};

#define TRANSACTIONS_AT(field) FST_AT(struct transactions_cfg, field)

/* All but the flow; what differs between the plugins are the defaults. */
#define TRANSACTIONS_PARAMS(files_, dirs_, shared_, fsync_, size_, sizes_)                        \
	{ .name = "transactions", .type = FST_U64, TRANSACTIONS_AT(transactions), .def = "20000", \
	  .unit = "transactions",                                                                 \
	  .doc = "Transactions of each worker; 0: until the runtime is over." },                  \
	{ .name = "files", .alias = "nrfiles", .type = FST_U64, TRANSACTIONS_AT(files),           \
	  .def = files_, .min = "1", .max = "10000000", .unit = "files",                          \
	  .doc = "Files of each worker before the first transaction; made unmeasured." },         \
	{ .name = "dirs", .type = FST_U64, TRANSACTIONS_AT(dirs), .def = dirs_, .min = "1",       \
	  .max = "100000", .unit = "directories",                                                 \
	  .doc = "Directories that the files lie in: of each worker, or with shared_dirs of all." }, \
	{ .name = "shared_dirs", .type = FST_BOOL, TRANSACTIONS_AT(shared), .def = shared_,       \
	  .doc = "All workers use the same directories." },                                       \
	{ .name = "fsync", .type = FST_BOOL, TRANSACTIONS_AT(fsync), .def = fsync_,               \
	  .doc = "Flush what was written before the file is closed." },                           \
	{ .name = "size", .type = FST_SIZE, TRANSACTIONS_AT(size), .def = size_,                  \
	  .doc = "Bytes of a new file, or their mean." },                                         \
	{ .name = "size_distribution", .type = FST_ENUM, TRANSACTIONS_AT(sizes), .def = sizes_,   \
	  FST_CHOICES(transactions_sizes), .doc = "How the sizes differ." },                      \
	{ .name = "size_min", .type = FST_SIZE, TRANSACTIONS_AT(size_min), .def = "0",            \
	  .doc = "No new file is smaller, unless sizes are fixed." },                             \
	{ .name = "size_max", .type = FST_SIZE, TRANSACTIONS_AT(size_max), .def = "16MiB",        \
	  .doc = "No new file is larger, unless sizes are fixed; 0: no limit." },                 \
	{ .name = "size_sigma", .type = FST_F64, TRANSACTIONS_AT(sigma), .def = "1", .min = "0.01", \
	  .max = "5",                                                                             \
	  .doc = "Standard deviation of the sizes' logarithm, of a lognormal distribution." },    \
	{ .name = "append_size", .type = FST_SIZE, TRANSACTIONS_AT(append_size), .def = "16KiB",  \
	  .min = "1B", .doc = "Bytes that an append adds at most: any number from 1 up to it." }

static const struct fst_metric transactions_metrics[] = {
	{ .name = "transaction_rate", .unit = "ops/s", .better = FST_HIGHER, .flags = FST_PRIMARY,
	  .doc = "Transactions of all workers a second." },
	{ .name = "transaction_p99", .unit = "ns", .better = FST_LOWER,
	  .doc = "Time of a transaction that 99 of 100 do not exceed." },
	{ .name = "fsync_mean", .unit = "ns", .better = FST_LOWER, .doc = "Mean time of an fsync." },
	{ .name = "fsync_p99", .unit = "ns", .better = FST_LOWER,
	  .doc = "Time of an fsync that 99 of 100 do not exceed." },
	{ .name = "create_rate", .unit = "ops/s", .better = FST_HIGHER,
	  .doc = "Files made a second, by all workers." },
	{ .name = "throughput", .unit = "bytes/s", .better = FST_HIGHER,
	  .doc = "Bytes of files written and read in a second, by all workers." },
	{ .name = "files_at_end", .unit = "count", .agg = FST_SUM,
	  .doc = "Files that are there at the end, of all workers." },
};
