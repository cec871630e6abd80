/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop's beginning and end, and all of it that is rare. */
#include "core/io/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "core/io/fault.h"
#include "core/io/loop_private.h"
#include "core/util/xalloc.h"

const char *const loop_kind_names[LOOP_KINDS] = { "read", "write", "trim", "sync" };
static const char *const loop_op_names[LOOP_OPS] = { "read", "write", "trim", "fsync",
						     "fdatasync" };

void loop_init(struct loop *l, struct fst_worker *w, struct fst_engine *e,
	       const struct fst_engine_ops *ops, struct hist *hist, struct hist *parts)
{
	memset(l, 0, sizeof(*l));
	l->w = w;
	l->e = e;
	l->queue = ops->queue;
	l->submit = ops->submit;
	l->reap = ops->reap;
	l->max_length = e->buffer_size;
	l->n_files = e->n_files;
	l->depth = e->depth;
	l->mapped = ops->flags & FST_ENGINE_MAPPED;
	loop_set_batches(l, &(struct io_params){ 0 });
	for (uint32_t i = 0; i < LOOP_OPS; i++) {
		const uint32_t k = i < LOOP_SYNC ? i : LOOP_SYNC;

		l->hist[i] = &hist[k];
		for (uint32_t p = 0; p < LOOP_PARTS && l->depth > 1; p++)
			l->part[i][p] = &parts[k * LOOP_PARTS + p];
	}
	l->slots = xcalloc(l->depth, sizeof(*l->slots));
	l->unused = xcalloc(l->depth, sizeof(*l->unused));
	l->held = xcalloc(l->depth, sizeof(*l->held));
	l->fresh = xcalloc(l->depth, sizeof(*l->fresh));
	l->reaped = xcalloc(l->depth, sizeof(*l->reaped));
	for (uint32_t i = l->depth; i-- > 0;) {
		l->slots[i].io.buf = e->buffers ? (char *)e->buffers + i * e->buffer_size : NULL;
		l->unused[l->n_unused++] = &l->slots[i];
	}
}

static uint32_t loop_batch(const struct loop *l, uint64_t asked, uint32_t otherwise)
{
	return asked ? (uint32_t)MIN(asked, (uint64_t)l->depth) : otherwise;
}

void loop_set_batches(struct loop *l, const struct io_params *p)
{
	l->reap_min = loop_batch(l, p->iodepth_batch_complete_min, 1);
	l->reap_max = loop_batch(l, p->iodepth_batch_complete_max, l->depth);
	l->low = loop_batch(l, p->iodepth_low, l->depth);
	pace_init(&l->pace, l->depth, loop_batch(l, p->iodepth_batch, 0));
}

/*
 * The kernel may still write into what is in flight: kept for good, and chained so that it is not
 * lost.
 */
static void loop_keep(struct loop *l)
{
	static struct loop_slot *kept;

	l->slots[0].io.tag = (uintptr_t)__atomic_exchange_n(&kept, l->slots, __ATOMIC_ACQ_REL);
}

void loop_release(struct loop *l)
{
	if (l->leaked)
		loop_keep(l);
	else
		free(l->slots);
	free(l->unused);
	free(l->held);
	free(l->fresh);
	free(l->reaped);
	free(l->written);
	l->slots = NULL;
	l->unused = l->held = l->fresh = NULL;
	l->reaped = NULL;
	l->written = NULL;
}

static void loop_reset_counts(struct loop *l)
{
	for (uint32_t i = 0; i <= LOOP_SYNC; i++) {
		if (!l->hist[i]->count)
			continue;
		hist_reset(l->hist[i]);
		for (uint32_t p = 0; p < LOOP_PARTS && l->depth > 1; p++)
			hist_reset(l->part[i][p]);
	}
	memset(l->bytes, 0, sizeof(l->bytes));
	if (l->sched)
		sched_reset(l->sched);
}

void loop_alarm(struct loop *l, uint64_t now)
{
	if (!l->measure) {
		loop_reset_counts(l);
		l->measure = true;
		l->alarm_ns = l->deadline_ns ? l->deadline_ns : UINT64_MAX;
	}
	if (now >= l->alarm_ns) {
		l->stopping = true;
		l->alarm_ns = UINT64_MAX;
	}
}

void loop_count_kind(struct loop *l, const struct fst_io *io, uint64_t latency_ns)
{
	const uint32_t k = io->kind - 1u;

	if (!l->kind_inner[k]) {
		live_set(l->live->ops, l->live->ops + 1);
		live_set(l->live->bytes, l->live->bytes + io->length);
	}
	if (!l->measure)
		return;
	hist_add(&l->kind_hist[k], latency_ns);
	l->kind_bytes[k] += io->length;
	l->kind_ns += (double)latency_ns;
	l->kind_ops[io->op]++;
	l->kind_op_bytes[io->op] += io->length;
}

static int loop_fault(struct loop *l, const struct fst_io *io);

static int loop_go(struct loop *l, uint64_t start_ns)
{
	bool full = l->done || l->stamp || l->sync_every || l->written || l->n_kinds || l->sched ||
		    l->verify;

	if (l->depth > 1)
		return full ? loop_many_full(l, start_ns) : loop_many_plain(l, start_ns);
	l->max_inflight = 1;
	return full ? loop_one_full(l, start_ns) : loop_one_plain(l, start_ns);
}

/* Costs nothing for each I/O. All that is counted is in memory when the engine is called. */
static int loop_go_mapped(struct loop *l, uint64_t start_ns)
{
	struct fault f;
	int r;

	if (sigsetjmp(f.env, 1))
		return loop_fault(l, &l->slots[0].io);
	fault_catch(&f);
	r = loop_go(l, start_ns);
	fault_catch(NULL);
	return r;
}

/* A pause that the stop ended was of the rate, or the thinktime, too: else few I/Os seem to be more than were due. */
static void loop_end_pause(struct loop *l, uint64_t start_ns)
{
	const uint64_t now = io_clock_ns(), begin = MAX(start_ns, l->ramp_end_ns);
	const uint64_t stop = l->deadline_ns && now > l->deadline_ns ? l->deadline_ns : now;

	if (loop_should_stop(l) && l->end_ns > begin && stop > l->end_ns)
		l->end_ns = stop;
}

int loop_run(struct loop *l, uint64_t start_ns)
{
	int r;

	l->measure = !l->ramp_end_ns;
	l->alarm_ns = l->ramp_end_ns   ? l->ramp_end_ns
		      : l->deadline_ns ? l->deadline_ns
				       : UINT64_MAX;
	l->until_sync = l->sync_every;
	l->end_ns = start_ns;
	if (l->sched)
		sched_begin(l->sched, start_ns);
	r = l->mapped ? loop_go_mapped(l, start_ns) : loop_go(l, start_ns);
	if (l->sched && !l->ended) {
		sched_end(l->sched, l->end_ns);
		if (r == 0)
			loop_end_pause(l, start_ns);
	}
	if (!l->measure) /* over before the ramp was: nothing of it counts */
		loop_reset_counts(l);
	return r;
}

int loop_sync_written(struct loop *l)
{
	int r;

	for (uint32_t i = 0; i < l->n_files; i++) {
		if (!l->written[i])
			continue;
		r = loop_sync_now(l, &l->slots[0], FST_IO_FSYNC, i);
		if (r < 0)
			return r;
	}
	return 0;
}

static const char *loop_file(const struct loop *l, const struct fst_io *io)
{
	return l->file_name ? l->file_name(l, io->file) : "file";
}

int loop_check_io(struct loop *l, const struct fst_io *io)
{
	if (io->op >= LOOP_OPS)
		return fst_error(l->w->ctx, EINVAL,
				 "the workload asked for operation %u, which is not known", io->op);
	if (io->file >= l->n_files)
		return fst_error(l->w->ctx, EINVAL, "the workload asked for file %u of %u",
				 io->file, l->n_files);
	if (io->kind > l->n_kinds)
		return fst_error(l->w->ctx, EINVAL, "the workload asked for kind %u of %u",
				 io->kind, l->n_kinds);
	if (io->op > FST_IO_TRIM && io->length == 0)
		return 0;
	if (io->op > FST_IO_TRIM || io->length == 0 || io->length > l->max_length)
		return fst_error(l->w->ctx, EINVAL,
				 "the workload asked to %s %llu bytes, with buffers of %llu",
				 loop_op_names[io->op], (unsigned long long)io->length,
				 (unsigned long long)l->max_length);
	return 0;
}

/* Why was not all written? The next write would tell, but that is not ours to do. */
static int loop_short_write_code(const struct loop *l, const struct fst_io *io)
{
	struct statvfs v;
	int fd = io->file < l->e->n_files ? l->e->files[io->file].fd : -1;

	if (fd >= 0 && fstatvfs(fd, &v) == 0 && (uint64_t)v.f_bavail * v.f_frsize < io->length)
		return ENOSPC;
	return EIO;
}

int loop_io_failed(struct loop *l, const struct fst_io *io)
{
	struct fst_ctx *ctx = l->w->ctx;
	const char *op = io->op < LOOP_OPS ? loop_op_names[io->op] : "?", *file = loop_file(l, io);
	unsigned long long offset = io->offset, length = io->length;

	if (io->result < 0 && io->op > FST_IO_TRIM)
		return fst_error(ctx, (int)-io->result, "%s %s", op, file);
	if (io->result < 0)
		return fst_error(ctx, (int)-io->result, "%s %s at offset %llu, %llu bytes", op,
				 file, offset, length);
	if (io->op == FST_IO_READ)
		return fst_error(ctx, EIO,
				 "read %s at offset %llu, %llu bytes: got %lld; the file is "
				 "shorter than %llu bytes: "
				 "truncated meanwhile?",
				 file, offset, length, (long long)io->result, offset + length);
	return fst_error(ctx, io->op == FST_IO_WRITE ? loop_short_write_code(l, io) : EIO,
			 "short %s: %s at offset %llu, %lld of %llu bytes", op, file, offset,
			 (long long)io->result, length);
}

/* The kernel had no page for what a mapping should have at the place of this I/O. */
static int loop_fault(struct loop *l, const struct fst_io *io)
{
	const char *op = loop_op_names[io->op], *file = loop_file(l, io);
	unsigned long long offset = io->offset, length = io->length;
	struct stat st;
	int code;

	if (fstat(l->e->files[io->file].fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size < offset + length)
		return fst_error(l->w->ctx, EIO,
				 "%s %s at offset %llu, %llu bytes: SIGBUS, the file was truncated "
				 "under the mapping, to %llu bytes",
				 op, file, offset, length, (unsigned long long)st.st_size);
	code = io->op == FST_IO_WRITE ? loop_short_write_code(l, io) : EIO;
	return fst_error(
		l->w->ctx, code,
		"%s %s at offset %llu, %llu bytes: SIGBUS, the mapping's page could not be %s", op,
		file, offset, length, code == EIO ? "read" : "allocated");
}

void loop_verify_fill(struct loop *l, const struct fst_io *io)
{
	if (io->op == FST_IO_WRITE)
		verify_fill(l->verify, io->file, io->offset, io->buf, io->length);
	else if (io->op == FST_IO_TRIM)
		verify_forget(l->verify, io->file, io->offset, io->length);
}

int loop_verify_check(struct loop *l, const struct fst_io *io)
{
	struct err e = { 0 };

	if (io->op != FST_IO_READ ||
	    verify_check(l->verify, io->file, io->offset, io->buf, io->length, &e) == 0)
		return 0;
	return fst_error(l->w->ctx, e.code, "%s", e.text);
}

int loop_engine_failed(struct loop *l, const char *call, int r)
{
	return fst_error(l->w->ctx, -r, "engine %s: %s", l->engine_name ? l->engine_name : "?",
			 call);
}

int loop_plugin_failed(struct loop *l, const char *call, int r)
{
	/* A reason that the plugin gave came first and stays; without one the callback is named. */
	return fst_error(l->w->ctx, r < 0 ? -r : EINVAL, "workload: %s", call);
}
