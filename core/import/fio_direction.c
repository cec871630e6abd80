/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job of fio did in one direction, whichever units its version counts in. */
#include "core/import/fio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define FIO_TOLERANCE \
	0.05 /* by which bytes / runtime and what is printed as bandwidth may differ */

static const char *const directions[FIO_DIRECTIONS] = { "read", "write", "trim" };

/* ---- latency ---- */

/* "clat_ns" of version 3, else "clat" of version 2 in us. */
static const json_t *latency_object(const json_t *dir, const char *name, double *factor)
{
	_cleanup_free_ char *ns = xasprintf("%s_ns", name);
	const json_t *o = json_object_get(dir, ns);

	*factor = o ? 1 : 1e3;
	return o ? o : json_object_get(dir, name);
}

/* "99.000000" -> "99" */
static char *percentile_key(const char *key)
{
	char *out = xstrdup(key);
	size_t n = strlen(out);

	if (strchr(out, '.')) {
		while (n && out[n - 1] == '0')
			out[--n] = '\0';
		if (n && out[n - 1] == '.')
			out[--n] = '\0';
	}
	return out;
}

static void latency_read(const json_t *dir, const char *name, double ops, struct fio_latency *l)
{
	const json_t *percentiles, *o;
	const char *key;
	json_t *v;
	double factor;

	*l = (struct fio_latency){ 0, NAN, NAN, NAN, NULL };
	o = latency_object(dir, name, &factor);
	l->count = js_get_real(o, "N", js_get_real(o, "max", 0) > 0 ? ops : 0);
	if (!(l->count > 0))
		return;
	l->min = js_get_real(o, "min", NAN) * factor;
	l->max = js_get_real(o, "max", NAN) * factor;
	l->mean = js_get_real(o, "mean", NAN) * factor;
	percentiles = json_object_get(o, "percentile");
	if (!json_object_size(percentiles))
		return;
	l->percentiles = js_object();
	json_object_foreach((json_t *)percentiles, key, v)
	{
		_cleanup_free_ char *plain = percentile_key(key);
		double q;

		/* Old versions fill the list up with zeros. */
		if (units_parse_f64(plain, &q, NULL) == 0 && q > 0 && q <= 100 && json_is_number(v))
			js_set(l->percentiles, plain, js_real(json_number_value(v) * factor));
	}
}

/* ---- bytes and bandwidth ---- */

/* 4k where the job does not say; NAN where it is a range or a list. */
static double option_block_size(const json_t *options)
{
	const char *text = js_get_str(options, "bs", js_get_str(options, "blocksize", "4k"));
	uint64_t bytes;

	if (json_object_get(options, "bssplit") || json_object_get(options, "bsrange"))
		return NAN;
	if (units_parse_size(text, &bytes, NULL) == 0 && bytes)
		return (double)bytes;
	return units_parse_u64(text, &bytes, NULL) == 0 && bytes ? (double)bytes : NAN;
}

/*
 * Version 2 counts io_bytes in KiB, in spite of the name, version 3 in bytes and says io_kbytes besides. Where only the
 * size of a block can tell, it does.
 */
static double direction_bytes(const json_t *dir, const json_t *options, bool version2, double ops)
{
	double bytes = js_get_real(dir, "io_bytes", NAN), bs = option_block_size(options);

	if (json_object_get(dir, "io_kbytes") || json_object_get(dir, "bw_bytes"))
		return bytes;
	if (!isnan(bs) && ops > 0) {
		double each = bytes / ops;

		if (fabs(each / bs - 1) < 0.5)
			return bytes;
		if (fabs(each * 1024 / bs - 1) < 0.5)
			return bytes * 1024;
	}
	return version2 ? bytes * 1024 : bytes;
}

static bool near(double a, double b)
{
	return fabs(a / b - 1) <= FIO_TOLERANCE;
}

/* What is printed as bandwidth must be what bytes and runtime say. */
static int direction_check(const struct fio_direction *d, double claimed, const char *key,
			   struct err *e)
{
	static const double wrong[] = { 1024, 1000 };
	double ratio = claimed / d->throughput;

	/* Small numbers are cut to whole KiB, short times to whole ms. */
	if (isnan(ratio) || claimed < 64 * 1024 || d->runtime_ms < 20 || near(ratio, 1))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (near(ratio, wrong[i]) || near(ratio, 1 / wrong[i]))
			return err_set(e, EINVAL,
				       "%s: %s is %.0f bytes/s, but %.0f bytes in %.0f ms are %.0f "
				       "bytes/s: a factor of %.0f, "
				       "so one of them is in other units",
				       d->name, key, claimed, d->bytes, d->runtime_ms,
				       d->throughput, wrong[i]);
	}
	return 0;
}

/* What every figure rests on: not there is one thing, something else than an amount another. */
static int direction_amounts(const json_t *dir, const char *name, struct err *e)
{
	static const char *const keys[] = { "runtime", "total_ios", "io_bytes", "iops", "bw", "bw_bytes" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *v = json_object_get(dir, keys[i]);

		if (v && (!json_is_number(v) || json_number_value(v) < 0))
			return err_set(e, EINVAL, "%s: %s is no number from 0 up", name, keys[i]);
	}
	return 0;
}

int fio_direction_read(const json_t *job, const json_t *options, int direction,
		       struct fio_direction *d, struct err *e)
{
	const json_t *dir = json_object_get(job, directions[direction]);
	bool version2 = !json_object_get(dir, "bw_bytes");
	double claimed;

	*d = (struct fio_direction){ .name = directions[direction],
				     .throughput = NAN,
				     .rate = NAN };
	if (direction_amounts(dir, d->name, e) < 0)
		return -EINVAL;
	d->runtime_ms = js_get_real(dir, "runtime", 0);
	d->ops = js_get_real(dir, "total_ios", NAN);
	/* Some of version 2 do not count I/Os. */
	if (isnan(d->ops))
		d->ops = rint(js_get_real(dir, "iops", 0) * d->runtime_ms / 1e3);
	d->bytes = direction_bytes(dir, options, version2, d->ops);
	latency_read(dir, "slat", d->ops, &d->slat);
	latency_read(dir, "clat", d->ops, &d->clat);
	latency_read(dir, "lat", d->ops, &d->lat);
	if (!(d->runtime_ms > 0) || isnan(d->bytes))
		return 0;
	d->throughput = d->bytes * 1e3 / d->runtime_ms;
	d->rate = d->ops * 1e3 / d->runtime_ms;
	claimed = version2 ? js_get_real(dir, "bw", NAN) * 1024 : js_get_real(dir, "bw_bytes", NAN);
	if (direction_check(d, claimed, version2 ? "bw" : "bw_bytes", e) < 0)
		return -EINVAL;
	return version2 ? 0 : direction_check(d, js_get_real(dir, "bw", NAN) * 1024, "bw", e);
}

void fio_direction_free(struct fio_direction *d)
{
	json_decref(d->slat.percentiles);
	json_decref(d->clat.percentiles);
	json_decref(d->lat.percentiles);
}

/* Percentiles of two sets cannot be had from those of each. */
static void latency_add(struct fio_latency *sum, const struct fio_latency *l)
{
	if (!(l->count > 0))
		return;
	sum->mean = sum->count > 0 ? (sum->mean * sum->count + l->mean * l->count) /
					     (sum->count + l->count)
				   : l->mean;
	sum->count += l->count;
	sum->min = fmin(sum->min, l->min);
	sum->max = fmax(sum->max, l->max);
	json_decref(sum->percentiles);
	sum->percentiles = NULL;
}

void fio_direction_add(struct fio_direction *sum, const struct fio_direction *d)
{
	if (!isnan(d->throughput)) {
		sum->throughput = isnan(sum->throughput) ? d->throughput
							 : sum->throughput + d->throughput;
		sum->rate = isnan(sum->rate) ? d->rate : sum->rate + d->rate;
	}
	sum->bytes += d->bytes;
	sum->ops += d->ops;
	sum->runtime_ms = fmax(sum->runtime_ms, d->runtime_ms);
	latency_add(&sum->slat, &d->slat);
	latency_add(&sum->clat, &d->clat);
	latency_add(&sum->lat, &d->lat);
}

/* ---- into the document ---- */

static json_t *latency_json(const struct fio_latency *l)
{
	static const char *const needed[] = { "50", "90", "99", "99.9" };
	json_t *o = js_object(),
	       *percentiles = l->percentiles ? json_copy(l->percentiles) : js_object();
	bool any = l->count > 0;

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		if (!json_object_get(percentiles, needed[i]))
			js_set(percentiles, needed[i], json_null());
	}
	js_set(o, "unit", js_str("ns"));
	js_set(o, "count", js_u64((uint64_t)l->count));
	js_set(o, "min", any && l->min >= 0 ? js_u64((uint64_t)l->min) : json_null());
	js_set(o, "max", any && l->max >= 0 ? js_u64((uint64_t)l->max) : json_null());
	js_set(o, "mean", any ? js_real(l->mean) : json_null());
	js_set(o, "percentiles", percentiles);
	js_set(o, "histogram", json_null());
	return o;
}

static void put_latency(json_t *step, const struct fio_direction *d)
{
	/* The whole is lat; what fio gives percentiles of, as a rule, is its second part. */
	json_t *whole = latency_json(d->lat.count > 0 ? &d->lat : &d->clat), *parts = js_object();

	if (d->clat.count > 0) {
		js_set(parts, "submission", latency_json(&d->slat));
		js_set(parts, "completion", latency_json(&d->clat));
		js_set(whole, "parts", parts);
	} else {
		json_decref(parts);
		js_set(whole, "parts", json_null());
	}
	js_set(json_object_get(step, "latency"), d->name, whole);
}

static void put_ns(struct import_row *row, json_t *step, const struct fio_direction *d,
		   const char *what, double ns)
{
	_cleanup_free_ char *name = xasprintf("%s_clat_%s", d->name, what);
	const struct import_figure f = { ns, NAN, "ns", "lower", false, NULL, NULL, NULL };

	if (!isnan(ns))
		import_metric(row, step, name, &f);
}

static void put_rate(struct import_row *row, json_t *step, const struct fio_direction *d,
		     const char *what, const char *unit, double v, bool primary)
{
	_cleanup_free_ char *name = xasprintf("%s_%s", d->name, what), *text = NULL;
	struct import_figure f = { v, NAN, unit, "higher", primary, NULL, NULL, NULL };

	/* Computed from what is printed: that is what copies are recognised by. */
	if (!isnan(v))
		text = xasprintf("%.0f in %.0f ms", primary ? d->bytes : d->ops, d->runtime_ms);
	f.text = text;
	import_metric(row, step, name, &f);
}

void fio_direction_put(struct import_row *row, json_t *step, const struct fio_direction *d)
{
	static const char *const shown[][2] = {
		{ "50", "p50" }, { "95", "p95" }, { "99", "p99" }, { "99.9", "p999" }
	};

	put_rate(row, step, d, "throughput", "bytes/s", d->throughput, true);
	put_rate(row, step, d, "rate", "ops/s", d->rate, false);
	put_ns(row, step, d, "mean", d->clat.count > 0 ? d->clat.mean : NAN);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		put_ns(row, step, d, shown[i][1],
		       js_get_real(d->clat.percentiles, shown[i][0], NAN));
	if (d->clat.count > 0 || d->lat.count > 0)
		put_latency(step, d);
}
