/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters that the core itself takes from a step; core/job fills them, core/io and core/run read
 * them.
 */
#pragma once

#include <fstrial/plugin.h>
#include <stdbool.h>
#include <stdint.h>

enum io_buffers {
	IO_BUFFERS_RANDOM = 0, /* not compressible, every block different */
	IO_BUFFERS_ZERO = 1,
	IO_BUFFERS_PATTERN = 2,
};

enum io_cpus_policy {
	CPUS_SHARED = 0,
	CPUS_SPLIT = 1,
};

enum io_distribution {
	IO_UNIFORM = 0,
	IO_ZIPF = 1,
	IO_PARETO = 2,
	IO_NORMAL = 3,
	IO_ZONED = 4,
};

enum io_verify {
	IO_VERIFY_NONE = 0,
	IO_VERIFY_CRC32C = 1,
};

enum io_rate_process {
	IO_RATE_LINEAR = 0,
	IO_RATE_POISSON = 1,
};

enum { IO_MAX_SHARES = 64, IO_MAX_PATTERN = 512 };

/* Of all accesses, access percent go to the next size percent of the blocks. */
struct io_zone {
	double access, size;
};

/* random_distribution, read. */
struct io_random {
	int kind;     /* enum io_distribution */
	double theta; /* of zipf; the share of pareto; standard deviation of normal, in percent */
	uint32_t n_zones;
	struct io_zone zones[IO_MAX_SHARES];
};

/* Of every step (timeout) and of every workload. */
struct step_options {
	uint64_t timeout_ns; /* default: setup 1h, workload 24h */
	uint64_t numjobs;
	uint64_t runtime_ns; /* 0: until the work is done */
	uint64_t ramp_time_ns;
	bool cold; /* what the trial has mounted is unmounted and mounted again before */
	bool steady_state; /* what is measured must not have changed with time */
	uint64_t randseed;	  /* 0: from the session's seed, variant, repeat and step */
	const char *cpus_allowed; /* "0,2-3", or NULL: any */
	int cpus_allowed_policy;  /* enum io_cpus_policy */
};

/* Of data workloads. */
struct io_params {
	const char *ioengine;
	uint64_t iodepth;
	uint64_t bs;   /* bytes */
	uint64_t size; /* bytes a worker does in one loop */
	uint64_t nrfiles;
	uint64_t loops;
	uint64_t fsync;			     /* after every so many writes; 0: never */
	uint64_t fdatasync;		     /* likewise */
	uint64_t iodepth_batch;		     /* 0: found out (core/io/pace.h) */
	uint64_t iodepth_batch_complete_min; /* 0: 1 */
	uint64_t iodepth_batch_complete_max; /* 0: iodepth */
	uint64_t iodepth_low;		     /* 0: iodepth */
	bool direct;
	bool time_based; /* with runtime: starts over until the time is over */
	bool overwrite;
	bool end_fsync;	       /* inside the measured time */
	int file_service_type; /* enum fst_file_service */
	int buffers;	       /* enum io_buffers */
	uint64_t buffer_compress_percentage;
	const char *buffer_pattern; /* as written, or NULL */
	uint64_t rwmixread;	    /* percent */
	uint64_t offset;	    /* bytes */
	uint64_t offset_increment;
	const char *bssplit;		 /* as written, or NULL */
	const char *random_distribution; /* as written; NULL: uniform */
	bool norandommap;
	int sync;	    /* enum fst_sync */
	uint64_t rate;	    /* bytes a second and worker; 0: as fast as it goes */
	uint64_t rate_iops; /* likewise, I/Os */
	int rate_process;   /* enum io_rate_process */
	uint64_t thinktime_ns;
	uint64_t thinktime_blocks;
	int verify; /* enum io_verify */
	bool do_verify;
	const char *filename; /* of FST_ON_DEVICE: "target", "target.2", a path; NULL or "": files */
	/* Read from the texts above. */
	struct fst_bs_share shares[IO_MAX_SHARES];
	uint32_t n_shares;
	struct io_random random;
	unsigned char pattern[IO_MAX_PATTERN];
	uint32_t n_pattern; /* bytes; 0: none */
};

/* The smallest and the largest block. */
static inline void io_block_sizes(const struct io_params *p, uint64_t *min, uint64_t *max)
{
	*min = *max = p->n_shares ? p->shares[0].bs : p->bs;
	for (uint32_t i = 1; i < p->n_shares; i++) {
		*min = p->shares[i].bs < *min ? p->shares[i].bs : *min;
		*max = p->shares[i].bs > *max ? p->shares[i].bs : *max;
	}
}

/* Is it done on a block device, instead of files? */
static inline bool io_on_device(const struct io_params *p)
{
	return p->filename && *p->filename;
}

/*
 * What a data workload sees of them. Without a runtime there is no time to be over, so that
 * time_based means nothing then.
 */
static inline struct fst_io_options io_options_of(const struct io_params *p,
						  const struct step_options *s)
{
	uint64_t min, max;

	io_block_sizes(p, &min, &max);
	return (struct fst_io_options){
		.struct_size = sizeof(struct fst_io_options),
		.iodepth = (uint32_t)p->iodepth,
		.bs = min,
		.size = p->size,
		.nrfiles = p->nrfiles,
		.loops = p->loops,
		.direct = p->direct,
		.time_based = p->time_based && s->runtime_ns != 0,
		.overwrite = p->overwrite,
		.file_service_type = (uint8_t)p->file_service_type,
		.rwmixread = (uint32_t)p->rwmixread,
		.offset = p->offset,
		.offset_increment = p->offset_increment,
		.bssplit = p->n_shares ? p->shares : NULL,
		.n_bssplit = p->n_shares,
		/* Of a skewed distribution blocks come again by its nature. */
		.norandommap = p->norandommap || p->random.kind != IO_UNIFORM,
		.buffer_size = max,
		.sync = (uint32_t)p->sync,
		.filename = io_on_device(p) ? p->filename : NULL,
	};
}
