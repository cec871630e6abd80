/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the two halves of the loop: depth one and queued. */
#pragma once

#include <stddef.h>

#include "core/io/clock.h"
#include "core/io/loop.h"

#define loop_likely(x) __builtin_expect(!!(x), 1)
#define loop_unlikely(x) __builtin_expect(!!(x), 0)
#define loop_inline static inline __attribute__((always_inline))

/* Rare, so out of the way of the instruction cache. */
#define loop_cold __attribute__((cold, noinline))

int loop_one_plain(struct loop *l, uint64_t start_ns);
int loop_one_full(struct loop *l, uint64_t start_ns);
int loop_many_plain(struct loop *l, uint64_t start_ns);
int loop_many_full(struct loop *l, uint64_t start_ns);

loop_inline struct loop_slot *loop_slot_of(struct fst_io *io)
{
	return (struct loop_slot *)((char *)io - offsetof(struct loop_slot, io));
}

/* The ramp is over, or the time is. */
loop_cold void loop_alarm(struct loop *l, uint64_t now);
/* Is what the workload asked for sound after all (a sync has no length)? 0, or an error of it. */
loop_cold int loop_check_io(struct loop *l, const struct fst_io *io);
/* An I/O did not do what it should. */
loop_cold int loop_io_failed(struct loop *l, const struct fst_io *io);
loop_cold int loop_engine_failed(struct loop *l, const char *call, int r);
loop_cold int loop_plugin_failed(struct loop *l, const char *call, int r);
/* One sync through the engine with nothing else in flight, counted. */
int loop_sync_now(struct loop *l, struct loop_slot *slot, uint16_t op, uint32_t file);
/* Queues an I/O at depth one, waits for it. 0 or an error. */
int loop_wait_one(struct loop *l, struct fst_io *io, int queued);

loop_inline bool loop_should_stop(const struct loop *l)
{
	return loop_unlikely(__atomic_load_n(l->w->stop, __ATOMIC_RELAXED) | (int)l->stopping);
}

/*
 * Bounds that protect memory; what falls out is looked at again. Operation and kind, which is 0 in
 * the plain loop, are looked at as one number.
 */
loop_inline bool loop_io_odd(const struct loop *l, const struct fst_io *io, const bool full)
{
	const uint32_t what = full ? io->op : (uint32_t)io->kind << 16 | io->op;

	return loop_unlikely((io->length - 1 >= l->max_length) | (io->file >= l->n_files) |
			     (what > FST_IO_TRIM) | (full && io->kind > l->n_kinds));
}

/* Counts under the workload's own kind of operation. */
void loop_count_kind(struct loop *l, const struct fst_io *io, uint64_t latency_ns);

loop_inline void loop_count(struct loop *l, const struct fst_io *io, uint64_t start_ns,
			    uint64_t now, const bool full)
{
	struct live_worker *live = l->live;

	l->end_ns = now;
	if (loop_unlikely(now >= l->alarm_ns))
		loop_alarm(l, now);
	if (full && io->kind) {
		loop_count_kind(l, io, now - start_ns);
		return;
	}
	hist_add(l->hist[io->op], now - start_ns);
	if (loop_likely(io->op <= FST_IO_TRIM)) {
		l->bytes[io->op] += io->length;
		live_set(live->ops, live->ops + 1);
		live_set(live->bytes, live->bytes + io->length);
	}
}

/* After loop_count(), which may have ended the ramp; not at depth one. */
loop_inline void loop_count_parts(struct loop *l, const struct loop_slot *slot, uint64_t now,
				  const bool full)
{
	const uint16_t op = slot->io.op;

	if (full && slot->io.kind) /* of the workload's own kinds there is the whole only */
		return;
	hist_add(l->part[op][LOOP_SUBMISSION], slot->handed_ns - slot->start_ns);
	hist_add(l->part[op][LOOP_COMPLETION], now - slot->handed_ns);
}

/*
 * Waits until the next I/O is due, or until something else is to be looked at. False: it is not due.
 */
loop_cold bool loop_sched_wait(struct loop *l);
/* Is it due, and no pause before it? With I/Os in flight a pause is not over. */
loop_cold bool loop_sched_due(struct loop *l);
/* What a completed I/O took, and how late it began. Returns from when its latency counts. */
loop_cold uint64_t loop_sched_count(struct loop *l, const struct loop_slot *slot, uint64_t now);

/* Headers into a write; what a read brought. */
void loop_verify_fill(struct loop *l, const struct fst_io *io);
int loop_verify_check(struct loop *l, const struct fst_io *io);

/* After a write: is a sync due? */
loop_inline void loop_note_write(struct loop *l, const struct fst_io *io)
{
	if (io->op != FST_IO_WRITE)
		return;
	if (l->written)
		l->written[io->file] = 1;
	if (l->sync_every && --l->until_sync == 0) {
		l->until_sync = l->sync_every;
		l->sync_file = io->file;
		l->sync_due++;
	}
}
