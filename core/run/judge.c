/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations against results. */
#include "core/run/judge.h"

#include <math.h>
#include <stdlib.h>

#include "core/job/expect.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"

json_t *judge_open(const struct step *step)
{
	json_t *list = js_array();

	for (size_t i = 0; step && i < step->n_expects; i++) {
		json_t *o = js_object();

		js_set(o, "text", js_str(step->expects[i].text));
		js_set(o, "value", json_null());
		js_set(o, "unit", js_str(step->expects[i].unit));
		js_set(o, "met", json_null());
		js_set(o, "reason", json_null());
		js_push(list, o);
	}
	return list;
}

/* The number, or NaN with the reason in a fresh string. */
static double judge_value(struct expect *x, const json_t *record, char **reason)
{
	const json_t *of;
	struct err e = { 0 };
	double v;

	if (!x->op) {
		of = json_object_get(json_object_get(record, "metrics"), x->field);
		if (of && expect_settle(x, js_get_str(of, "unit", "count"), &e)) {
			*reason = xstrdup(e.text);
			return NAN;
		}
		v = js_get_real(of, "value", NAN);
		if (isnan(v))
			*reason = xasprintf("%s has no value", x->field);
		return v;
	}
	of = json_object_get(json_object_get(record, "latency"), x->op);
	if (!js_get_u64(of, "count", 0) && x->unit[0] != 'c') {
		*reason = xasprintf("no %s was measured", x->op);
		return NAN;
	}
	if (!x->percentile)
		return js_get_real(of, x->field, 0);
	v = js_get_real(json_object_get(of, "percentiles"), x->field, NAN);
	if (isnan(v))
		*reason = xasprintf("%llu samples are too few for p%s",
				    (unsigned long long)js_get_u64(of, "count", 0), x->field);
	return v;
}

void judge_step(const struct step *step, json_t *record)
{
	json_t *list = json_object_get(record, "expect");

	for (size_t i = 0; i < step->n_expects; i++) {
		_cleanup_free_ char *reason = NULL;
		json_t *o = json_array_get(list, i);
		double v = judge_value(&step->expects[i], record, &reason);

		js_set(o, "unit", js_str(step->expects[i].unit));
		js_set(o, "value", js_real(v));
		js_set(o, "met", js_bool(!isnan(v) && expect_met(&step->expects[i], v)));
		js_set(o, "reason", js_str(reason));
	}
}

const char *judge_trial(const json_t *steps)
{
	size_t n = 0, met = 0, i, k;
	json_t *step, *o;

	json_array_foreach(steps, i, step)
	{
		json_array_foreach(json_object_get(step, "expect"), k, o)
		{
			n++;
			met += json_is_true(json_object_get(o, "met"));
			if (json_is_false(json_object_get(o, "met")))
				return "failed";
		}
	}
	return n && met == n ? "met" : NULL;
}
