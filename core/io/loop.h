/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one I/O loop: asks the workload what comes next, hands it to the engine, takes the time,
 * counts. For any engine at any depth; one loop a worker, in the worker's thread.
 */
#pragma once

#include <fstrial/plugin.h>

#include "core/io/buffers.h"
#include "core/io/hist.h"
#include "core/io/live.h"
#include "core/io/pace.h"
#include "core/io/sched.h"
#include "core/io/verify.h"
#include "core/util/macro.h"

/* Latency is kept apart for these; both kinds of sync are one. */
enum { LOOP_READ, LOOP_WRITE, LOOP_TRIM, LOOP_SYNC, LOOP_KINDS };
extern const char *const loop_kind_names[LOOP_KINDS];

enum { LOOP_OPS = FST_IO_FDATASYNC + 1 };

/* What the latency of a queued I/O consists of: until it was handed over, and from there. */
enum { LOOP_SUBMISSION, LOOP_COMPLETION, LOOP_PARTS };

struct loop_slot {
	struct fst_io io;
	uint64_t start_ns;
	uint64_t handed_ns; /* queued: when submit() had returned */
	uint64_t due_ns;    /* by the schedule; 0: there is none */
	bool own_sync;	    /* a sync by the core, which the workload does not know of */
};

/* Filled by loop_init(), then by the caller where said. */
struct loop {
	/* Used for each I/O. */
	int (*next)(struct fst_worker *w, struct fst_io *io);
	int (*done)(struct fst_worker *w, struct fst_io *io);
	int (*queue)(struct fst_engine *e, struct fst_io *io);
	struct fst_worker *w;
	struct fst_engine *e;
	struct live_worker *live;
	uint64_t alarm_ns; /* when the next of ramp's end and deadline is */
	uint64_t end_ns;   /* last completion */
	uint64_t max_length;
	uint32_t n_files;
	bool stopping;
	struct hist *hist[LOOP_OPS];
	uint64_t bytes[LOOP_OPS];

	/* Queued. */
	int (*submit)(struct fst_engine *e);
	int (*reap)(struct fst_engine *e, uint32_t min, struct fst_io **done, uint32_t max);
	struct loop_slot *slots;
	struct loop_slot **unused; /* stack of free slots */
	struct loop_slot **held;   /* stack of slots with an I/O that is to be queued */
	struct loop_slot **fresh;  /* queued and not handed over yet, in order */
	struct fst_io **reaped;
	uint32_t depth, n_unused, n_held, n_fresh, inflight, max_inflight;
	struct hist *part[LOOP_OPS][LOOP_PARTS]; /* of I/Os that hist counts; NULL at depth one */
	struct pace pace;	     /* I/Os handed over at once */
	uint32_t reap_min, reap_max; /* completions taken at once */
	uint32_t low;		     /* in flight: filled again from there; depth: at once */
	bool ended;		     /* the workload has no more */
	bool measure;		     /* the ramp is over */
	bool leaked;		     /* I/Os are in flight for good: buffers must stay */
	bool mapped;		     /* the engine is FST_ENGINE_MAPPED */

	/* What lies around the I/Os. */
	struct hist *kind_hist; /* by fst_io.kind - 1 */
	uint64_t *kind_bytes;	/* likewise */
	const bool *kind_inner; /* likewise */
	uint32_t n_kinds;
	double kind_ns; /* sum of what kind_hist got from here */
	uint64_t kind_ops[LOOP_OPS], kind_op_bytes[LOOP_OPS]; /* their I/Os */
	struct verify *verify;				      /* NULL: nobody looks at the data */
	struct sched *sched;				      /* NULL: an I/O follows the other */
	struct buffers *stamp; /* NULL: what is written need not differ */
	uint64_t sync_every;   /* writes; 0: never */
	uint64_t until_sync;
	uint32_t sync_due; /* syncs that wait for a free slot */
	uint16_t sync_op;  /* FST_IO_FSYNC or FST_IO_FDATASYNC */
	uint32_t sync_file;
	uint8_t *written; /* by file: to be synced at the end; NULL: no sync at the end */
	uint64_t ramp_end_ns, deadline_ns; /* 0: none */
	const char *(*file_name)(const struct loop *l, uint32_t file);
	const void *names; /* of file_name */
	const char *engine_name;
	int ret;
};

/*
 * hist: LOOP_KINDS of them. parts: LOOP_PARTS for each of these, not used at depth one. e: with its
 * buffers and files. Everything else is zero, or as the caller sets it.
 */
void loop_init(struct loop *l, struct fst_worker *w, struct fst_engine *e,
	       const struct fst_engine_ops *ops, struct hist *hist, struct hist *parts);
/* How the queue is filled and emptied, where the job says so. */
void loop_set_batches(struct loop *l, const struct io_params *p);
void loop_release(struct loop *l);
/*
 * Runs until the workload ends, the deadline, or the worker's stop flag; what is in flight is
 * waited for. 0, or -errno with the text told by fst_error(); counts stay as they are. start_ns and
 * the two times are set before.
 */
int loop_run(struct loop *l, uint64_t start_ns) _must_check_;
/* After a good run: syncs each file in l->written, as part of what is timed. */
int loop_sync_written(struct loop *l) _must_check_;
