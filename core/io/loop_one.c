/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop at depth one: synchronous engines, and the others with one I/O at a time. */
#include <errno.h>

#include "core/io/loop_private.h"

int loop_wait_one(struct loop *l, struct fst_io *io, int queued)
{
	struct fst_io *done = NULL;
	int r;

	if (queued == 1)
		return 0;
	if (queued < 0)
		return loop_engine_failed(l, "queue", queued);
	if (!l->submit || !l->reap)
		return loop_engine_failed(l, "queue", -EIO);
	do {
		r = l->submit(l->e);
		if (r < 0 && r != -EAGAIN) {
			l->leaked = true;
			return loop_engine_failed(l, "submit", r);
		}
		if (l->depth > 1)
			loop_slot_of(io)->handed_ns = io_clock_ns();
		r = l->reap(l->e, 1, &done, 1);
	} while (r == -EAGAIN);
	if (r != 1 || done != io) {
		l->leaked = true;
		return loop_engine_failed(l, "reap", r < 0 ? r : -EIO);
	}
	return 0;
}

int loop_sync_now(struct loop *l, struct loop_slot *slot, uint16_t op, uint32_t file)
{
	struct fst_io *io = &slot->io;
	uint64_t now;
	int r;

	io->op = op;
	io->kind = 0;
	io->file = file;
	io->offset = 0;
	io->length = 0;
	slot->handed_ns = 0;
	slot->start_ns = io_clock_ns();
	r = l->queue(l->e, io);
	r = loop_wait_one(l, io, r);
	now = io_clock_ns();
	if (r < 0)
		return r;
	if (io->result)
		return loop_io_failed(l, io);
	loop_count(l, io, slot->start_ns, now, true);
	if (l->depth > 1) {
		if (!slot->handed_ns) /* complete when it was queued */
			slot->handed_ns = now;
		loop_count_parts(l, slot, now, true);
	}
	return 0;
}

static loop_cold int loop_one_no_io(struct loop *l, int r)
{
	if (r == FST_NEXT_END) {
		l->ended = true;
		return 0;
	}
	if (r == FST_NEXT_WAIT)
		return loop_plugin_failed(l, "next waits, but nothing is in flight", -EDEADLK);
	return loop_plugin_failed(l, "next", r);
}

/* What follows a completed I/O beyond counting it: 1 when the same I/O goes again. */
loop_inline int loop_one_after(struct loop *l, struct loop_slot *slot)
{
	struct fst_io kept;
	bool again = false;
	int r;

	if (l->verify) {
		r = loop_verify_check(l, &slot->io);
		if (loop_unlikely(r < 0))
			return r;
	}
	loop_note_write(l, &slot->io);
	if (l->done) {
		r = l->done(l->w, &slot->io);
		if (loop_unlikely(r < 0))
			return loop_plugin_failed(l, "done", r);
		again = r == FST_DONE_AGAIN;
	}
	if (l->sync_due) {
		kept = slot->io;
		l->sync_due = 0;
		r = loop_sync_now(l, slot, l->sync_op, l->sync_file);
		slot->io = kept;
		if (loop_unlikely(r < 0))
			return r;
	}
	return again;
}

/*
 * full: with all that may lie between two I/Os; the start is then read anew. Without it the end of
 * one I/O is the start of the next.
 */
loop_inline int loop_one(struct loop *l, uint64_t now, const bool full)
{
	struct loop_slot *slot = &l->slots[0];
	struct fst_io *io = &slot->io;
	uint64_t start;
	int r;

	for (;;) {
		while (full && l->sched && !loop_sched_wait(l))
			if (loop_should_stop(l))
				return 0;
		if (full && l->stamp)
			buffers_stamp(l->stamp, io->buf, l->max_length);
		if (full)
			io->kind = 0;
		r = l->next(l->w, io);
		if (loop_unlikely(r != FST_NEXT_IO))
			return loop_one_no_io(l, r);
		if (full)
			slot->due_ns = l->sched ? sched_take(l->sched, io->length) : 0;
again:
		if (loop_io_odd(l, io, full)) {
			r = loop_check_io(l, io);
			if (r < 0)
				return r;
		}
		if (full && l->verify)
			loop_verify_fill(l, io);
		start = full ? io_clock_ns() : now;
		r = l->queue(l->e, io);
		if (loop_unlikely(r != 1)) {
			r = loop_wait_one(l, io, r);
			if (r < 0)
				return r;
		}
		now = io_clock_ns();
		if (loop_unlikely(io->result != (int64_t)io->length))
			return loop_io_failed(l, io);
		if (full && slot->due_ns) {
			slot->start_ns = start;
			start = loop_sched_count(l, slot, now);
		}
		loop_count(l, io, start, now, full);
		if (full) {
			r = loop_one_after(l, slot);
			if (loop_unlikely(r < 0))
				return r;
		}
		if (loop_should_stop(l))
			return 0;
		if (full && r == 1) {
			slot->due_ns = 0;
			goto again;
		}
	}
}

int loop_one_plain(struct loop *l, uint64_t start_ns)
{
	return loop_one(l, start_ns, false);
}

int loop_one_full(struct loop *l, uint64_t start_ns)
{
	return loop_one(l, start_ns, true);
}
