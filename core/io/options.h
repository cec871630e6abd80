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
};

/* Of every step (timeout) and of every workload. */
struct step_options {
	uint64_t timeout_ns; /* default: setup 1h, workload 24h */
	uint64_t numjobs;
	uint64_t runtime_ns; /* 0: until the work is done */
	uint64_t ramp_time_ns;
	uint64_t randseed; /* 0: from the session's seed, variant, repeat and step */
};

/* Of data workloads. */
struct io_params {
	const char *ioengine;
	uint64_t iodepth;
	uint64_t bs;   /* bytes */
	uint64_t size; /* bytes a worker does in one loop */
	uint64_t nrfiles;
	uint64_t loops;
	uint64_t fsync;	    /* after every so many writes; 0: never */
	uint64_t fdatasync; /* likewise */
	bool direct;
	bool time_based; /* with runtime: starts over until the time is over */
	bool overwrite;
	bool end_fsync;	       /* inside the measured time */
	int file_service_type; /* enum fst_file_service */
	int buffers;	       /* enum io_buffers */
};

/*
 * What a data workload sees of them. Without a runtime there is no time to be over, so that
 * time_based means nothing then.
 */
static inline struct fst_io_options io_options_of(const struct io_params *p,
						  const struct step_options *s)
{
	return (struct fst_io_options){
		.struct_size = sizeof(struct fst_io_options),
		.iodepth = (uint32_t)p->iodepth,
		.bs = p->bs,
		.size = p->size,
		.nrfiles = p->nrfiles,
		.loops = p->loops,
		.direct = p->direct,
		.time_based = p->time_based && s->runtime_ns != 0,
		.overwrite = p->overwrite,
		.file_service_type = (uint8_t)p->file_service_type,
	};
}
