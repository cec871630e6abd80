/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows made into a result document. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/import/model.h"
#include "core/record/result.h"
#include "core/util/json.h"
#include "core/util/sha256.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#include "config.h"

/* Repeats of a variant that are further apart than this are hardly repeats. */
#define SPREAD_MAX 3.0

static json_t *nulls(json_t *object, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		js_set(object, names[i], json_null());
	return object;
}

#define NULLS(object, names) nulls(object, names, ARRAY_SIZE(names))

/* ---- what is not known of where it was measured ---- */

static json_t *document_environment(void)
{
	static const char *const of_kernel[] = { "release", "version", "arch",
						 "cmdline", "tainted", "clocksource" };
	static const char *const of_cpu[] = { "model", "online", "governor" };
	json_t *env = js_object(), *cpu = NULLS(js_object(), of_cpu);

	js_set(cpu, "mitigations", js_object());
	js_set(env, "kernel", NULLS(js_object(), of_kernel));
	js_set(env, "cpu", cpu);
	js_set(env, "memory_bytes", json_null());
	js_set(env, "boot_id", json_null());
	js_set(env, "load", js_array());
	js_set(env, "device", json_null());
	js_set(env, "tools", js_object());
	js_set(env, "warnings", js_array());
	return env;
}

/* The same files give the same id. */
static json_t *document_session(const struct import *im, size_t repeats)
{
	static const char *const of_session[] = { "started", "ended", "boot_id",
						  "seed",    "order", "tool_version" };
	static const char *const of_target[] = { "kind", "device", "directory", "image",
						 "size_bytes" };
	_cleanup_strbuf_ struct strbuf sums = STRBUF_INIT;
	json_t *s = NULLS(js_object(), of_session);
	char hex[65];

	for (size_t i = 0; i < im->sources.n; i++)
		strbuf_addstr(&sums, im->sources.v[i].sha256);
	sha256_hex(strbuf_str(&sums), sums.len, hex);
	js_setf(s, "id", "import-%.12s", hex);
	js_set(s, "status", js_str("complete"));
	js_set(s, "repeats", js_u64(repeats));
	js_set(s, "target", NULLS(js_object(), of_target));
	js_set(s, "once", js_array());
	return s;
}

/* "dir/raid6.bonnie.csv" -> "raid6" */
static char *job_name(const struct import *im)
{
	const char *path = im->sources.v[0].path,
		   *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t n = strcspn(base, ".");

	if (im->opt->name)
		return xstrdup(im->opt->name);
	return n ? xstrndup(base, n) : xstrdup(*base ? base : "import");
}

static json_t *document_job(const struct import *im)
{
	_cleanup_free_ char *name = job_name(im);
	json_t *job = js_object();

	js_set(job, "name", js_str(name));
	js_set(job, "description", json_null());
	js_set(job, "file", js_str(im->sources.v[0].path));
	js_set(job, "text", json_null());
	js_set(job, "sha256", im->sources.n == 1 ? js_str(im->sources.v[0].sha256) : json_null());
	return job;
}

static json_t *document_imported(const struct import *im)
{
	static const char *const severities[] = { "note", "warning", "refused" };
	json_t *o = js_object(), *sources = js_array(), *findings = js_array();

	for (size_t i = 0; i < im->sources.n; i++) {
		const struct import_source *s = &im->sources.v[i];
		json_t *one = js_object();

		js_set(one, "file", js_str(s->path));
		js_set(one, "sha256", s->sha256[0] ? js_str(s->sha256) : json_null());
		js_set(one, "format", js_str(s->format));
		js_set(one, "tools", json_incref(s->tools));
		js_set(one, "rows", js_u64(s->rows));
		js_push(sources, one);
	}
	for (size_t i = 0; i < im->findings.n; i++) {
		json_t *one = js_object();

		js_set(one, "severity", js_str(severities[im->findings.v[i].severity]));
		js_set(one, "text", js_str(im->findings.v[i].text));
		js_push(findings, one);
	}
	js_setf(o, "by", "fstrial %s", FSTRIAL_VERSION);
	js_set(o, "sources", sources);
	js_set(o, "constants", json_incref(im->constants));
	js_set(o, "findings", findings);
	return o;
}

/* ---- variants and trials ---- */

struct builder {
	struct import *im;
	json_t *index; /* values as text -> number of the variant */
	json_t *variants, *trials;
	size_t *repeats; /* of each variant */
	size_t most;	 /* repeats */
};

static size_t variant_number(struct builder *b, const json_t *values)
{
	_cleanup_free_ char *key = js_dump(values);
	const json_t *known = json_object_get(b->index, key);
	json_t *v;
	size_t n = json_array_size(b->variants);

	if (known)
		return (size_t)json_integer_value(known);
	v = js_object();
	js_setf(v, "id", "v%02zu", n + 1);
	js_set(v, "values", json_incref((json_t *)values));
	js_push(b->variants, v);
	js_set(b->index, key, js_u64(n));
	return n;
}

/* Trials and steps carry what the tables say of them; a copy has nothing of its own. */
static void trial_outcome(const struct builder *b, const struct import_row *row, json_t *trial)
{
	const struct import_row *first = row->copy_of == SIZE_MAX ? NULL
								  : &b->im->rows.v[row->copy_of];
	json_t *warning;
	size_t i;

	if (first) {
		js_set(trial, "status", js_str("skipped"));
		js_setf(trial, "reason", "a copy of %s (%s:%u), counted there",
			*first->label ? first->label : "a row",
			b->im->sources.v[first->source].path, first->line);
		js_set(trial, "steps", js_array());
		return;
	}
	js_set(trial, "status", js_str(row->reason ? "failed" : "ok"));
	js_set(trial, "reason", js_str(row->reason));
	js_set(trial, "steps", json_incref(row->steps));
	json_array_foreach(row->warnings, i, warning)
	{
		js_push(json_object_get(json_array_get(row->steps, 0), "warnings"),
			json_incref(warning));
	}
}

/* Where it is not known which step failed, none has numbers. */
static void fail_steps(const struct import_row *row)
{
	json_t *step;
	size_t i;

	json_array_foreach(row->steps, i, step)
	{
		if (!str_eq(js_get_str(step, "status", ""), "ok"))
			return;
	}
	json_array_foreach(row->steps, i, step)
	{
		if (!row->reason)
			return;
		js_set(step, "status", js_str("failed"));
		js_set(step, "reason", js_str(row->reason));
	}
}

static void trial_add(struct builder *b, size_t n)
{
	struct import_row *row = &b->im->rows.v[n];
	size_t variant = variant_number(b, row->values), repeat = ++b->repeats[variant];
	json_t *trial = js_object();

	b->most = repeat > b->most ? repeat : b->most;
	fail_steps(row);
	js_setf(trial, "variant", "v%02zu", variant + 1);
	js_set(trial, "repeat", js_u64(repeat));
	js_set(trial, "block", js_u64(repeat));
	js_set(trial, "position", js_u64(variant + 1));
	js_set(trial, "started", js_str(row->started));
	js_set(trial, "elapsed_ns",
	       isnan(row->elapsed_s) ? json_null() : js_u64((uint64_t)rint(row->elapsed_s * 1e9)));
	js_set(trial, "expectations", json_null());
	js_set(trial, "filesystem", json_null());
	js_set(trial, "device_settings", json_null());
	trial_outcome(b, row, trial);
	js_setf(trial, "source", "%s:%u", b->im->sources.v[row->source].path, row->line);
	js_push(b->trials, trial);
}

/* ---- are they repeats? ---- */

struct extreme {
	double low, high;
	size_t low_row, high_row;
};

static void extreme_add(struct extreme *x, double v, size_t row)
{
	if (isnan(v))
		return;
	if (isnan(x->low) || v < x->low) {
		x->low = v;
		x->low_row = row;
	}
	if (isnan(x->high) || v > x->high) {
		x->high = v;
		x->high_row = row;
	}
}

/* The figure of another row's step, by names. */
static double figure(const struct import_row *row, const char *step_name, const char *metric)
{
	json_t *step;
	size_t i;

	json_array_foreach(row->steps, i, step)
	{
		if (str_eq(js_get_str(step, "name", ""), step_name))
			return js_get_real(json_object_get(json_object_get(step, "metrics"),
							   metric),
					   "value", NAN);
	}
	return NAN;
}

/* Numbers of the rows that are taken for repeats of row first, that one included. */
static size_t *repeat_rows(const struct import *im, size_t first, size_t *n)
{
	size_t *rows = xcalloc(im->rows.n, sizeof(*rows));

	*n = 0;
	for (size_t k = first; k < im->rows.n; k++) {
		if (json_equal(im->rows.v[k].values, im->rows.v[first].values))
			rows[(*n)++] = k;
	}
	return rows;
}

/* The widest of all primary figures of rows that are taken for repeats of row first. */
static void check_repeats(struct import *im, size_t first)
{
	const struct import_row *row = &im->rows.v[first];
	struct extreme worst = { NAN, NAN, 0, 0 };
	_cleanup_free_ char *what = NULL;
	size_t n, i;
	_cleanup_free_ size_t *rows = repeat_rows(im, first, &n);
	const char *metric;
	json_t *step, *m;

	json_array_foreach(row->steps, i, step)
	{
		const char *name = js_get_str(step, "name", "");

		json_object_foreach(json_object_get(step, "metrics"), metric, m)
		{
			struct extreme x = { NAN, NAN, 0, 0 };

			if (!json_is_true(json_object_get(m, "primary")))
				continue;
			for (size_t k = 0; k < n; k++)
				extreme_add(&x, figure(&im->rows.v[rows[k]], name, metric),
					    rows[k]);
			if (x.high / x.low > SPREAD_MAX &&
			    !(worst.high / worst.low > x.high / x.low)) {
				worst = x;
				free(what);
				what = xstrdup(name);
			}
		}
	}
	if (what)
		import_find(im, IMPORT_WARNING, row->source, row->line,
			    "%s: its rows are taken for repeats, but %s of line %u is %.1f times "
			    "that of line %u; if they are "
			    "different things, --labels names them",
			    *row->label ? row->label : "no factors", what,
			    im->rows.v[worst.high_row].line, worst.high / worst.low,
			    im->rows.v[worst.low_row].line);
}

static void check_all_repeats(struct builder *b)
{
	_cleanup_json_ json_t *seen = js_object();

	for (size_t i = 0; i < b->im->rows.n; i++) {
		_cleanup_free_ char *key = js_dump(b->im->rows.v[i].values);
		const json_t *variant = json_object_get(b->index, key);

		if (json_object_get(seen, key))
			continue;
		js_set(seen, key, json_true());
		if (b->repeats[json_integer_value(variant)] > 1)
			check_repeats(b->im, i);
	}
}

json_t *import_document(struct import *im)
{
	struct builder b = {
		im, js_object(), js_array(), js_array(), xcalloc(im->rows.n + 1, sizeof(size_t)), 1
	};
	json_t *doc = js_object();

	for (size_t i = 0; i < im->rows.n; i++)
		trial_add(&b, i);
	check_all_repeats(&b);
	im->counts.variants = json_array_size(b.variants);
	js_set(doc, "format", js_str(RESULT_FORMAT));
	js_set(doc, "imported", document_imported(im));
	js_set(doc, "session", document_session(im, b.most));
	js_set(doc, "job", document_job(im));
	js_set(doc, "environment", document_environment());
	js_set(doc, "plugins", js_array());
	js_set(doc, "variants", b.variants);
	js_set(doc, "trials", b.trials);
	json_decref(b.index);
	free(b.repeats);
	return doc;
}
