/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of how I/Os were begun: by a schedule, and how many at once. */
#include <math.h>

#include "core/io/loop.h"
#include "core/io/measure.h"
#include "core/util/clock.h"
#include "core/util/json.h"

/* Do latencies count from when an I/O should have begun? */
bool measure_scheduled(const struct io_step *s)
{
	return s->data && s->n && sched_has_rate(&s->worker[0].sched);
}

json_t *measure_schedule(const struct io_step *s, const struct measured *m)
{
	const struct io_params *p = s->wl->io;
	const double seconds = (double)m->window_ns / NSEC_PER_SEC;
	struct hist *service = hist_new(), *lag = hist_new();
	uint64_t missed = 0;
	json_t *o = js_object();

	for (uint32_t i = 0; i < s->n; i++) {
		if (!sched_has_rate(&s->worker[i].sched)) /* it never came to its loop */
			continue;
		hist_merge(service, s->worker[i].sched.service);
		hist_merge(lag, s->worker[i].sched.lag);
		missed += s->worker[i].sched.missed;
	}
	js_set(o, "process", js_str(p->rate_process == IO_RATE_POISSON ? "poisson" : "linear"));
	js_set(o, "unit", js_str(p->rate ? "bytes/s" : "ops/s"));
	js_set(o, "asked", js_real((double)(p->rate ? p->rate : p->rate_iops) * s->n));
	js_set(o, "achieved",
	       seconds > 0 ? js_real((double)(p->rate ? m->bytes : service->count) / seconds)
			   : json_null());
	js_set(o, "missed", js_u64(missed));
	js_set(o, "service_time", hist_json(service));
	js_set(o, "lag", hist_json(lag));
	free(service);
	free(lag);
	return o;
}

/* Mean I/Os in flight by Little's law: time spent in I/Os per time that a worker was at work. */
static double measure_depth(const struct io_step *s, const struct measured *m)
{
	double ns = m->kind_ns;

	for (uint32_t k = 0; m->hist && k < s->first_kind; k++)
		ns += m->hist[k].sum;
	return m->busy_ns && ns > 0 ? fmin(ns / (double)m->busy_ns, m->max_inflight) : NAN;
}

static json_t *measure_batch(const struct measured *m)
{
	static const char *const by[] = { [PACE_FULL] = "depth",
					  [PACE_TRYING] = "trying",
					  [PACE_SETTLED] = "measured",
					  [PACE_FIXED] = "job" };
	json_t *o;

	if (!m->batch)
		return json_null();
	o = js_object();
	js_set(o, "size", m->batch_by == PACE_TRYING ? json_null() : js_u64(m->batch));
	return js_set(o, "by", js_str(by[m->batch_by]));
}

json_t *measure_engine(const struct io_step *s, const struct measured *m)
{
	json_t *o = js_object();

	js_set(o, "name", js_str(s->wl->engine->name));
	js_set(o, "depth_asked", js_u64(s->wl->io->iodepth));
	js_set(o, "depth_max", m->max_inflight ? js_u64(m->max_inflight) : json_null());
	js_set(o, "depth_mean", js_real(measure_depth(s, m)));
	return js_set(o, "batch", measure_batch(m));
}
