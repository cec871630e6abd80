/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata: what a job can say. */
#pragma once

#include "files_names.h"
#include "metadata_kinds.h"

enum metadata_order { METADATA_SEQUENTIAL, METADATA_SHUFFLED, METADATA_SHIFTED };

enum metadata_durability {
	METADATA_NONE,
	METADATA_SYNC_FILE,
	METADATA_SYNC_DIR,
	METADATA_SYNC_FS,
};

enum metadata_method { METADATA_AUTO, METADATA_OPEN, METADATA_MKNOD };

enum metadata_spread { METADATA_FILL, METADATA_ROUND };

struct metadata_cfg {
	struct fst_list phases;
	const char *set;
	bool keep;
	bool shared;
	uint64_t files;
	uint64_t dirs;
	uint64_t depth;
	uint64_t width;
	int spread;
	int names;
	uint64_t name_length;
	int order;
	int sizes;
	uint64_t size;
	uint64_t size_min;
	uint64_t size_max;
	double size_sigma;
	uint64_t append_size;
	uint64_t truncate_size;
	uint64_t xattr_size;
	int durability;
	int method;
	uint64_t phase_time;
	uint64_t phase_ramp;
	uint64_t min_time;
	uint64_t mix_operations;
	uint64_t weight[METADATA_N_MIXABLE];
};

static const struct fst_choice metadata_names_choices[] = {
	{ "sequential", FILES_SEQUENTIAL, "numbers with leading zeros: sorted as they are created" },
	{ "random", FILES_RANDOM, "random letters in front of the number, as bonnie++ does" },
	{ "hashed", FILES_HASHED, "the number scrambled, without repetition" },
};

static const struct fst_choice metadata_order_choices[] = {
	{ "sequential", METADATA_SEQUENTIAL, "files as they are numbered" },
	{ "shuffled", METADATA_SHUFFLED, "each file once, in a random order" },
	{ "shifted", METADATA_SHIFTED,
	  "as numbered, and each worker those that its neighbour created" },
};

static const struct fst_choice metadata_sizes_choices[] = {
	{ "fixed", FILES_FIXED, "all files have `size` bytes" },
	{ "uniform", FILES_UNIFORM, "any size from size_min to size_max" },
	{ "lognormal", FILES_LOGNORMAL, "mean `size`, size_sigma, kept within size_min and size_max" },
	{ "exponential", FILES_EXPONENTIAL, "mean `size`, kept within size_min and size_max" },
};

static const struct fst_choice metadata_durability_choices[] = {
	{ "none", METADATA_NONE, "nothing is flushed: dirty data and metadata may remain in memory" },
	{ "fsync", METADATA_SYNC_FILE, "a created or appended file is flushed before it is closed" },
	{ "fsync_dir", METADATA_SYNC_DIR, "as fsync, and the directory after each change of a name in it" },
	{ "syncfs", METADATA_SYNC_FS,
	  "the file system once, at the end of each phase that changes something, in its time" },
};

static const struct fst_choice metadata_method_choices[] = {
	{ "auto", METADATA_AUTO, "mknod for files that stay empty, open for others" },
	{ "open", METADATA_OPEN, "open and close, as programs do" },
	{ "mknod", METADATA_MKNOD, "mknod: one system call; only for empty files without fsync" },
};

static const struct fst_choice metadata_spread_choices[] = {
	{ "fill", METADATA_FILL, "one directory after the other" },
	{ "round", METADATA_ROUND, "one file into each directory, in turn" },
};

#define METADATA_AT(field) FST_AT(struct metadata_cfg, field)

static const struct fst_param metadata_params[] = {
	{ .name = "phases", .type = FST_LIST, METADATA_AT(phases), .flags = FST_REQUIRED,
	  .doc = "What is done, one phase after the other, each by all workers at once: create stat "
		 "open_read_close readdir append rename link symlink chmod utimens setxattr getxattr "
		 "truncate mkdir rmdir unlink unlink_link unlink_symlink, or mix." },
	{ .name = "set", .type = FST_STR, METADATA_AT(set),
	  .doc = "Name of the files, for steps that share them: one leaves them with keep = true, a "
		 "later one finds them (after drop_caches, say)." },
	{ .name = "keep", .type = FST_BOOL, METADATA_AT(keep), .def = "false",
	  .doc = "Leave the files of `set` to a later step instead of removing them at the end." },
	{ .name = "files", .alias = "nrfiles", .type = FST_U64, METADATA_AT(files), .def = "10000",
	  .min = "1", .max = "1000000000", .unit = "files",
	  .doc = "Files of each worker." },
	{ .name = "dirs", .type = FST_U64, METADATA_AT(dirs), .def = "1", .min = "1", .max = "100000",
	  .unit = "directories",
	  .doc = "Directories that hold the files: of each worker, or with shared_dirs of all." },
	{ .name = "shared_dirs", .type = FST_BOOL, METADATA_AT(shared), .def = "false",
	  .doc = "All workers use the same directories." },
	{ .name = "depth", .type = FST_U64, METADATA_AT(depth), .def = "0", .max = "32",
	  .unit = "levels", .doc = "Levels of directories above those that hold the files." },
	{ .name = "width", .type = FST_U64, METADATA_AT(width), .def = "2", .min = "1", .max = "1000",
	  .unit = "directories", .doc = "Directories in each directory of those levels." },
	{ .name = "spread", .type = FST_ENUM, METADATA_AT(spread), .def = "fill",
	  FST_CHOICES(metadata_spread_choices),
	  .doc = "Which directory a file goes into." },
	{ .name = "names", .type = FST_ENUM, METADATA_AT(names), .def = "sequential",
	  FST_CHOICES(metadata_names_choices), .doc = "What the files are called." },
	{ .name = "name_length", .type = FST_U64, METADATA_AT(name_length), .def = "16", .min = "11",
	  .max = "1000", .unit = "bytes",
	  .doc = "Length of each name; file systems mostly take 255 at most." },
	{ .name = "order", .type = FST_ENUM, METADATA_AT(order), .def = "sequential",
	  FST_CHOICES(metadata_order_choices), .doc = "In which order a phase goes through the files." },
	{ .name = "size", .type = FST_SIZE, METADATA_AT(size), .def = "0",
	  .doc = "Bytes of each file, or the mean of their distribution; 0: empty files." },
	{ .name = "size_distribution", .type = FST_ENUM, METADATA_AT(sizes), .def = "fixed",
	  FST_CHOICES(metadata_sizes_choices), .doc = "How the sizes of the files differ." },
	{ .name = "size_min", .type = FST_SIZE, METADATA_AT(size_min), .def = "0",
	  .doc = "No file is smaller, unless sizes are fixed." },
	{ .name = "size_max", .type = FST_SIZE, METADATA_AT(size_max), .def = "0",
	  .doc = "No file is larger, unless sizes are fixed; 0: no limit." },
	{ .name = "size_sigma", .type = FST_F64, METADATA_AT(size_sigma), .def = "1.5", .min = "0.01",
	  .max = "5",
	  .doc = "Standard deviation of the sizes' logarithm, of a lognormal distribution." },
	{ .name = "append_size", .type = FST_SIZE, METADATA_AT(append_size), .def = "4KiB", .min = "1B",
	  .max = "256KiB", .doc = "Bytes that append adds." },
	{ .name = "truncate_size", .type = FST_SIZE, METADATA_AT(truncate_size), .def = "0",
	  .doc = "Bytes that truncate leaves, or makes." },
	{ .name = "xattr_size", .type = FST_SIZE, METADATA_AT(xattr_size), .def = "32B", .min = "1B",
	  .max = "64KiB", .doc = "Bytes of the attribute user.fstrial." },
	{ .name = "durability", .type = FST_ENUM, METADATA_AT(durability), .def = "none",
	  FST_CHOICES(metadata_durability_choices), .doc = "What is flushed, inside the measured time." },
	{ .name = "create_method", .type = FST_ENUM, METADATA_AT(method), .def = "auto",
	  FST_CHOICES(metadata_method_choices), .doc = "How a file is created." },
	{ .name = "phase_time", .type = FST_TIME, METADATA_AT(phase_time), .def = "0s",
	  .doc = "Time of each phase: create and the like make new files until it is over, stat and the "
		 "like go round, unlink and rmdir end early when all is gone. 0: each phase does every "
		 "file once." },
	{ .name = "phase_ramp", .type = FST_TIME, METADATA_AT(phase_ramp), .def = "0s",
	  .doc = "Time at the start of each phase, before phase_time, that is not measured." },
	{ .name = "min_time", .type = FST_TIME, METADATA_AT(min_time), .def = "500ms",
	  .doc = "Without phase_time: stat, open_read_close, readdir, chmod, utimens and getxattr go "
		 "round the files until at least so much time is over." },
	{ .name = "mix_operations", .type = FST_U64, METADATA_AT(mix_operations), .def = "100000",
	  .min = "1", .unit = "operations",
	  .doc = "Operations of each worker in the phase mix, without phase_time." },
#define METADATA_WEIGHT(kind, op, def_)                                                          \
	{ .name = "weight_" #op, .type = FST_U64, METADATA_AT(weight[METADATA_MIXES_##kind]),     \
	  .def = def_, .max = "1000000",                                                          \
	  .doc = "Share of " #op " in the phase mix, by the sum of all weights." },
	METADATA_MIXABLE(METADATA_WEIGHT)
#undef METADATA_WEIGHT
};
