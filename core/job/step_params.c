/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core's own parameters. */
#include "core/job/step_layer.h"
#include "core/util/macro.h"

#define OPT(member) FST_AT(struct step_options, member)
#define IO(member) FST_AT(struct io_params, member)

static const struct fst_param step_params[] = {
	{ .name = "timeout",
	  .type = FST_TIME,
	  OPT(timeout_ns),
	  .min = "1ms",
	  .doc = "The step is ended and has failed after this time; without it a setup step has "
		 "1h, a workload 24h." },
};

static const struct fst_choice workload_cpu_policies[] = {
	{ "shared", CPUS_SHARED, "Each worker may run on all of them." },
	{ "split", CPUS_SPLIT, "Each worker has one of them, in turn." },
};

static const struct fst_param workload_params[] = {
	{ .name = "numjobs",
	  .type = FST_U64,
	  OPT(numjobs),
	  .def = "1",
	  .min = "1",
	  .max = "4096",
	  .unit = "workers",
	  .doc = "Workers that run at the same time, each a thread with files and random numbers "
		 "of its own." },
	{ .name = "runtime",
	  .type = FST_TIME,
	  OPT(runtime_ns),
	  .def = "0",
	  .doc = "How long is measured; 0: until the work is done." },
	{ .name = "ramp_time",
	  .type = FST_TIME,
	  OPT(ramp_time_ns),
	  .def = "0",
	  .doc = "How long the workload runs before measuring begins." },
	{ .name = "cold",
	  .type = FST_BOOL,
	  OPT(cold),
	  .def = "false",
	  .doc = "Whether the file system is unmounted and mounted again before, so that data, "
		 "inodes and log are in no cache; beside others in `parallel` before all of them." },
	{ .name = "steady_state",
	  .type = FST_BOOL,
	  OPT(steady_state),
	  .def = "false",
	  .doc = "Whether the fifths of the measured time are held against each other: when they "
		 "range over more than 20 % of their mean, or go one way by more than 10 %, no "
		 "steady state was reached, and compare gives no verdict; ramp_time leaves the "
		 "beginning out." },
	{ .name = "randseed",
	  .type = FST_U64,
	  OPT(randseed),
	  .def = "0",
	  .doc = "Seed of the random numbers; 0: from the session's seed, variant, repeat and "
		 "step." },
	{ .name = "cpus_allowed",
	  .type = FST_STR,
	  OPT(cpus_allowed),
	  .doc = "Processors that the workers may run on, as \"0,2-3\"." },
	{ .name = "cpus_allowed_policy",
	  .type = FST_ENUM,
	  OPT(cpus_allowed_policy),
	  .def = "shared",
	  FST_CHOICES(workload_cpu_policies),
	  .doc = "How the workers share cpus_allowed." },
};

static const struct fst_choice io_services[] = {
	{ "sequential", FST_SEQUENTIAL_FILES, "One file after the other." },
	{ "roundrobin", FST_ROUNDROBIN_FILES, "One I/O to each file in turn." },
};

static const struct fst_choice io_buffer_kinds[] = {
	{ "random", IO_BUFFERS_RANDOM, "Data that cannot be compressed or deduplicated." },
	{ "zero", IO_BUFFERS_ZERO, "Zeros." },
	{ "pattern", IO_BUFFERS_PATTERN, "buffer_pattern over and over, in every block alike." },
};

static const struct fst_choice io_syncs[] = {
	{ "none", FST_SYNC_NONE, "Not by itself." },
	{ "sync", FST_SYNC_SYNC, "Data and all metadata (O_SYNC)." },
	{ "dsync", FST_SYNC_DSYNC, "Data and what is needed to read it again (O_DSYNC)." },
};

static const struct fst_choice io_rate_processes[] = {
	{ "linear", IO_RATE_LINEAR, "Evenly." },
	{ "poisson", IO_RATE_POISSON, "At random, as of many independent users." },
};

static const struct fst_choice io_verifies[] = {
	{ "none", IO_VERIFY_NONE, "No." },
	{ "crc32c", IO_VERIFY_CRC32C,
	  "By a header with a crc32c in every 4 KiB, or smaller block." },
};

static const struct fst_param io_params[] = {
	{ .name = "ioengine",
	  .type = FST_STR,
	  IO(ioengine),
	  .def = "psync",
	  .doc = "How I/O reaches the kernel: an engine plugin." },
	{ .name = "iodepth",
	  .type = FST_U64,
	  IO(iodepth),
	  .def = "1",
	  .min = "1",
	  .max = "65536",
	  .unit = "I/Os",
	  .doc = "I/Os that each worker keeps in flight." },
	{ .name = "iodepth_batch",
	  .alias = "iodepth_batch_submit",
	  .type = FST_U64,
	  IO(iodepth_batch),
	  .def = "0",
	  .max = "65536",
	  .unit = "I/Os",
	  .doc = "I/Os handed to the kernel at once. 0: all that are free to go, but where I/Os "
		 "complete inside of the call no more than pays." },
	{ .name = "iodepth_batch_complete_min",
	  .alias = "iodepth_batch_complete",
	  .type = FST_U64,
	  IO(iodepth_batch_complete_min),
	  .def = "0",
	  .max = "65536",
	  .unit = "I/Os",
	  .doc = "Completions to wait for when no more can be handed over; 0: one." },
	{ .name = "iodepth_batch_complete_max",
	  .type = FST_U64,
	  IO(iodepth_batch_complete_max),
	  .def = "0",
	  .max = "65536",
	  .unit = "I/Os",
	  .doc = "Completions taken at once at most; 0: all that are there." },
	{ .name = "iodepth_low",
	  .type = FST_U64,
	  IO(iodepth_low),
	  .def = "0",
	  .max = "65536",
	  .unit = "I/Os",
	  .doc = "Once iodepth I/Os are in flight no more are handed over until so few are left; "
		 "0: "
		 "always filled up." },
	{ .name = "bs",
	  .type = FST_SIZE,
	  IO(bs),
	  .def = "4KiB",
	  .min = "1B",
	  .max = "1GiB",
	  .doc = "Size of an I/O." },
	{ .name = "size",
	  .type = FST_SIZE,
	  IO(size),
	  .flags = FST_REQUIRED,
	  .min = "1B",
	  .max = "1024PiB",
	  .doc = "Size of what each worker works on, over all its files." },
	{ .name = "nrfiles",
	  .type = FST_U64,
	  IO(nrfiles),
	  .def = "1",
	  .min = "1",
	  .max = "10000000",
	  .unit = "files",
	  .doc = "Files of each worker; each is size / nrfiles long." },
	{ .name = "loops",
	  .type = FST_U64,
	  IO(loops),
	  .def = "1",
	  .min = "1",
	  .doc = "Times the size is done." },
	{ .name = "fsync",
	  .type = FST_U64,
	  IO(fsync),
	  .def = "0",
	  .unit = "writes",
	  .doc = "fsync(2) after so many writes; 0: never." },
	{ .name = "fdatasync",
	  .type = FST_U64,
	  IO(fdatasync),
	  .def = "0",
	  .unit = "writes",
	  .doc = "fdatasync(2) after so many writes; 0: never." },
	{ .name = "direct",
	  .type = FST_BOOL,
	  IO(direct),
	  .def = "false",
	  .doc = "Past the page cache (O_DIRECT)." },
	{ .name = "time_based",
	  .type = FST_BOOL,
	  IO(time_based),
	  .def = "true",
	  .doc = "With a runtime the work starts over until it is up; else it ends with the "
		 "size." },
	{ .name = "overwrite",
	  .type = FST_BOOL,
	  IO(overwrite),
	  .def = "false",
	  .doc = "Writes go in place into files that are laid out before." },
	{ .name = "end_fsync",
	  .type = FST_BOOL,
	  IO(end_fsync),
	  .def = "false",
	  .doc = "fsync(2) of all files at the end, within the measured time." },
	{ .name = "file_service_type",
	  .type = FST_ENUM,
	  IO(file_service_type),
	  .def = "sequential",
	  FST_CHOICES(io_services),
	  .doc = "Which of several files the next I/O goes to." },
	{ .name = "rwmixread",
	  .type = FST_U64,
	  IO(rwmixread),
	  .def = "50",
	  .max = "100",
	  .unit = "%",
	  .doc = "Of a mix of reads and writes, how many are reads." },
	{ .name = "offset",
	  .type = FST_SIZE,
	  IO(offset),
	  .def = "0",
	  .max = "1024PiB",
	  .doc = "Where in each file the work begins; size counts from there." },
	{ .name = "offset_increment",
	  .type = FST_SIZE,
	  IO(offset_increment),
	  .def = "0",
	  .max = "1024PiB",
	  .doc = "What each worker begins further behind in its files than the one before it." },
	{ .name = "bssplit",
	  .type = FST_STR,
	  IO(bssplit),
	  .doc = "Several block sizes and how many percent of the I/Os have each, as "
		 "\"4k/60:64k/40\"; instead of bs." },
	{ .name = "random_distribution",
	  .type = FST_STR,
	  IO(random_distribution),
	  .def = "random",
	  .doc = "Which blocks random I/O takes: random (all alike), zipf:THETA, pareto:H, "
		 "normal:PERCENT (these with the popular blocks scattered), or "
		 "zoned:50/5:30/15:20/80 (percent of the accesses / of the blocks, in the "
		 "file's order)." },
	{ .name = "norandommap",
	  .type = FST_BOOL,
	  IO(norandommap),
	  .def = "false",
	  .doc = "Random I/O may take a block again before all were taken; of distributions other "
		 "than random that is always so." },
	{ .name = "sync",
	  .type = FST_ENUM,
	  IO(sync),
	  .def = "none",
	  FST_CHOICES(io_syncs),
	  .doc = "Whether each write is on stable storage before it is complete." },
	{ .name = "rate",
	  .type = FST_SIZE,
	  IO(rate),
	  .def = "0",
	  .doc = "Bytes a second that each worker begins, whatever the device does meanwhile; "
		 "latencies count from when an I/O should have begun. 0: as fast as it goes." },
	{ .name = "rate_iops",
	  .type = FST_U64,
	  IO(rate_iops),
	  .def = "0",
	  .max = "1000000000",
	  .unit = "I/Os per second",
	  .doc = "Like rate, in I/Os a second." },
	{ .name = "rate_process",
	  .type = FST_ENUM,
	  IO(rate_process),
	  .def = "linear",
	  FST_CHOICES(io_rate_processes),
	  .doc = "How the I/Os of a rate lie in time." },
	{ .name = "thinktime",
	  .type = FST_TIME,
	  IO(thinktime_ns),
	  .def = "0",
	  .doc = "Pause of a worker after its I/Os are complete." },
	{ .name = "thinktime_blocks",
	  .type = FST_U64,
	  IO(thinktime_blocks),
	  .def = "1",
	  .min = "1",
	  .unit = "I/Os",
	  .doc = "I/Os from one thinktime to the next." },
	{ .name = "verify",
	  .type = FST_ENUM,
	  IO(verify),
	  .def = "none",
	  FST_CHOICES(io_verifies),
	  .doc = "Whether each block that is written says where it belongs, and reads check it." },
	{ .name = "do_verify",
	  .type = FST_BOOL,
	  IO(do_verify),
	  .def = "true",
	  .doc = "With verify: reads what was written once more at the end, untimed." },
	{ .name = "buffers",
	  .type = FST_ENUM,
	  IO(buffers),
	  .def = "random",
	  FST_CHOICES(io_buffer_kinds),
	  .doc = "What is written." },
	{ .name = "buffer_compress_percentage",
	  .type = FST_U64,
	  IO(buffer_compress_percentage),
	  .def = "0",
	  .max = "100",
	  .unit = "%",
	  .doc = "Of buffers = random, which share of each 4 KiB, or smaller block, is zeros; the "
		 "rest is random, and differs from block to block." },
	{ .name = "buffer_pattern",
	  .type = FST_STR,
	  IO(buffer_pattern),
	  .doc = "Of buffers = pattern: text, or bytes as \"0xdeadbeef\", 512 bytes at most; "
		 "repeated, from its beginning in each 4 KiB. verify puts its headers over it." },
};

static const struct fst_param device_params[] = {
	{ .name = "filename",
	  .type = FST_STR,
	  IO(filename),
	  .doc = "The block device that I/O goes to, past any file system: \"target\" is the trial's, "
		 "its own or one that a step before made, \"target.2\" the second of several, or "
		 "the path of one of them. Without size all of it is worked on, by all workers "
		 "alike unless offset_increment parts them. Reading changes nothing; writing and "
		 "trimming destroy what is there, and the guard is asked as for mkfs. \"\": files." },
};

#define TABLE(name, doc, table, type)                             \
	{                                                         \
		name, doc, table, ARRAY_SIZE(table), sizeof(type) \
	}

const struct core_table core_tables[] = {
	TABLE("step", "parameters of every step", step_params, struct step_options),
	TABLE("workload", "parameters of every workload", workload_params, struct step_options),
	TABLE("io", "parameters of every workload that describes its I/O", io_params,
	      struct io_params),
	TABLE("device", "parameters of workloads that can do their I/O on a device", device_params,
	      struct io_params),
};
const size_t n_core_tables = ARRAY_SIZE(core_tables);
