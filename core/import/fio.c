/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON of fio: a file is a trial, each of its jobs a step. */
#include "core/import/fio.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define FIO_SHORT_MS 500 /* what ran shorter is not to be trusted */

bool import_is_fio(const struct import_source *s)
{
	return strstr(s->text, "\"fio version\"") ||
	       (strstr(s->text, "\"jobs\"") && strstr(s->text, "\"jobname\""));
}

/* ---- the document among other text ---- */

/* Where an object begins at the start of a line; NULL: nowhere. */
static const char *document_start(const char *at)
{
	for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		const char *brace = at + strspn(at, " \t");

		if (*brace == '{')
			return brace;
	}
	return NULL;
}

/* fio says some things that are no errors, but how it understood the job. */
static bool is_note(const char *line)
{
	static const char *const notes[] = { "note:", "both iodepth", "hint:" };
	size_t blanks = strspn(line, " \t\r");

	if (!line[blanks])
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
		if (strncasecmp(line + blanks, notes[i], strlen(notes[i])) == 0)
			return true;
	}
	return strstr(line, "synchronous I/O engine") || strstr(line, "queue depth will be capped");
}

/* The text before the document: of errors a reason, of notes a warning. */
static void keep_text(struct import *im, struct import_row *row, const char *text, size_t len)
{
	_cleanup_free_ char *copy = xstrndup(text, len);
	char **lines = str_split(copy, "\r\n", NULL);
	unsigned number = 0;

	for (size_t i = 0; lines[i]; i++) {
		number = import_line_of(text, (size_t)(strstr(copy, lines[i]) - copy));
		js_push(row->warnings, js_str(lines[i]));
		if (is_note(lines[i])) {
			import_find(im, IMPORT_NOTE, row->source, number,
				    "text before the document: %s", lines[i]);
			continue;
		}
		import_find(im, IMPORT_WARNING, row->source, number,
			    "error text before the document, the trial is failed: %s", lines[i]);
		if (!row->reason)
			row->reason = xasprintf("fio: %s", lines[i]);
	}
	str_freev(lines);
}

/* fio writes some options as often as they were given. */
static void say_twice(struct import *im, size_t source, const char *at)
{
	const char *text = im->sources.v[source].text;
	json_error_t e;
	json_t *doc = json_loads(at, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &e);

	if (!doc)
		import_find(im, IMPORT_WARNING, source,
			    import_line_of(text, (size_t)(at - text)) +
				    (e.line > 0 ? (unsigned)e.line - 1 : 0),
			    "JSON: %s; the last one is taken", e.text);
	json_decref(doc);
}

/*
 * The last complete document of the text, as each that --status-interval prints holds all before it. *first is where the
 * first one begins.
 */
static json_t *document_load(struct import *im, size_t source, const char **first)
{
	const struct import_source *s = &im->sources.v[source];
	const char *at = document_start(s->text);
	json_t *doc = NULL, *next;
	json_error_t e;
	size_t n = 0;

	*first = at;
	while (at) {
		next = json_loads(at, JSON_DISABLE_EOF_CHECK, &e);
		if (!next) {
			import_find(im, doc ? IMPORT_WARNING : IMPORT_REFUSED, source,
				    import_line_of(s->text, (size_t)(at - s->text)) +
					    (e.line > 0 ? (unsigned)e.line - 1 : 0),
				    "JSON: %s", e.text);
			break;
		}
		say_twice(im, source, at);
		json_decref(doc);
		doc = next;
		n++;
		at = document_start(at + e.position);
	}
	if (n > 1)
		import_find(
			im, IMPORT_NOTE, source, 0,
			"%zu documents one after the other: the last, which holds all, is taken",
			n);
	if (!*first)
		import_find(im, IMPORT_REFUSED, source, 1, "no JSON in it, only text: \"%.*s\"",
			    (int)MIN(strcspn(s->text, "\r\n"), (size_t)120), s->text);
	return doc;
}

/* ---- options ---- */

/* Which only say where output goes, or what things are called. */
static bool is_silent_option(const char *name)
{
	static const char *const silent[] = { "name",
					      "description",
					      "output",
					      "output-format",
					      "write_bw_log",
					      "write_lat_log",
					      "write_iops_log",
					      "log_avg_msec",
					      "status-interval",
					      "eta" };

	for (size_t i = 0; i < ARRAY_SIZE(silent); i++) {
		if (str_eq(silent[i], name))
			return true;
	}
	return false;
}

/* Global ones and the job's over them. */
static json_t *job_options(const json_t *doc, const json_t *job)
{
	const json_t *from[] = { json_object_get(doc, "global options"),
				 json_object_get(job, "job options") };
	json_t *out = js_object(), *v;
	const char *key;

	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		json_object_foreach((json_t *)from[i], key, v)
		{
			if (!is_silent_option(key))
				js_set(out, key, json_incref(v));
		}
	}
	return out;
}

/* What may tell this file's variant from others': the options, by the job where there are several. */
static void row_options(struct import_row *row, const char *name, const json_t *options,
			bool several)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)options, key, v)
	{
		_cleanup_free_ char *full = several ? xasprintf("%s.%s", name, key) : xstrdup(key);
		_cleanup_free_ char *text = json_is_string(v) ? xstrdup(json_string_value(v))
							      : js_dump(v);

		js_set(row->cells, full, js_str(*text ? text : "1"));
	}
}

/* ---- jobs ---- */

/* Clones of one job that ran at the same time: numjobs without group_reporting. */
static bool same_job(const json_t *a, const json_t *b)
{
	return str_eq(js_get_str(a, "jobname", ""), js_get_str(b, "jobname", "")) &&
	       js_get_u64(a, "groupid", 0) == js_get_u64(b, "groupid", 0) &&
	       js_get_str(a, "jobname", NULL);
}

static int job_sum(const json_t *jobs, size_t first, const json_t *options,
		   struct fio_direction *sum, size_t *clones, struct err *e)
{
	const json_t *job = json_array_get(jobs, first);
	int r = 0;

	*clones = 1;
	for (int d = 0; r == 0 && d < FIO_DIRECTIONS; d++)
		r = fio_direction_read(job, options, d, &sum[d], e);
	for (size_t i = first + 1; r == 0 && i < json_array_size(jobs); i++) {
		const json_t *other = json_array_get(jobs, i);

		if (!same_job(job, other))
			continue;
		(*clones)++;
		for (int d = 0; r == 0 && d < FIO_DIRECTIONS; d++) {
			struct fio_direction more;

			r = fio_direction_read(other, options, d, &more, e);
			if (r == 0)
				fio_direction_add(&sum[d], &more);
			fio_direction_free(&more);
		}
	}
	return r;
}

static uint64_t job_error(const json_t *jobs, size_t first)
{
	uint64_t error = 0;

	for (size_t i = first; !error && i < json_array_size(jobs); i++) {
		const json_t *job = json_array_get(jobs, i);

		if (same_job(json_array_get(jobs, first), job) || i == first)
			error = js_get_u64(job, "error", 0);
	}
	return error;
}

static void job_failed(struct import *im, struct import_row *row, json_t *step, const char *reason,
		       uint64_t error)
{
	const char *name = js_get_str(step, "name", "?");

	js_set(step, "status", js_str("failed"));
	js_set(step, "reason", js_str(reason));
	if (error)
		js_set(step, "errno", js_str(err_name((int)error)));
	import_find(im, IMPORT_WARNING, row->source, 0, "job %s failed: %s", name, reason);
	if (!row->reason)
		row->reason = xasprintf("%s: %s", name, reason);
}

static void job_judge(struct import *im, struct import_row *row, json_t *step,
		      const struct fio_direction *sum, uint64_t error)
{
	_cleanup_free_ char *text = NULL;
	double ops = 0, runtime = 0;

	for (int d = 0; d < FIO_DIRECTIONS; d++) {
		ops += isnan(sum[d].ops) ? 0 : sum[d].ops;
		runtime = fmax(runtime, sum[d].runtime_ms);
	}
	if (error) {
		text = xasprintf("error %llu (%s)", (unsigned long long)error,
				 strerror((int)MIN(error, (uint64_t)4095)));
		job_failed(im, row, step, text, error < 4096 ? error : 0);
	} else if (!(ops > 0)) {
		job_failed(im, row, step, "no I/O was done", 0);
	} else if (runtime < FIO_SHORT_MS) {
		text = xasprintf("ran for %.0f ms, %.0f operations: too short to be trusted",
				 runtime, ops);
		import_step_warn(step, text);
		import_find(im, IMPORT_WARNING, row->source, 0, "job %s %s",
			    js_get_str(step, "name", "?"), text);
	}
}

static int job_add(struct import *im, struct import_row *row, const json_t *doc, size_t first,
		   bool several)
{
	const json_t *jobs = json_object_get(doc, "jobs"), *job = json_array_get(jobs, first);
	_cleanup_json_ json_t *options = job_options(doc, job);
	const char *name = js_get_str(job, "jobname", "job");
	struct fio_direction sum[FIO_DIRECTIONS] = { 0 };
	struct err e = { 0 };
	size_t clones = 1;
	json_t *step;
	int r = job_sum(jobs, first, options, sum, &clones, &e);

	if (r < 0) {
		import_find(im, IMPORT_REFUSED, row->source, 0, "job %s: %s", name, e.text);
	} else {
		row_options(row, name, options, several);
		step = import_step(row, name, "fio", json_incref(options));
		for (int d = 0; d < FIO_DIRECTIONS; d++) {
			if (sum[d].ops > 0)
				fio_direction_put(row, step, &sum[d]);
		}
		if (clones > 1)
			js_setf(json_object_get(step, "notes"), "clones",
				"%zu, their rates added up", clones);
		job_judge(im, row, step, sum, job_error(jobs, first));
	}
	for (int d = 0; d < FIO_DIRECTIONS; d++)
		fio_direction_free(&sum[d]);
	return r;
}

/* ---- the file ---- */

/* "dir/name.json" -> "name" */
static char *file_label(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
		   *dot = strrchr(base, '.');

	return dot && dot != base ? xstrndup(base, (size_t)(dot - base)) : xstrdup(base);
}

/* "2011-05-01T12:00:00Z" of ms since 1970; only where fio says when a job began. */
static char *job_started(const json_t *jobs)
{
	uint64_t ms = js_get_u64(json_array_get(jobs, 0), "job_start", 0);
	time_t s = (time_t)(ms / 1000);
	struct tm tm;
	char text[32];

	if (!ms || ms / 1000 > 253402300799 || !gmtime_r(&s, &tm))
		return NULL;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return xstrdup(text);
}

static bool is_clone(const json_t *jobs, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (same_job(json_array_get(jobs, k), json_array_get(jobs, i)))
			return true;
	}
	return false;
}

static void drop_last(struct import *im, size_t source)
{
	import_free_row(&im->rows.v[im->rows.n - 1]);
	im->rows.n--;
	im->sources.v[source].rows--;
}

static void document_read(struct import *im, size_t source, const json_t *doc, const char *first)
{
	const struct import_source *s = &im->sources.v[source];
	_cleanup_free_ char *label = file_label(s->path);
	const json_t *jobs = json_object_get(doc, "jobs");
	struct import_row *row;
	size_t different = 0;
	int r = 0;

	if (!json_array_size(jobs)) {
		import_find(im, IMPORT_REFUSED, source,
			    import_line_of(s->text, (size_t)(first - s->text)),
			    json_object_get(doc, "client_stats")
				    ? "client_stats of several machines: import each one's own"
				    : "there are no jobs in it");
		return;
	}
	row = import_row(im, source, import_line_of(s->text, (size_t)(first - s->text)), label);
	row->cells = js_object();
	row->started = job_started(jobs);
	keep_text(im, row, s->text, (size_t)(first - s->text));
	for (size_t i = 0; i < json_array_size(jobs); i++)
		different += !is_clone(jobs, i);
	for (size_t i = 0; r == 0 && i < json_array_size(jobs); i++) {
		if (!is_clone(jobs, i))
			r = job_add(im, row, doc, i, different > 1);
	}
	if (r < 0)
		drop_last(im, source);
}

void import_read_fio(struct import *im, size_t source)
{
	const char *first;
	_cleanup_json_ json_t *doc = document_load(im, source, &first);
	const char *version = js_get_str(doc, "fio version", NULL);

	im->sources.v[source].format = "fio";
	import_say_tool(&im->sources.v[source], "fio",
			version && str_starts(version, "fio-") ? version + strlen("fio-")
							       : version);
	if (doc)
		document_read(im, source, doc, first);
}
