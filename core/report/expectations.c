/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was not met, folded over repeats. */
#include "core/report/expectations.h"

#include <math.h>
#include <stdlib.h>

#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

typedef void (*expectations_fn)(const json_t *trial, const json_t *step, const json_t *expectation,
				void *arg);

static void expectations_each(const json_t *doc, expectations_fn fn, void *arg)
{
	json_t *trial, *step, *x;
	size_t i, k, n;

	json_array_foreach(json_object_get(doc, "trials"), i, trial)
	{
		json_array_foreach(json_object_get(trial, "steps"), k, step)
		{
			json_array_foreach(json_object_get(step, "expect"), n, x)
			{
				fn(trial, step, x, arg);
			}
		}
	}
}

/* ---- not met --------------------------------------------------------------------------------- */

/* The finding's record, with "least" and "most" of its values, a new one where there is none. */
static json_t *unmet_find(json_t *index, const char *variant, const char *step, const json_t *x)
{
	const char *text = js_get_str(x, "text", "?");
	_cleanup_free_ char *key = xasprintf("%s\n%s\n%s", variant, step, text);
	json_t *o = json_object_get(index, key);

	if (o)
		return o;
	o = js_object();
	js_set(o, "variant", js_str(variant));
	js_set(o, "repeats", js_array());
	js_setf(o, "text", "%s: %s: not met", step, text);
	js_set(o, "unit", js_str(js_get_str(x, "unit", "")));
	js_set(index, key, o);
	return o;
}

static void unmet_add(const json_t *trial, const json_t *step, const json_t *x, void *arg)
{
	double v = js_get_real(x, "value", NAN);
	json_t *o;

	if (!json_is_false(json_object_get(x, "met")))
		return;
	o = unmet_find(arg, js_get_str(trial, "variant", ""), js_get_str(step, "name", "?"), x);
	js_push(json_object_get(o, "repeats"), js_u64(js_get_u64(trial, "repeat", 0)));
	if (isnan(v)) {
		js_set(o, "reason", js_str(js_get_str(x, "reason", "no value")));
		return;
	}
	js_set(o, "least", js_real(fmin(v, js_get_real(o, "least", v))));
	js_set(o, "most", js_real(fmax(v, js_get_real(o, "most", v))));
}

/* The values behind the text. */
static void unmet_close(json_t *o)
{
	const char *unit = js_get_str(o, "unit", ""), *reason = js_get_str(o, "reason", NULL);
	double least = js_get_real(o, "least", NAN), most = js_get_real(o, "most", NAN);
	struct strbuf sb = STRBUF_INIT;
	char a[48], b[48];

	strbuf_addstr(&sb, js_get_str(o, "text", ""));
	units_format_metric(least, unit, a, sizeof(a));
	units_format_metric(most, unit, b, sizeof(b));
	if (!isnan(least))
		strbuf_addf(&sb, ", %s", a);
	if (!isnan(least) && !str_eq(a, b))
		strbuf_addf(&sb, " to %s", b);
	if (reason)
		strbuf_addf(&sb, ", %s", reason);
	js_set(o, "text", js_str(strbuf_str(&sb)));
	strbuf_free(&sb);
}

json_t *expectations_unmet(const json_t *doc)
{
	_cleanup_json_ json_t *index = js_object();
	json_t *list = js_array(), *o;
	const char *key;

	expectations_each(doc, unmet_add, index);
	json_object_foreach(index, key, o)
	{
		unmet_close(o);
		js_push(list, json_incref(o));
	}
	return list;
}

/* ---- how many -------------------------------------------------------------------------------- */

struct expectations_counts {
	size_t met, unmet, open;
};

static void count_add(const json_t *trial, const json_t *step, const json_t *x, void *arg)
{
	struct expectations_counts *c = arg;
	const json_t *met = json_object_get(x, "met");

	(void)trial;
	(void)step;
	c->met += json_is_true(met);
	c->unmet += json_is_false(met);
	c->open += !json_is_boolean(met);
}

void expectations_count(const json_t *doc, struct strbuf *out)
{
	struct expectations_counts c = { 0 };

	expectations_each(doc, count_add, &c);
	if (c.met)
		strbuf_addf(out, "%zu met", c.met);
	if (c.unmet)
		strbuf_addf(out, "%s%zu NOT MET", out->len ? ", " : "", c.unmet);
	if (c.open)
		strbuf_addf(out, "%s%zu not judged", out->len ? ", " : "", c.open);
}
