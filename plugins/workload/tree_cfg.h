/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree: what a job can say, and what is measured. */
#pragma once

#include "tree_shape.h"

static const struct {
	const char *name;
	bool needs, changes;
	bool extends; /* gone through again until min_time is over: leaves all as it was */
} tree_phases[TREE_N_PHASES] = {
	[TREE_UNPACK] = { "unpack", false, true, false },
	[TREE_STAT] = { "stat_walk", true, false, true },
	[TREE_READ] = { "read_all", true, false, true },
	[TREE_COPY] = { "copy", true, true, false },
	[TREE_RENAME] = { "rename", true, true, true },
	[TREE_AGE] = { "age", true, true, false },
	[TREE_DELETE] = { "delete", true, true, false },
};

static const struct fst_choice tree_orders[] = {
	{ "readdir", TREE_AS_GIVEN, "as the directory gives them: what rm -r, tar and find do" },
	{ "name", TREE_BY_NAME, "by name, as ls, and who sorts what he found" },
	{ "inode", TREE_BY_INODE, "by inode number: where it tells the place, the disk's head goes one way" },
};

#define TREE_AT(field) FST_AT(struct tree_cfg, field)

static const struct fst_param tree_params[] = {
	{ .name = "phases", .type = FST_LIST, TREE_AT(phases), .flags = FST_REQUIRED,
	  .doc = "What is done, one after the other: unpack stat_walk read_all copy rename age delete." },
	{ .name = "set", .type = FST_STR, TREE_AT(set),
	  .doc = "Name of the trees, for steps that share them: one leaves them with keep = true, a later "
		 "one finds them (after drop_caches, say)." },
	{ .name = "keep", .type = FST_BOOL, TREE_AT(keep), .def = "false",
	  .doc = "Leave the trees of `set` to a later step." },
	{ .name = "sync", .type = FST_BOOL, TREE_AT(sync), .def = "false",
	  .doc = "One syncfs at the end of each phase that changes something, in its time." },
	{ .name = "attributes", .type = FST_BOOL, TREE_AT(attributes), .def = "true",
	  .doc = "Set time and permissions of each new file, as tar does." },
	{ .name = "min_time", .type = FST_TIME, TREE_AT(min_time), .def = "500ms",
	  .doc = "stat_walk, read_all and rename go through the tree again until at least so much time is "
		 "over; of a phase that cannot, and is shorter, there is a warning. 0: once, and none." },
	{ .name = "order", .type = FST_ENUM, TREE_AT(order), .def = "readdir", FST_CHOICES(tree_orders),
	  .doc = "In which order stat_walk, read_all, copy and delete take the entries of a directory; listing and "
		 "sorting them is in the time of the first." },
	{ .name = "directories", .type = FST_U64, TREE_AT(directories), .def = "2000", .min = "1",
	  .max = "1000000", .unit = "directories", .doc = "Directories of each worker's tree." },
	{ .name = "files", .type = FST_U64, TREE_AT(files), .def = "32000", .min = "1",
	  .max = "100000000", .unit = "files", .doc = "Files of each worker's tree." },
	{ .name = "symlinks", .type = FST_U64, TREE_AT(symlinks), .def = "20", .max = "100000000",
	  .unit = "links", .doc = "Symbolic links of each worker's tree." },
	{ .name = "fanout", .type = FST_U64, TREE_AT(fanout), .def = "8", .min = "2", .max = "100000",
	  .unit = "directories", .doc = "Directories in a directory: the more, the flatter the tree." },
	{ .name = "spread", .type = FST_F64, TREE_AT(spread), .def = "1.2", .min = "0", .max = "4",
	  .doc = "Standard deviation of the logarithm of files a directory; 0: all have as many." },
	{ .name = "size", .type = FST_SIZE, TREE_AT(size), .def = "14KiB", .min = "1B",
	  .doc = "Mean size of a file, of a lognormal distribution." },
	{ .name = "size_max", .type = FST_SIZE, TREE_AT(size_max), .def = "2MiB",
	  .doc = "No file is larger; 0: no limit." },
	{ .name = "size_sigma", .type = FST_F64, TREE_AT(sigma), .def = "1.4", .min = "0.01", .max = "5",
	  .doc = "Standard deviation of the sizes' logarithm." },
	{ .name = "age_rounds", .type = FST_U64, TREE_AT(age_rounds), .def = "3", .min = "1",
	  .max = "1000", .unit = "rounds", .doc = "Rounds in a phase age." },
	{ .name = "age_percent", .type = FST_U64, TREE_AT(age_percent), .def = "10", .min = "1",
	  .max = "100", .unit = "%", .doc = "Share of the files that each round replaces." },
};

#define TREE_METRICS(kind, op, text)                                                             \
	{ .name = #op "_rate", .unit = "ops/s", .better = FST_HIGHER, .flags = FST_PRIMARY,       \
	  .doc = text "; by all workers a second, in the phase's common time." },                 \
	{ .name = #op "_time", .unit = "ns", .better = FST_LOWER,                                 \
	  .doc = "Time from the first worker's start of " #op " to the last one's end, of all such "\
		      "phases." },
#define TREE_THROUGHPUT(op)                                                                      \
	{ .name = #op "_throughput", .unit = "bytes/s", .better = FST_HIGHER,                     \
	  .doc = "Bytes of files that " #op " wrote or read in a second." }

static const struct fst_metric tree_metrics[] = {
	TREE_PHASES(TREE_METRICS)
	TREE_THROUGHPUT(unpack),
	TREE_THROUGHPUT(read_all),
	TREE_THROUGHPUT(copy),
	TREE_THROUGHPUT(rename),
	TREE_THROUGHPUT(age),
};

#define TREE_OP(kind, op, text) [TREE_##kind] = { .name = #op, .doc = text "." },

static const struct fst_op_kind tree_ops[] = {
	TREE_PHASES(TREE_OP)
	[TREE_SYNCFS] = { .name = "syncfs", .flags = FST_OP_INNER,
			  .doc = "Flushes the file system at the end of a phase." },
};
