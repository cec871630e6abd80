/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers of a step: their memory, their threads, and that all begin at once. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "core/io/clock.h"
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

void *worker_alloc(size_t size)
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
