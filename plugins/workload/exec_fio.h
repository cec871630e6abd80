/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exec: fio's JSON (--output-format=json). Version 2 counts KiB and microseconds, version 3 bytes and nanoseconds; by
 * what is there, not by the version. In front of the document there may be messages.
 */
#pragma once

#include <jansson.h>

#include "exec_parser.h"

static const struct exec_fio_direction {
	const char *name, *throughput, *rate, *mean, *max;
	const char *p50, *p99, *p999;
} exec_fio_directions[] = {
#define EXEC_FIO_DIRECTION(n)                                                                             \
	{ n, n "_throughput", n "_rate", n "_mean", n "_max", n "_clat_p50", n "_clat_p99", n "_clat_p999" }
	EXEC_FIO_DIRECTION("read"),
	EXEC_FIO_DIRECTION("write"),
	EXEC_FIO_DIRECTION("trim"),
};

/* All jobs of a document in one direction. */
struct exec_fio_sum {
	double throughput, rate, ops, latency, max; /* latency: sum of all, ns */
	double p50, p99, p999;
	unsigned long jobs; /* that did something */
};

static inline int exec_fio_declare(struct fst_ctx *ctx)
{
	size_t i;
	int r = 0;

	for (i = 0; i < FST_COUNT(exec_fio_directions) && r == 0; i++) {
		const struct exec_fio_direction *d = &exec_fio_directions[i];
		const struct {
			const char *name, *unit, *doc;
			enum fst_better better;
			bool primary;
		} all[] = {
			{ d->throughput, "bytes/s", "Bytes a second of all jobs.", FST_HIGHER, true },
			{ d->rate, "ops/s", "I/Os a second of all jobs.", FST_HIGHER, false },
			{ d->mean, "ns", "Mean latency, from fio's lat.", FST_LOWER, false },
			{ d->max, "ns", "Longest latency, from fio's lat.", FST_LOWER, false },
			{ d->p50, "ns", "Median of fio's clat, which leaves out the submission.", FST_LOWER, false },
			{ d->p99, "ns", "99th percentile of fio's clat.", FST_LOWER, false },
			{ d->p999, "ns", "99.9th percentile of fio's clat.", FST_LOWER, false },
		};
		size_t k;

		for (k = 0; k < FST_COUNT(all) && r == 0; k++)
			r = exec_parser_declare(ctx, all[k].name, all[k].unit, all[k].better, all[k].primary, all[k].doc);
	}
	return r;
}

static inline double exec_fio_number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* "lat_ns" of version 3, "lat" in us of version 2. */
static inline const json_t *exec_fio_latency(const json_t *dir, const char *ns, const char *us, double *factor)
{
	const json_t *o = json_object_get(dir, ns);

	*factor = o ? 1 : 1e3;
	return o ? o : json_object_get(dir, us);
}

/*
 * What is printed as bandwidth must be what bytes and runtime say; version 2 has KiB in both. A factor of about a
 * thousand is a unit that is not what we take it for.
 */
static inline int exec_fio_check(struct fst_ctx *ctx, const json_t *dir, const char *name, double throughput)
{
	const bool v3 = json_object_get(dir, "bw_bytes") != NULL;
	double bytes = exec_fio_number(dir, "io_bytes") * (v3 ? 1 : 1024), ms = exec_fio_number(dir, "runtime"), ratio;

	if (!(ms >= 20) || !(bytes > 65536))
		return 0;
	ratio = throughput / (bytes * 1e3 / ms);
	if (ratio < 900 && ratio > 1 / 900.0)
		return 0;
	return fst_error(ctx, 0, "fio: %s: a bandwidth of %.0f bytes/s, but %.0f bytes in %.0f ms: one is in other units",
			 name, throughput, bytes, ms);
}

static inline void exec_fio_percentiles(const json_t *dir, struct exec_fio_sum *s)
{
	double factor;
	const json_t *p = json_object_get(exec_fio_latency(dir, "clat_ns", "clat", &factor), "percentile");

	s->p50 = exec_fio_number(p, "50.000000") * factor;
	s->p99 = exec_fio_number(p, "99.000000") * factor;
	s->p999 = exec_fio_number(p, "99.900000") * factor;
}

static inline int exec_fio_add(struct fst_ctx *ctx, const json_t *job, const char *name, struct exec_fio_sum *s)
{
	const json_t *dir = json_object_get(job, name), *lat;
	double rate = exec_fio_number(dir, "iops"), ops = exec_fio_number(dir, "total_ios"), factor, v;
	double bw = exec_fio_number(dir, "bw_bytes");

	if (isnan(bw))
		bw = exec_fio_number(dir, "bw") * 1024;
	if (isnan(ops)) /* not counted by all of version 2 */
		ops = rate * exec_fio_number(dir, "runtime") / 1e3;
	if (!(ops > 0))
		return 0;
	lat = exec_fio_latency(dir, "lat_ns", "lat", &factor);
	s->throughput += bw;
	s->rate += rate;
	s->ops += ops;
	s->latency += exec_fio_number(lat, "mean") * factor * ops;
	v = exec_fio_number(lat, "max") * factor;
	s->max = v > s->max ? v : s->max;
	/* Those of several jobs cannot be made one. */
	if (++s->jobs == 1)
		exec_fio_percentiles(dir, s);
	else
		s->p50 = s->p99 = s->p999 = NAN;
	return exec_fio_check(ctx, dir, name, bw);
}

static inline int exec_fio_put(struct fst_ctx *ctx, const struct exec_fio_direction *d, const struct exec_fio_sum *s)
{
	const struct {
		const char *name;
		double value;
	} all[] = {
		{ d->throughput, s->throughput }, { d->rate, s->rate }, { d->mean, s->latency / s->ops },
		{ d->max, s->max },		  { d->p50, s->p50 },	{ d->p99, s->p99 },
		{ d->p999, s->p999 },
	};
	size_t i;
	int r = 0;

	for (i = 0; i < FST_COUNT(all) && r == 0; i++)
		r = fst_set_metric(ctx, all[i].name, s->jobs ? all[i].value : NAN);
	return r;
}

/* A job that failed, by its own word. */
static inline int exec_fio_errors(struct fst_ctx *ctx, const json_t *jobs, const char *said)
{
	json_t *job;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)jobs, i, job)
	{
		const char *name = json_string_value(json_object_get(job, "jobname"));
		int code = (int)json_integer_value(json_object_get(job, "error"));

		if (code)
			return fst_error(ctx, 0, "fio: job %s: error %d (%s)%s%s", name ? name : "?", code,
					 strerror(code), *said ? ": " : "", said);
	}
	return 0;
}

/* The text in front of the document: kept, and a failure where it says so. */
static inline int exec_fio_preface(struct fst_ctx *ctx, const char *text, size_t len, char *line, size_t size)
{
	char *copy = strndup(text, len);

	*line = '\0';
	if (copy && said_best_line(copy, line, size) && !said_names_error(line)) {
		fst_warning(ctx, "fio: %s", line);
		*line = '\0';
	}
	free(copy);
	return copy ? 0 : -ENOMEM;
}

static inline int exec_fio_jobs(struct fst_ctx *ctx, const json_t *jobs)
{
	json_t *job;
	size_t i, k;
	int r = 0;

	for (i = 0; i < FST_COUNT(exec_fio_directions) && r == 0; i++) {
		struct exec_fio_sum sum = { .p50 = NAN, .p99 = NAN, .p999 = NAN };

		json_array_foreach((json_t *)(uintptr_t)jobs, k, job)
			if (r == 0)
				r = exec_fio_add(ctx, job, exec_fio_directions[i].name, &sum);
		if (r == 0)
			r = exec_fio_put(ctx, &exec_fio_directions[i], &sum);
	}
	return r;
}

static inline int exec_fio_document(struct fst_ctx *ctx, const json_t *doc, const char *said)
{
	const json_t *jobs = json_object_get(doc, "jobs");
	const char *version = json_string_value(json_object_get(doc, "fio version"));
	int r;

	if (!json_array_size(jobs))
		return fst_error(ctx, 0, "fio: the document has no jobs%s%s", *said ? ": " : "", said);
	if (version)
		fst_note(ctx, "program_version", version);
	r = exec_fio_errors(ctx, jobs, said);
	if (r == 0 && *said)
		r = fst_error(ctx, 0, "fio: %s", said);
	return r == 0 ? exec_fio_jobs(ctx, jobs) : r;
}

/* The first line that is "{" alone, as fio writes it; NULL: there is none. */
static inline const char *exec_fio_begin(const char *text)
{
	const char *p;

	for (p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (*p == '{' && (p[1] == '\n' || p[1] == '\r' || p[1] == '"' || p[1] == ' '))
			return p;
	}
	return NULL;
}

static inline int exec_fio_parse(struct fst_ctx *ctx, const struct exec_output *o)
{
	const char *begin = exec_fio_begin(o->out);
	json_error_t why;
	char said[512];
	json_t *doc;
	int r;

	if (!begin && o->stopped)
		return 0;
	if (!begin)
		return fst_error(ctx, 0, "fio: no JSON document in the output (--output-format=json): %s",
				 said_message(o->out, o->err, said, sizeof(said)));
	doc = json_loads(begin, 0, &why);
	if (!doc)
		return fst_error(ctx, 0, "fio: the JSON document is broken in line %d: %s", why.line, why.text);
	r = exec_fio_preface(ctx, o->out, (size_t)(begin - o->out), said, sizeof(said));
	if (r == 0)
		r = exec_fio_document(ctx, doc, said);
	json_decref(doc);
	return r;
}
