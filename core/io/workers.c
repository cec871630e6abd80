/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The workers of a step: made ready each in its own thread, released together, timed, taken down.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "core/io/clock.h"
#include "core/io/cpus.h"
#include "core/io/fault.h"
#include "core/io/loop.h"
#include "core/io/step.h"
#include "core/plugin/registry.h"
#include "core/util/xalloc.h"

/* 4096 workers must fit; plugins keep their data in worker_size bytes, not on the stack. */
enum { WORKER_STACK = 1 << 20, WORKER_LINE = 64 };

const char *step_kind_name(const struct io_step *s, uint32_t kind)
{
	struct fst_op_kind op;

	if (kind < s->first_kind)
		return loop_kind_names[kind];
	plugin_op(s->wl->desc, kind - s->first_kind, &op);
	return op.name;
}

/* On cache lines of their own. */
static void *worker_alloc(size_t size)
{
	size_t whole = (MAX(size, (size_t)1) + WORKER_LINE - 1) / WORKER_LINE * WORKER_LINE;
	void *p = aligned_alloc(WORKER_LINE, whole);

	if (!p)
		abort();
	return memset(p, 0, whole);
}

/* Straight from the kernel: pages of kinds of operation that do not happen are never there. */
static struct hist *worker_hists(uint32_t n)
{
	struct hist *h = mmap(NULL, n * sizeof(*h), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (h == MAP_FAILED)
		abort();
	for (uint32_t i = 0; i < n; i++)
		h[i].min = UINT64_MAX;
	return h;
}

void workers_make(struct io_step *s)
{
	struct workload *wl = s->wl;

	s->worker = worker_alloc(s->n * sizeof(*s->worker));
	for (uint32_t i = 0; i < s->n; i++) {
		struct io_worker *w = &s->worker[i];

		w->step = s;
		w->live = &wl->live->w[i];
		w->hist = worker_hists(MAX(s->n_kinds, 1u));
		if (s->data && s->io.iodepth > 1)
			w->parts = worker_hists(LOOP_KINDS * LOOP_PARTS);
		w->bytes = worker_alloc(MAX(s->n_kinds, 1u) * sizeof(*w->bytes));
		prng_seed(&w->rng, wl->ctx->seed, i);
		if (s->data)
			random_init(&w->random, &wl->io->random, s->io.norandommap, wl->ctx->seed,
				    i);
		w->w.ctx = wl->ctx;
		w->w.state = worker_alloc(wl->desc->worker_size);
		w->w.stop = &s->stop;
		w->w.index = i;
		w->w.core = w;
	}
}

void workers_free(struct io_step *s)
{
	for (uint32_t i = 0; s->worker && i < s->n; i++) {
		struct io_worker *w = &s->worker[i];

		munmap(w->hist, MAX(s->n_kinds, 1u) * sizeof(*w->hist));
		if (w->parts)
			munmap(w->parts, LOOP_KINDS * LOOP_PARTS * sizeof(*w->parts));
		free(w->bytes);
		sched_release(&w->sched);
		free(w->metric);
		free(w->w.state);
		files_close(&w->files, &w->n_files);
	}
	free(s->worker);
	s->worker = NULL;
}

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
	/*
	 * A table of open files of its own spares the kernel two atomic operations in each system
	 * call. It is the same with it or without, so a refusal does not matter.
	 */
	if (r == 0 && w->step->has_files)
		(void)unshare(CLONE_FILES);
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

static void *worker_main(void *arg)
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

/* By the last worker, before all are released. */
static void workers_begin(void *arg)
{
	struct io_step *s = arg;
	const struct step_options *o = s->wl->opt;
	struct live *live = s->wl->live;
	uint64_t now;

	/* One that cannot run keeps nobody waiting, and goes on to its end. */
	if (!step_get(s->failed) && !live_gate_pass(live)) {
		step_set(s->interrupted, 1);
		return;
	}
	getrusage(RUSAGE_SELF, &s->before);
	live_set(live->phase, o->ramp_time_ns ? LIVE_RAMP : LIVE_RUN);
	now = io_clock_ns();
	s->ramp_ns = o->ramp_time_ns;
	s->start_ns = now + o->ramp_time_ns;
	s->deadline_ns = o->runtime_ns ? s->start_ns + o->runtime_ns : 0;
	live_set(live->run_started_ns, now);
	live_set(live->run_ends_ns, s->deadline_ns);
}

static int workers_create(struct io_step *s, uint32_t *made)
{
	pthread_attr_t attr;
	int code = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WORKER_STACK);
	for (*made = 0; *made < s->n && !code; *made += !code)
		code = pthread_create(&s->worker[*made].thread, &attr, worker_main,
				      &s->worker[*made]);
	pthread_attr_destroy(&attr);
	return -code;
}

/*
 * What is sent to the process is the main thread's; a fault is the thread's own and must show as
 * such.
 */
static void workers_signals(sigset_t *set)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

	sigfillset(set);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(set, faults[i]);
}

int workers_run(struct io_step *s)
{
	struct sigaction bus;
	sigset_t all, old;
	uint32_t made;
	int r;

	s->gate = (struct gate){ .expected = s->n, .opening = workers_begin, .arg = s };
	s->running = s->n;
	workers_signals(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = series_start(s);
	if (r < 0) {
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		return r;
	}
	fault_watch(&bus);
	r = workers_create(s, &made);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r < 0) {
		step_set(s->failed, 1);
		gate_force(&s->gate);
		fst_error(s->wl->ctx, -r, "thread %u of %u", made + 1, s->n);
	}
	for (uint32_t i = 0; i < made; i++)
		pthread_join(s->worker[i].thread, NULL);
	fault_unwatch(&bus);
	series_stop(s);
	for (uint32_t i = 0; i < s->n && r == 0; i++)
		r = s->worker[i].ret;
	if (r == 0 && step_get(s->interrupted))
		r = fst_error(s->wl->ctx, ECANCELED, "interrupted");
	return r;
}
