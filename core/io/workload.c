/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One workload step from prepare to cleanup, and the host functions that belong to it. */
#include "core/io/workload.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/io/clock.h"
#include "core/io/conditions.h"
#include "core/io/loop.h"
#include "core/io/measure.h"
#include "core/io/step.h"
#include "core/plugin/element.h"
#include "core/plugin/registry.h"
#include "core/util/xalloc.h"

static struct workload *(*host_workload_of)(struct fst_ctx *ctx);

/* The step that a plugin's call belongs to, or NULL when there is none. */
static struct io_step *host_step(struct fst_ctx *ctx)
{
	struct workload *wl = host_workload_of ? host_workload_of(ctx) : NULL;

	return wl ? wl->priv : NULL;
}

static int host_metric(struct fst_ctx *ctx, const char *name, double value)
{
	struct io_step *s = host_step(ctx);

	return s ? metrics_set(s, name, value)
		 : fst_error(ctx, EPERM, "fst_set_metric(\"%s\") outside of a workload", name);
}

static int host_worker_metric(struct fst_worker *w, const char *name, double value)
{
	return metrics_set_worker(w->core, name, value);
}

static int host_files(struct fst_ctx *ctx, uint32_t mode)
{
	struct io_step *s = host_step(ctx);

	if (!s || !s->data)
		return fst_error(ctx, EPERM, "fst_files() outside of a data workload");
	return files_add_set(&s->files, s->wl->io, s->n, mode, s->wl->err);
}

static int host_file_add(struct fst_ctx *ctx, const struct fst_file *file, uint32_t *number)
{
	struct io_step *s = host_step(ctx);

	if (!s || !s->data)
		return fst_error(ctx, EPERM, "fst_file_add() outside of a data workload");
	return files_add(&s->files, file, s->n, number, s->wl->err);
}

static uint64_t host_now(void)
{
	return io_clock_ns();
}

static uint64_t host_op(struct fst_worker *fw, uint32_t op, uint64_t start_ns, uint64_t bytes)
{
	struct io_worker *w = fw->core;
	uint64_t now = io_clock_ns();

	const struct io_step *s = w->step;

	if (op >= s->n_kinds - s->first_kind) {
		fst_error(fw->ctx, EINVAL, "fst_op(): operation %u of %u", op,
			  s->n_kinds - s->first_kind);
		step_set(w->step->failed, 1);
		step_set(w->step->stop, 1);
		w->ret = -EINVAL;
		return now;
	}
	w->end_ns = now;
	op += s->first_kind;
	if (!s->inner[op]) {
		live_set(w->live->ops, w->live->ops + 1);
		live_set(w->live->bytes, w->live->bytes + bytes);
	}
	if (now < w->ramp_end_ns)
		return now;
	hist_add(&w->hist[op], now - start_ns);
	w->bytes[op] += bytes;
	return now;
}

static uint64_t host_random(struct fst_worker *fw)
{
	struct io_worker *w = fw->core;

	return prng_next(&w->rng);
}

static uint64_t host_random_block(struct fst_worker *fw, uint64_t n)
{
	struct io_worker *w = fw->core;

	return random_block(&w->random, n);
}

void host_io_fill(struct fst_host *table, struct workload *(*workload_of)(struct fst_ctx *ctx))
{
	host_workload_of = workload_of;
	table->metric = host_metric;
	table->worker_metric = host_worker_metric;
	table->files = host_files;
	table->file_add = host_file_add;
	table->now = host_now;
	table->op = host_op;
	table->random = host_random;
	table->random_block = host_random_block;
}

/* All there is of the device, where no size is given. */
static int step_take_device(struct io_step *s)
{
	struct workload *wl = s->wl;
	int r = device_range(wl->io, s->n, wl->device->size, wl->device->path, &s->params.size,
			     wl->err);

	wl->io = &s->params;
	return r;
}

static int step_open_place(struct io_step *s)
{
	struct workload *wl = s->wl;
	int r;

	if (!wl->device && s->has_files && !wl->ctx->dir)
		return err_set(wl->err, ENOENT, "there is no directory to work in");
	r = files_init(&s->files, s->has_files && !wl->device ? wl->ctx->dir : NULL, wl->io,
		       wl->err);
	return r || !wl->device ? r : device_init(&s->files, wl->device, s->has_files, wl->err);
}

static int step_init_engine(struct io_step *s)
{
	struct workload *wl = s->wl;

	if (!wl->io || !wl->engine || !wl->engine->engine)
		return err_set(wl->err, EINVAL, "%s moves data and has no engine", wl->desc->name);
	element_engine(wl->engine->engine, &s->ops);
	s->has_files = !(s->ops.flags & FST_ENGINE_NO_FILES);
	s->params = *wl->io;
	if (wl->device && step_take_device(s) < 0)
		return -wl->err->code;
	s->io = io_options_of(wl->io, wl->opt);
	if (!wl->io->iodepth || wl->io->iodepth > UINT32_MAX || !s->io.bs)
		return err_set(wl->err, EINVAL, "iodepth and bs must be at least 1");
	if (wl->io->iodepth > 1 && (s->ops.flags & FST_ENGINE_SYNC))
		return err_set(wl->err, EINVAL, "iodepth = %u: engine %s does one I/O at a time",
			       s->io.iodepth, wl->engine->name);
	if (s->ops.max_depth && s->io.iodepth > s->ops.max_depth)
		return err_set(wl->err, EINVAL, "iodepth = %u: engine %s takes at most %u",
			       s->io.iodepth, wl->engine->name, s->ops.max_depth);
	return step_open_place(s);
}

/* The core's own kinds of operation of a data workload, then the plugin's. */
static void step_init_kinds(struct io_step *s)
{
	const struct fstrial_plugin *d = s->wl->desc;

	s->first_kind = s->data ? LOOP_KINDS : 0;
	s->n_kinds = s->first_kind + d->n_ops;
	s->inner = xcalloc(s->n_kinds + 1, sizeof(*s->inner));
	for (uint32_t i = 0; i < d->n_ops; i++) {
		struct fst_op_kind op;

		plugin_op(d, i, &op);
		s->inner[s->first_kind + i] = op.flags & FST_OP_INNER;
	}
}

static int step_init(struct io_step *s, struct workload *wl)
{
	memset(s, 0, sizeof(*s));
	s->wl = wl;
	s->files.dirfd = s->files.hold_fd = -1;
	s->resident = NAN;
	s->data = wl->desc->next != NULL;
	s->n = MAX(wl->ctx->nworkers, 1u);
	step_init_kinds(s);
	s->metrics = plugin_metrics(wl->desc, wl->declared, wl->n_declared, &s->n_metrics);
	s->metric = xcalloc(MAX(s->n_metrics, 1u), sizeof(*s->metric));
	for (uint32_t i = 0; i < s->n_metrics; i++)
		s->metric[i] = NAN;
	if (s->n > wl->live->n_workers)
		return err_set(wl->err, EINVAL, "%u workers, progress memory for %u", s->n,
			       wl->live->n_workers);
	if (!s->data && !wl->desc->run)
		return err_set(wl->err, EINVAL, "%s has neither run nor next", wl->desc->name);
	return s->data ? step_init_engine(s) : 0;
}

static void step_release(struct io_step *s)
{
	workers_free(s);
	verify_release(&s->verify);
	files_release(&s->files);
	series_release(&s->series);
	free(s->metric);
	free(s->metrics);
	free(s->inner);
}

static void step_warn(void *record, const char *text)
{
	measure_warn(record, text);
}

/* Files are there and open; their state is known. */
static int step_make_files(struct io_step *s, json_t *record)
{
	struct workload *wl = s->wl;
	struct layout l = {
		.live = wl->live, .seed = wl->ctx->seed, .warn = step_warn, .arg = record
	};
	int r;

	/* With a runtime it may never get so far. */
	for (size_t i = 0; i < s->files.file.n && !wl->opt->runtime_ns; i++)
		if (s->files.file.v[i].mode == FST_FILE_CREATE)
			l.to_write += s->files.file.v[i].size;
	if (wl->io->verify != IO_VERIFY_NONE) {
		verify_init(&s->verify, &s->files, wl->io, wl->ctx->seed);
		l.verify = &s->verify;
	}
	r = files_lay_out(&s->files, &l, wl->err);
	if (r == 0)
		r = files_raise_limit(&s->files, s->n, wl->err);
	for (uint32_t i = 0; i < s->n && r == 0; i++)
		r = files_open(&s->files, i, &s->worker[i].files, &s->worker[i].n_files, wl->err);
	if (r == 0)
		s->resident = conditions_resident(&s->files);
	live_set(wl->live->w[0].bytes, 0);
	return r;
}

static int step_callback(struct io_step *s, int (*fn)(struct fst_ctx *), const char *name)
{
	int r = fn ? fn(s->wl->ctx) : 0;

	if (r < 0)
		err_set(s->wl->err, -r, "%s: %s", s->wl->desc->name, name);
	return MIN(r, 0);
}

static int step_prepare(struct io_step *s, json_t *record)
{
	struct workload *wl = s->wl;
	int r;

	for (uint32_t i = 0; i < s->n; i++) {
		live_set(wl->live->w[i].ops, 0);
		live_set(wl->live->w[i].bytes, 0);
	}
	live_set(wl->live->phase, LIVE_PREPARE);
	r = step_callback(s, wl->desc->prepare, "prepare");
	if (r == 0 && s->data && !s->files.file.n)
		r = err_set(wl->err, EINVAL, "%s: prepare named no file", wl->desc->name);
	if (r == 0 && s->has_files)
		r = step_make_files(s, record);
	if (r == 0 && live_get(wl->live->stop))
		r = err_set(wl->err, ECANCELED, "interrupted");
	return r;
}

/* What the workload wrote, once more from the device. */
static int step_verify_pass(struct io_step *s)
{
	const struct io_params *p = s->wl->io;

	if (!s->has_files || p->verify == IO_VERIFY_NONE || !p->do_verify)
		return 0;
	return verify_pass(&s->verify, &s->interrupted, &s->verified, s->wl->err);
}

static int step_run(struct io_step *s, struct measured *m)
{
	uint64_t expected = 0;
	int r;

	/* Known where each loop has an end, and time does not cut it short. */
	if (s->data && !s->wl->opt->runtime_ns)
		expected = s->io.size * s->n * MAX(s->io.loops, (uint64_t)1);
	live_set(s->wl->live->expected_bytes, expected);
	r = workers_run(s);
	if (r < 0)
		err_set(s->wl->err, -r, "%s", s->wl->desc->name);
	for (uint32_t i = 0; i < s->n && r == 0; i++)
		r = files_still_there(&s->files, s->worker[i].files, s->worker[i].n_files,
				      s->wl->err);
	measure_take(s, r, m);
	return r;
}

int workload_execute(struct workload *wl, json_t *record)
{
	const struct fst_io_options *io = wl->ctx->io;
	const struct io_params *params = wl->io;
	struct measured m = { .partial = true };
	struct io_step s;
	int r = step_init(&s, wl), r2;

	io_clock_start();
	if (r == 0) {
		wl->priv = &s;
		if (s.data)
			wl->ctx->io = &s.io;
		workers_make(&s);
		r = step_prepare(&s, record);
		if (r == 0)
			r = step_run(&s, &m);
		if (r == 0)
			live_end(wl->live);
		live_set(wl->live->phase, LIVE_VERIFY);
		if (r == 0)
			r = step_verify_pass(&s);
		if (r == 0)
			r = step_callback(&s, wl->desc->verify, "verify");
		live_set(wl->live->phase, LIVE_CLEANUP);
		r2 = step_callback(&s, wl->desc->cleanup, "cleanup");
		r = r ? r : r2;
		measure_record(&s, &m, record);
		live_set(wl->live->phase, LIVE_END);
		wl->ctx->io = io;
		wl->priv = NULL;
	}
	measure_release(&m);
	step_release(&s);
	wl->io = params;
	return r;
}
