/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker of a step: made ready in its own thread, timed, taken down. */
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>

#include "core/io/clock.h"
#include "core/io/cpus.h"
#include "core/io/loop.h"
#include "core/io/step.h"
#include "core/util/xalloc.h"

static int worker_open_engine(struct io_worker *w)
{
	struct io_step *s = w->step;
	struct workload *wl = s->wl;
	struct fst_engine *e = &w->engine;
	int r = buffers_init(&w->buffers, s->io.iodepth, s->io.buffer_size);

	if (r < 0)
		return fst_error(wl->ctx, -r, "buffers: %u of %llu bytes", s->io.iodepth,
				 (unsigned long long)s->io.buffer_size);
	if (s->has_files) {
		/* A stream of its own: what fst_random() gives does not depend on the buffers. */
		struct prng rng;

		prng_seed(&rng, ~wl->ctx->seed, w->w.index);
		buffers_fill(&w->buffers, wl->io, &rng);
	}
	e->worker = &w->w;
	e->cfg = wl->engine_cfg;
	e->state = worker_alloc(wl->engine->state_size);
	e->files = w->files;
	e->n_files = w->n_files;
	e->depth = s->io.iodepth;
	e->buffers = w->buffers.slab;
	e->buffer_size = w->buffers.size;
	r = s->ops.open ? s->ops.open(e) : 0;
	if (r < 0)
		return fst_error(wl->ctx, -r, "engine %s: open", wl->engine->name);
	w->engine_open = true;
	return 0;
}

/*
 * A table of open files of its own spares the kernel two atomic operations in each system call. It is the
 * same with it or without, so a refusal does not matter. Not under the thread sanitizer, which takes equal
 * numbers in two tables for the same file.
 */
static void worker_own_table(void)
{
	if (!UNDER_TSAN)
		(void)unshare(CLONE_FILES);
}

static int worker_get_ready(struct io_worker *w)
{
	const struct fstrial_plugin *d = w->step->wl->desc;
	struct err e = { 0 };
	int r = cpus_bind(w->step->wl->opt, w->w.index, &e);

	if (r < 0)
		return fst_error(w->w.ctx, e.code, "%s", e.text);
	r = d->worker_init ? d->worker_init(&w->w) : 0;
	if (r < 0)
		return fst_error(w->w.ctx, -r, "worker_init");
	w->inited = true;
	if (!w->step->data)
		return 0;
	r = worker_open_engine(w);
	if (r == 0 && w->step->has_files)
		worker_own_table();
	return r;
}

static void worker_take_down(struct io_worker *w)
{
	const struct io_step *s = w->step;

	if (w->engine_open && s->ops.close)
		s->ops.close(&w->engine);
	free(w->engine.state);
	w->engine.state = NULL;
	if (w->inited && s->wl->desc->worker_fini)
		s->wl->desc->worker_fini(&w->w);
	if (!w->leaked)
		buffers_release(&w->buffers);
}

static const char *worker_file_name(const struct loop *l, uint32_t file)
{
	const struct io_files *f = l->names;

	return file < f->file.n ? f->file.v[file].name : "file";
}

/* Is anything of this worker written in place or made anew? */
static bool worker_writes(const struct io_worker *w)
{
	const struct io_step *s = w->step;

	for (uint32_t i = 0; s->has_files && i < w->n_files; i++)
		if (w->files[i].fd >= 0 && s->files.file.v[i].mode != FST_FILE_READ)
			return true;
	return false;
}

static void worker_set_loop(struct io_worker *w, struct loop *l)
{
	const struct io_step *s = w->step;
	const struct io_params *p = s->wl->io;

	loop_init(l, &w->w, &w->engine, &s->ops, w->hist, w->parts);
	l->next = s->wl->desc->next;
	l->done = s->wl->desc->done;
	l->live = w->live;
	l->max_length = s->io.buffer_size;
	l->kind_hist = w->hist + s->first_kind;
	l->kind_bytes = w->bytes + s->first_kind;
	l->kind_inner = s->inner + s->first_kind;
	l->n_kinds = s->n_kinds - s->first_kind;
	loop_set_batches(l, p);
	if (sched_wanted(p)) {
		sched_init(&w->sched, p, s->wl->ctx->seed, w->w.index);
		l->sched = &w->sched;
		/* Sleeps end when they should, not up to 50 us later. */
		prctl(PR_SET_TIMERSLACK, 1UL);
	}
	l->file_name = worker_file_name;
	l->names = &s->files;
	l->engine_name = s->wl->engine->name;
	if (!s->has_files) { /* any file will do: none is touched */
		l->n_files = UINT32_MAX;
		return;
	}
	if (worker_writes(w) && buffers_stamped(p))
		l->stamp = &w->buffers;
	if (p->verify != IO_VERIFY_NONE)
		l->verify = &w->step->verify;
	l->sync_every = p->fdatasync ? p->fdatasync : p->fsync;
	l->sync_op = p->fdatasync ? FST_IO_FDATASYNC : FST_IO_FSYNC;
	if (p->end_fsync)
		l->written = xcalloc(MAX(w->n_files, 1u), 1);
}

static void worker_take_ops(struct io_worker *w, const struct loop *l)
{
	w->kind_ns = l->kind_ns;
	for (uint32_t op = 0; op < LOOP_OPS; op++) {
		const uint32_t k = MIN(op, (uint32_t)LOOP_SYNC);

		w->op_count[k] += l->kind_ops[op];
		w->op_bytes[k] += l->kind_op_bytes[op];
	}
	for (uint32_t k = 0; k < LOOP_KINDS; k++) {
		w->op_count[k] += w->hist[k].count;
		w->op_bytes[k] += w->bytes[k];
	}
}

static int worker_run_loop(struct io_worker *w, uint64_t start_ns, struct loop *l)
{
	struct io_step *s = w->step;
	int r;

	l->ramp_end_ns = w->ramp_end_ns;
	l->deadline_ns = s->deadline_ns;
	r = loop_run(l, start_ns);
	if (r == 0 && s->wl->io->end_fsync && l->written && !step_get(s->interrupted) &&
	    !step_get(s->failed)) {
		r = loop_sync_written(l);
		w->synced = r == 0;
	}
	memcpy(w->bytes, l->bytes, LOOP_SYNC * sizeof(*w->bytes));
	w->end_ns = l->end_ns;
	worker_take_ops(w, l);
	w->max_inflight = l->max_inflight;
	w->batch = l->depth > 1 ? l->pace.limit : 0;
	w->batch_by = l->pace.state;
	w->leaked = l->leaked;
	return r;
}

static int worker_run_plugin(struct io_worker *w)
{
	int r = w->step->wl->desc->run(&w->w);

	if (r < 0)
		return fst_error(w->w.ctx, -r, "run");
	/* All that run does is timed, also what follows its last operation. */
	w->end_ns = io_clock_ns();
	return 0;
}

static void worker_fail(struct io_worker *w, int r)
{
	w->ret = r;
	step_set(w->step->failed, 1);
	step_set(w->step->stop, 1);
}

static void worker_time(struct io_worker *w, struct loop *l)
{
	struct io_step *s = w->step;
	int r;

	if (s->start_ns && !step_get(s->failed)) {
		w->ramp_end_ns = s->ramp_ns ? s->start_ns : 0;
		w->w.counts_from_ns = w->ramp_end_ns;
		r = s->data ? worker_run_loop(w, io_clock_ns(), l) : worker_run_plugin(w);
		if (r < 0)
			worker_fail(w, r);
	}
	if (__atomic_sub_fetch(&s->running, 1, __ATOMIC_ACQ_REL) == 0)
		getrusage(RUSAGE_SELF, &s->after);
}

void *worker_main(void *arg)
{
	struct io_worker *w = arg;
	struct loop l = { .depth = 0 };
	int r = worker_get_ready(w);

	if (r < 0)
		worker_fail(w, r);
	else if (w->step->data)
		worker_set_loop(w, &l);
	gate_arrive(&w->step->gate);
	worker_time(w, &l);
	worker_take_down(w);
	loop_release(&l);
	return NULL;
}
