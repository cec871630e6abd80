/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One workload step while it runs: what the parts of core/io share. Private to core/io. */
#pragma once

#include <fstrial/plugin.h>
#include <pthread.h>
#include <sys/resource.h>

#include "core/io/buffers.h"
#include "core/io/files.h"
#include "core/io/gate.h"
#include "core/io/hist.h"
#include "core/io/loop.h"
#include "core/io/random.h"
#include "core/io/series.h"
#include "core/io/verify.h"
#include "core/io/workload.h"
#include "core/util/prng.h"

struct io_step;

struct io_worker {
	struct fst_worker w; /* as the plugin sees it */
	struct io_step *step;
	struct live_worker *live;
	struct hist
		*hist; /* step->n_kinds of them: the core's own of a data workload, the plugin's */
	uint64_t *bytes; /* likewise */
	struct hist *parts; /* LOOP_PARTS for each of the core's own; NULL: nothing is queued */
	double *metric;	 /* by the step's metric; NaN: not given; NULL: none was */
	struct prng rng;
	uint64_t ramp_end_ns; /* operations that end before do not count; 0: no ramp */
	uint64_t end_ns;      /* last completion */
	double kind_ns;	      /* time of I/Os of the plugin's own kinds */
	uint64_t op_count[LOOP_KINDS],
		op_bytes[LOOP_KINDS]; /* I/Os by what they are, of any kind */
	struct random_blocks random;
	struct sched sched;
	uint32_t max_inflight;
	uint32_t batch; /* I/Os handed over at once, at the end; 0: nothing is queued */
	int batch_by;	/* enum pace_state */
	bool inited; /* the plugin's worker_init went well */
	bool synced; /* end_fsync was done */
	int ret;
	pthread_t thread;
	/* Data workloads. */
	struct buffers buffers;
	struct fst_engine engine;
	struct fst_engine_file *files;
	uint32_t n_files;
	bool engine_open;
	bool leaked;
} __attribute__((aligned(64)));

struct io_step {
	struct workload *wl;
	struct io_params params;  /* with a device: what wl->io points to while the step runs */
	struct fst_io_options io; /* what ctx->io points to while the step runs */
	struct fst_engine_ops ops;
	bool data;	/* has next() */
	bool has_files; /* data, and the engine touches files */
	uint32_t n;
	uint32_t n_kinds;
	uint32_t first_kind; /* where the plugin's begin */
	bool *inner;	     /* by kind: part of another operation */
	struct io_files files;
	struct verify verify;
	uint64_t verified; /* bytes that the pass at the end read */
	struct io_worker *worker;
	struct fst_metric *metrics; /* the plugin's own, then those that its check declared */
	uint32_t n_metrics;
	double *metric;	 /* by metric; NaN: not given */
	double resident; /* share that was cached before; NaN: not known */
	int stop;	 /* workers see it by w->stop */
	int failed;
	int interrupted;
	struct gate gate;
	uint64_t ramp_ns;
	uint64_t start_ns;    /* of what counts: the end of the ramp; 0: never began */
	uint64_t deadline_ns; /* 0: none */
	uint32_t running;     /* workers that are not done yet */
	struct rusage before, after;
	struct series series;
};

#define step_get(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define step_set(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

/* Threads from creation to join. 0, or the first worker's -errno. */
int workers_run(struct io_step *s) _must_check_;
/* Array with all that belongs to it, before and after workers_run(). */
void workers_make(struct io_step *s);
void workers_free(struct io_step *s);
/* Zeroed, on cache lines of its own. */
void *worker_alloc(size_t size);
/* The thread of one: arg is its struct io_worker. */
void *worker_main(void *arg);
/* Name of a kind of operation. */
const char *step_kind_name(const struct io_step *s, uint32_t kind);
