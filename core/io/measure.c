/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up what the workers counted, and says it in the record. */
#include "core/io/measure.h"

#include <math.h>
#include <stdio.h>

#include "core/io/clock.h"
#include "core/io/conditions.h"
#include "core/io/loop.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/strbuf.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

/* Less is not to be trusted. */
#define MEASURE_MIN_NS (NSEC_PER_SEC / 2)
enum { MEASURE_MIN_OPS = 10 };
/* Passes over the data set: from here on memory is what was measured. */
#define MEASURE_AGAIN 1.5
#define MEASURE_MAX_DRIFT 1e-3
/* Shares of cached data that make a run cold, or cached. */
static const double measure_cold = 0.05, measure_cached = 0.95;

/* Syncs of the core and parts of other operations are not operations of their own. */
static bool measure_counts(const struct io_step *s, uint32_t kind)
{
	return !(s->data && kind == LOOP_SYNC) && !s->inner[kind];
}

static void measure_take_parts(const struct io_step *s, struct measured *m)
{
	if (!s->n || !s->worker[0].parts)
		return;
	m->parts = xcalloc(LOOP_KINDS * LOOP_PARTS, sizeof(*m->parts));
	for (uint32_t k = 0; k < LOOP_KINDS * LOOP_PARTS; k++) {
		hist_reset(&m->parts[k]);
		for (uint32_t i = 0; i < s->n; i++)
			hist_merge(&m->parts[k], &s->worker[i].parts[k]);
	}
}

void measure_take(const struct io_step *s, int failed, struct measured *m)
{
	uint64_t end = 0;

	measure_take_parts(s, m);
	m->hist = xcalloc(MAX(s->n_kinds, 1u), sizeof(*m->hist));
	m->kind_bytes = xcalloc(MAX(s->n_kinds, 1u), sizeof(*m->kind_bytes));
	for (uint32_t k = 0; k < s->n_kinds; k++)
		hist_reset(&m->hist[k]);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct io_worker *w = &s->worker[i];

		for (uint32_t k = 0; k < s->n_kinds; k++) {
			hist_merge(&m->hist[k], &w->hist[k]);
			m->kind_bytes[k] += w->bytes[k];
			m->bytes += s->inner[k] ? 0 : w->bytes[k];
			m->ops += measure_counts(s, k) ? w->hist[k].count : 0;
		}
		for (uint32_t k = 0; k < LOOP_KINDS; k++) {
			m->op_count[k] += w->op_count[k];
			m->op_bytes[k] += w->op_bytes[k];
		}
		m->kind_ns += w->kind_ns;
		end = MAX(end, w->end_ns);
		m->max_inflight = MAX(m->max_inflight, w->max_inflight);
		if (w->batch > m->batch) {
			m->batch = w->batch;
			m->batch_by = w->batch_by;
		}
		if (s->start_ns && w->end_ns > s->start_ns)
			m->busy_ns += w->end_ns - s->start_ns;
	}
	m->window_ns = s->start_ns && end > s->start_ns ? end - s->start_ns : 0;
	m->clock_drift = io_clock_drift();
	m->partial = failed != 0;
	/* Of a workload that times no operations the core measures nothing. */
	m->too_short = s->n_kinds && (m->window_ns < MEASURE_MIN_NS || m->ops < MEASURE_MIN_OPS);
}

void measure_release(struct measured *m)
{
	free(m->hist);
	free(m->kind_bytes);
	free(m->parts);
	m->hist = m->parts = NULL;
	m->kind_bytes = NULL;
}

void measure_warn(json_t *record, const char *text)
{
	json_t *warnings = json_object_get(record, "warnings");

	if (!warnings) {
		warnings = js_array();
		js_set(record, "warnings", warnings);
	}
	js_push(warnings, js_str(text));
}

/* Null where there is no queue, and of the plugin's own kinds. */
static json_t *measure_parts(const struct measured *m, uint32_t kind, bool own)
{
	const struct hist *h;
	json_t *o;

	if (!m->parts || !own)
		return json_null();
	h = &m->parts[kind * LOOP_PARTS];
	o = js_object();
	js_set(o, "submission", hist_json(&h[LOOP_SUBMISSION]));
	return js_set(o, "completion", hist_json(&h[LOOP_COMPLETION]));
}

static json_t *measure_latency(const struct io_step *s, const struct measured *m)
{
	json_t *o = js_object();

	for (uint32_t k = 0; k < s->n_kinds; k++)
		if (k >= s->first_kind || m->hist[k].count)
			js_set(o, step_kind_name(s, k),
			       js_set(hist_json(&m->hist[k]), "parts",
				      measure_parts(m, k, k < s->first_kind)));
	return o;
}

static bool measure_all_synced(const struct io_step *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->worker[i].synced)
			return false;
	return true;
}

static void measure_boundary_each(struct strbuf *sb, const char *call, uint64_t n)
{
	if (!n)
		return;
	strbuf_addf(sb, "%s%s after every ", sb->len ? "; " : "", call);
	if (n == 1)
		strbuf_addstr(sb, "write");
	else
		strbuf_addf(sb, "%llu writes", (unsigned long long)n);
}

/* Up to where the data had got when the clock stopped. */
static json_t *measure_boundary(const struct io_step *s, const struct measured *m)
{
	const struct io_params *p = s->wl->io;
	struct strbuf sb = STRBUF_INIT;
	json_t *text;

	if (!s->data)
		return js_str("the workload's own");
	if (!s->has_files)
		return js_str("none: the engine touches no file");
	if (!m->op_count[LOOP_WRITE])
		return js_str("none: nothing was written");
	if (p->direct)
		strbuf_addstr(&sb, "direct");
	if (p->sync != FST_SYNC_NONE)
		strbuf_addf(&sb, "%s%s", sb.len ? "; " : "",
			    p->sync == FST_SYNC_SYNC ? "O_SYNC" : "O_DSYNC");
	measure_boundary_each(&sb, p->fdatasync ? "fdatasync" : "fsync",
			      p->fdatasync ? p->fdatasync : p->fsync);
	if (p->end_fsync)
		strbuf_addf(&sb, "%s%s", sb.len ? "; " : "",
			    measure_all_synced(s) ? "fsync at end, inside the measured time"
						  : "ended before the fsync at end");
	if (!sb.len)
		strbuf_addstr(&sb, "none: dirty pages may remain");
	text = js_str(strbuf_str(&sb));
	strbuf_free(&sb);
	return text;
}

static uint64_t measure_tv(const struct timeval *after, const struct timeval *before)
{
	int64_t us = (int64_t)(after->tv_sec - before->tv_sec) * 1000000 +
		     (after->tv_usec - before->tv_usec);

	return us > 0 ? (uint64_t)us * 1000 : 0;
}

static json_t *measure_clock(const struct measured *m)
{
	json_t *o = js_object();

	js_set(o, "source", js_str(io_clock.mult ? "tsc" : "clock_gettime"));
	return js_set(o, "drift", js_real(m->clock_drift));
}

static json_t *measure_measured(const struct io_step *s, const struct measured *m)
{
	json_t *o = js_object(), *cpu = js_object();
	bool any = m->window_ns != 0;

	js_set(cpu, "user_ns",
	       any ? js_u64(measure_tv(&s->after.ru_utime, &s->before.ru_utime)) : json_null());
	js_set(cpu, "system_ns",
	       any ? js_u64(measure_tv(&s->after.ru_stime, &s->before.ru_stime)) : json_null());
	js_set(o, "started_ns", s->start_ns ? js_u64(s->start_ns) : json_null());
	js_set(o, "elapsed_ns", any ? js_u64(m->window_ns) : json_null());
	js_set(o, "ramp_ns", js_u64(s->ramp_ns));
	js_set(o, "ops", js_u64(m->ops));
	js_set(o, "bytes", js_u64(m->bytes));
	js_set(o, "workers", js_u64(s->n));
	js_set(o, "partial", js_bool(m->partial));
	js_set(o, "too_short", js_bool(m->too_short));
	js_set(o, "sync_boundary", measure_boundary(s, m));
	js_set(o, "clock", measure_clock(m));
	js_set(o, "latency_is", js_str(measure_scheduled(s) ? "response_time" : "service_time"));
	if (measure_scheduled(s))
		js_set(o, "schedule", measure_schedule(s, m));
	return js_set(o, "cpu", cpu);
}

static json_t *measure_cache(const struct io_step *s, const struct measured *m)
{
	if (!s->has_files || !m->hist)
		return json_null();
	if (s->io.direct)
		return js_str("direct");
	if (!m->op_count[LOOP_READ] || isnan(s->resident))
		return js_str("written");
	if (s->resident < measure_cold)
		return js_str("cold");
	return js_str(s->resident > measure_cached ? "cached" : "partly cached");
}

/* How often the data set was read, or written. */
static double measure_passes(const struct io_step *s, const struct measured *m, uint32_t op)
{
	const uint64_t dataset = files_total(&s->files);

	return dataset && m->hist ? (double)m->op_bytes[op] / (double)dataset : NAN;
}

/* What was worked on instead of files. */
static json_t *measure_device(const struct io_step *s)
{
	const struct io_device *dev = s->wl->device;
	json_t *o;

	if (!dev)
		return json_null();
	o = js_object();
	js_set(o, "filename", js_str(s->wl->io->filename));
	js_set(o, "path", js_str(dev->path));
	return js_set(o, "size_bytes", js_u64(dev->size));
}

static json_t *measure_data(const struct io_step *s, const struct measured *m)
{
	static const char *const kinds[] = { [IO_BUFFERS_RANDOM] = "random",
					     [IO_BUFFERS_ZERO] = "zero",
					     [IO_BUFFERS_PATTERN] = "pattern" };
	uint64_t ram = conditions_ram(), dataset = files_total(&s->files);
	json_t *o = js_object();

	js_set(o, "kind", js_str(kinds[s->wl->io->buffers]));
	js_set(o, "direct", js_bool(s->io.direct));
	js_set(o, "verified_bytes",
	       s->wl->io->verify != IO_VERIFY_NONE ? js_u64(s->verified) : json_null());
	js_set(o, "dataset_bytes", js_u64(dataset));
	js_set(o, "laid_out_bytes", js_u64(s->files.laid_out));
	js_set(o, "passes",
	       js_real(measure_passes(s, m, LOOP_READ) + measure_passes(s, m, LOOP_WRITE)));
	js_set(o, "ram_bytes", ram ? js_u64(ram) : json_null());
	js_set(o, "dataset_to_ram", ram ? js_real((double)dataset / (double)ram) : json_null());
	js_set(o, "device", measure_device(s));
	js_set(o, "resident_before", js_real(s->resident));
	return js_set(o, "cache", measure_cache(s, m));
}

/*
 * What was read once is in memory, and what is written again before it was written out is written
 * once. Where no more memory was free than the data set needs, that is not so.
 */
static void measure_judge_passes(const struct io_step *s, const struct measured *m, json_t *record)
{
	const double read = measure_passes(s, m, LOOP_READ),
		     write = measure_passes(s, m, LOOP_WRITE);
	const struct io_params *p = s->wl->io;
	char text[240], size[32];

	if (!s->has_files || s->io.direct || files_total(&s->files) > conditions_ram() / 2)
		return;
	units_format_size(files_total(&s->files), size, sizeof(size));
	if (read >= MEASURE_AGAIN) {
		snprintf(text, sizeof(text),
			 "read the same %s %.3g times: all but the first pass came from memory; "
			 "set direct = true or a larger size",
			 size, read);
		measure_warn(record, text);
	}
	if (write >= MEASURE_AGAIN && p->sync == FST_SYNC_NONE && !p->fsync && !p->fdatasync &&
	    m->op_count[LOOP_SYNC] <= (p->end_fsync ? s->files.file.n : 0)) {
		snprintf(
			text, sizeof(text),
			"wrote the same %s %.3g times: most of it was overwritten in memory before "
			"it was written out; set direct = true, fsync or a larger size",
			size, write);
		measure_warn(record, text);
	}
}

/* The counter ran at another rate than when it was looked at: a virtual machine that moved, say. */
static void measure_judge_clock(const struct measured *m, json_t *record)
{
	char text[160];

	if (m->clock_drift <= MEASURE_MAX_DRIFT)
		return;
	snprintf(text, sizeof(text),
		 "the time stamp counter was off by %.2g %% of the time measured: times and rates "
		 "are wrong by as much",
		 100 * m->clock_drift);
	measure_warn(record, text);
}

static void measure_judge(const struct io_step *s, const struct measured *m, json_t *record)
{
	char text[160], time[32];

	if (!m->window_ns && !m->partial && s->ramp_ns) {
		snprintf(text, sizeof(text),
			 "no operation was measured: all were done within the ramp_time of %s",
			 units_format_metric((double)s->ramp_ns, "ns", time, sizeof(time)));
		measure_warn(record, text);
	} else if (m->too_short && !m->partial) {
		snprintf(text, sizeof(text),
			 "measured %s, %llu operation%s: too short to be trusted; set runtime or a "
			 "larger size",
			 units_format_metric((double)m->window_ns, "ns", time, sizeof(time)),
			 (unsigned long long)m->ops, m->ops == 1 ? "" : "s");
		measure_warn(record, text);
	}
	if (s->has_files && !s->io.direct && m->op_count[LOOP_READ] && s->resident > measure_cold) {
		snprintf(text, sizeof(text),
			 "reads from the page cache: %.0f %% of the data was cached before",
			 100 * s->resident);
		measure_warn(record, text);
	}
}

void measure_record(const struct io_step *s, const struct measured *m, json_t *record)
{
	js_set(record, "metrics", metrics_json(s, m));
	if (s->data) {
		js_set(record, "engine", measure_engine(s, m));
		js_set(record, "data", measure_data(s, m));
	}
	if (!m->hist) /* it did not come to measuring */
		return;
	js_set(record, "latency", measure_latency(s, m));
	js_set(record, "series", series_json(&s->series));
	js_set(record, "measured", measure_measured(s, m));
	measure_judge(s, m, record);
	measure_judge_clock(m, record);
	if (s->data)
		measure_judge_passes(s, m, record);
}
