/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics that a workload declares. */
#include "core/io/metrics.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/plugin/registry.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

static int metrics_find(const struct io_step *s, const char *name, uint32_t *i)
{
	for (*i = 0; *i < s->n_metrics; ++*i) {
		if (str_eq(s->metrics[*i].name, name))
			return 0;
	}
	return fst_error(s->wl->ctx, EINVAL, "metric %s is not declared by plugin %s", name,
			 s->wl->desc->name);
}

int metrics_set(struct io_step *s, const char *name, double value)
{
	uint32_t i;
	int r = metrics_find(s, name, &i);

	if (r == 0)
		s->metric[i] = value;
	return r;
}

int metrics_set_worker(struct io_worker *w, const char *name, double value)
{
	const uint32_t n = w->step->n_metrics;
	uint32_t i;
	int r = metrics_find(w->step, name, &i);

	if (r < 0)
		return r;
	if (!w->metric) {
		w->metric = xcalloc(n, sizeof(*w->metric));
		for (uint32_t k = 0; k < n; k++)
			w->metric[k] = NAN;
	}
	w->metric[i] = value;
	return 0;
}

/* What the workers gave, made one; NaN when none did. */
static double metrics_of_workers(const struct io_step *s, uint32_t i, uint32_t agg)
{
	double sum = 0, max = NAN, min = NAN;
	uint32_t n = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		double v = s->worker && s->worker[k].metric ? s->worker[k].metric[i] : NAN;

		if (isnan(v))
			continue;
		sum += v;
		max = fmax(max, v);
		min = fmin(min, v);
		n++;
	}
	if (!n)
		return NAN;
	switch (agg) {
	case FST_MEAN:
		return sum / n;
	case FST_MAX:
		return max;
	case FST_MIN:
		return min;
	default:
		return sum;
	}
}

static double metrics_rate(double n, uint64_t window_ns)
{
	return window_ns ? n * (double)NSEC_PER_SEC / (double)window_ns : NAN;
}

static const struct {
	const char *name;
	double q;
} metrics_quantiles[] = {
	{ "p50", 0.5 }, { "p90", 0.9 }, { "p95", 0.95 }, { "p99", 0.99 }, { "p999", 0.999 },
};

/* The part of a name behind "KIND_". */
static double metrics_of_kind(const struct measured *m, uint32_t kind, const char *what)
{
	const struct hist *h = &m->hist[kind];

	if (!h->count)
		return NAN;
	if (str_eq(what, "rate"))
		return metrics_rate((double)h->count, m->window_ns);
	if (str_eq(what, "throughput"))
		return metrics_rate((double)m->kind_bytes[kind], m->window_ns);
	if (str_eq(what, "mean"))
		return h->sum / (double)h->count;
	if (str_eq(what, "max"))
		return (double)h->max;
	for (size_t i = 0; i < ARRAY_SIZE(metrics_quantiles); i++)
		if (str_eq(what, metrics_quantiles[i].name))
			return hist_quantile(h, metrics_quantiles[i].q);
	return NAN;
}

static double metrics_made(const struct io_step *s, const struct measured *m, const char *name)
{
	if (!m->hist || !m->ops)
		return NAN;
	if (str_eq(name, "throughput"))
		return metrics_rate((double)m->bytes, m->window_ns);
	if (str_eq(name, "iops"))
		return metrics_rate((double)m->ops, m->window_ns);
	for (uint32_t k = 0; k < s->n_kinds; k++) {
		const char *kind = step_kind_name(s, k);
		size_t len = strlen(kind);

		if (str_starts(name, kind) && name[len] == '_') {
			double v = metrics_of_kind(m, k, name + len + 1);

			if (!isnan(v))
				return v;
		}
	}
	return NAN;
}

json_t *metrics_json(const struct io_step *s, const struct measured *m)
{
	static const char *const better[] = { "neutral", "higher", "lower" };
	json_t *all = js_object();

	for (uint32_t i = 0; i < s->n_metrics; i++) {
		const struct fst_metric metric = s->metrics[i];
		json_t *o = js_object();
		double v = s->metric[i];

		if (isnan(v))
			v = metrics_of_workers(s, i, metric.agg);
		if (isnan(v))
			v = metrics_made(s, m, metric.name);
		js_set(o, "value", js_real(v));
		js_set(o, "unit", js_str(metric.unit));
		js_set(o, "better",
		       js_str(metric.better < ARRAY_SIZE(better) ? better[metric.better]
								 : better[0]));
		js_set(o, "primary", js_bool(metric.flags & FST_PRIMARY));
		js_set(all, metric.name, o);
	}
	return all;
}
