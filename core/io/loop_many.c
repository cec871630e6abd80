/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop with several I/Os in flight. Each round fills free slots, hands them over at once, waits
 * for at least one completion and takes whatever else is there: no system call more than that needs.
 */
#include <errno.h>
#include <string.h>

#include "core/io/loop_private.h"

/* Keeps the first error; what is in flight is still waited for. */
static loop_cold void loop_many_fail(struct loop *l, int r)
{
	if (!l->ret)
		l->ret = r;
	l->stopping = true;
}

loop_inline void loop_many_after(struct loop *l, struct loop_slot *slot)
{
	bool again = false;

	if (l->verify) {
		int r = loop_verify_check(l, &slot->io);

		if (loop_unlikely(r < 0)) {
			loop_many_fail(l, r);
			return;
		}
	}
	loop_note_write(l, &slot->io);
	if (l->done && !slot->own_sync) {
		int r = l->done(l->w, &slot->io);

		if (loop_unlikely(r < 0)) {
			loop_many_fail(l, loop_plugin_failed(l, "done", r));
			return;
		}
		again = r == FST_DONE_AGAIN;
	}
	slot->due_ns = 0;
	if (again) {
		l->held[l->n_held++] = slot;
	} else if (l->sync_due) {
		/* This slot carries the sync; what is in flight beside it goes on. */
		l->sync_due--;
		slot->own_sync = true;
		slot->io.op = l->sync_op;
		slot->io.kind = 0;
		slot->io.file = l->sync_file;
		slot->io.offset = 0;
		slot->io.length = 0;
		l->held[l->n_held++] = slot;
	} else {
		slot->own_sync = false;
		l->unused[l->n_unused++] = slot;
	}
}

loop_inline void loop_many_complete(struct loop *l, struct loop_slot *slot, uint64_t now,
				    const bool full)
{
	struct fst_io *io = &slot->io;

	if (loop_unlikely(io->result != (int64_t)io->length)) {
		loop_many_fail(l, loop_io_failed(l, io));
		return;
	}
	loop_count(l, io, full && slot->due_ns ? loop_sched_count(l, slot, now) : slot->start_ns,
		   now, full);
	loop_count_parts(l, slot, now, full);
	if (full)
		loop_many_after(l, slot);
	else
		l->unused[l->n_unused++] = slot;
}

/* An I/O was not simply queued. True: go on filling. */
static __attribute__((noinline)) bool loop_many_not_queued(struct loop *l, struct loop_slot *slot,
							   int r, const bool full)
{
	if (r == 1) {
		slot->handed_ns = io_clock_ns();
		loop_many_complete(l, slot, slot->handed_ns, full);
		return !loop_should_stop(l);
	}
	if (r == -EAGAIN && l->inflight)
		l->held[l->n_held++] = slot;
	else
		loop_many_fail(l, loop_engine_failed(l, "queue", r));
	return false;
}

/* The workload gave no I/O. */
static loop_cold void loop_many_no_io(struct loop *l, int r)
{
	if (r == FST_NEXT_END)
		l->ended = true;
	else if (r == FST_NEXT_WAIT && !l->inflight)
		loop_many_fail(l, loop_plugin_failed(l, "next waits, but nothing is in flight",
						     -EDEADLK));
	else if (r != FST_NEXT_WAIT)
		loop_many_fail(l, loop_plugin_failed(l, "next", r));
}

/* The slot to queue next, its I/O filled in; NULL: none now. What is held comes first. */
loop_inline struct loop_slot *loop_many_pick(struct loop *l, const bool full)
{
	struct loop_slot *slot;
	int r;

	if (loop_unlikely(l->n_held))
		return l->held[--l->n_held];
	if (!l->n_unused || l->ended)
		return NULL;
	if (full && l->sched && !loop_sched_due(l))
		return NULL;
	slot = l->unused[l->n_unused - 1];
	if (full && l->stamp)
		buffers_stamp(l->stamp, slot->io.buf, l->max_length);
	if (full)
		slot->io.kind = 0;
	r = l->next(l->w, &slot->io);
	if (loop_unlikely(r != FST_NEXT_IO)) {
		loop_many_no_io(l, r);
		return NULL;
	}
	if (loop_io_odd(l, &slot->io, full)) {
		r = loop_check_io(l, &slot->io);
		if (r < 0) {
			loop_many_fail(l, r);
			return NULL;
		}
	}
	if (full && l->sched)
		slot->due_ns = sched_take(l->sched, slot->io.length);
	l->n_unused--;
	return slot;
}

/*
 * Queues what the batch has room for. True: the batch was full before the depth was. In the plain
 * loop an I/O begins where the round before ended, for that is when its slot became free.
 */
loop_inline bool loop_many_fill(struct loop *l, uint64_t now, const bool full)
{
	uint32_t left = l->pace.limit;
	struct loop_slot *slot;
	int r;

	if (loop_should_stop(l))
		return false;
	while ((slot = loop_many_pick(l, full)) != NULL) {
		if (full && l->verify)
			loop_verify_fill(l, &slot->io);
		slot->start_ns = full ? io_clock_ns() : now;
		r = l->queue(l->e, &slot->io);
		if (loop_likely(r == 0)) {
			l->fresh[l->n_fresh++] = slot;
			l->inflight++;
		} else if (!loop_many_not_queued(l, slot, r, full)) {
			return false;
		}
		if (--left == 0)
			return l->n_unused || l->n_held;
	}
	return false;
}

/* The first n of what was queued are with the engine's device. */
loop_inline void loop_many_handed(struct loop *l, uint32_t n)
{
	const uint64_t now = io_clock_ns();

	n = MIN(n, l->n_fresh);
	for (uint32_t i = 0; i < n; i++)
		l->fresh[i]->handed_ns = now;
	l->n_fresh -= n;
	if (loop_unlikely(l->n_fresh))
		memmove(l->fresh, l->fresh + n, l->n_fresh * sizeof(*l->fresh));
}

/* Some of what submit() left were handed over by the reap and are complete: it was all submission. */
static loop_cold void loop_many_overtook(struct loop *l, uint32_t n_reaped, uint64_t now)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->n_fresh; i++) {
		struct loop_slot *slot = l->fresh[i];
		uint32_t k = 0;

		while (k < n_reaped && l->reaped[k] != &slot->io)
			k++;
		if (k == n_reaped)
			l->fresh[kept++] = slot;
		else
			slot->handed_ns = now;
	}
	l->n_fresh = kept;
}

/*
 * Hands over and takes what is complete. Waits only when no more can be queued. Number of completions
 * or an error.
 */
loop_inline int loop_many_turn(struct loop *l, const bool more, uint64_t *now, const bool full)
{
	uint32_t min = more ? 0 : l->reap_min < l->inflight ? l->reap_min : l->inflight;
	int r;

	if (l->inflight > l->max_inflight)
		l->max_inflight = l->inflight;
	r = l->submit(l->e);
	if (loop_unlikely(r < 0 && r != -EAGAIN && r != -EBUSY))
		return loop_engine_failed(l, "submit", r);
	if (l->n_fresh && r > 0)
		loop_many_handed(l, (uint32_t)r);
	r = l->reap(l->e, min, l->reaped, l->reap_max);
	*now = io_clock_ns();
	if (loop_unlikely(r <= 0 && min))
		return r == -EAGAIN ? 0 : loop_engine_failed(l, "reap", r ? r : -EIO);
	if (loop_unlikely(r < 0))
		return r == -EAGAIN ? 0 : loop_engine_failed(l, "reap", r);
	l->inflight -= (uint32_t)r;
	if (loop_unlikely(l->n_fresh))
		loop_many_overtook(l, (uint32_t)r, *now);
	for (int i = 0; i < r; i++)
		loop_many_complete(l, loop_slot_of(l->reaped[i]), *now, full);
	return r;
}

/* Lets the depth sink to its low mark before it is filled again. */
static loop_cold int loop_many_drain(struct loop *l, uint64_t *now)
{
	int r = 0;

	while (l->inflight > l->low && r >= 0)
		r = loop_many_turn(l, false, now, true);
	return r;
}

loop_inline int loop_many(struct loop *l, uint64_t now, const bool full)
{
	uint64_t before;
	bool more;
	int r;

	for (;;) {
		more = loop_many_fill(l, now, full);
		if (loop_unlikely(!l->inflight)) {
			/* Engines that complete at once leave nothing to wait for. */
			if (l->ret || loop_should_stop(l) || (l->ended && !l->n_held))
				return l->ret;
			if (full && l->sched)
				loop_sched_wait(l);
			now = io_clock_ns();
			continue;
		}
		/* A slot that waits for its time must not wait for a completion. */
		if (full && l->sched && sched_has_rate(l->sched) && l->n_unused && !l->ended)
			more = true;
		before = now;
		r = loop_many_turn(l, more, &now, full);
		if (loop_unlikely(l->inflight > l->low) && !more && r >= 0)
			r = loop_many_drain(l, &now);
		if (loop_unlikely(r < 0)) {
			l->leaked = true;
			return l->ret ? l->ret : r;
		}
		if (!(full && l->sched) && pace_cares(&l->pace, !l->inflight, now))
			pace_round(&l->pace, (uint32_t)r, !l->inflight, more, now - before, now);
	}
}

int loop_many_plain(struct loop *l, uint64_t start_ns)
{
	return loop_many(l, start_ns, false);
}

int loop_many_full(struct loop *l, uint64_t start_ns)
{
	return loop_many(l, start_ns, true);
}
