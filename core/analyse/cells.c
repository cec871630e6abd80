/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From trials to cells. */
#include <stdlib.h>
#include <string.h>

#include "core/analyse/cells.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

/* Parameters that change no measurement: how long to wait for it, and which random numbers. */
static const char *const ignored_params[] = { "timeout", "randseed" };

char *cells_variant_text(const json_t *values)
{
	struct strbuf sb = STRBUF_INIT;
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)values, key, v)
	{
		_cleanup_free_ char *text = json_is_string(v) ? xstrdup(json_string_value(v)) : js_dump(v);

		strbuf_addf(&sb, "%s%s=%s", sb.len ? " " : "", key, text);
	}
	return strbuf_steal(&sb);
}

/* What was done, as one line of JSON with sorted keys. nth tells two equal steps of a trial apart. */
static char *step_key(const json_t *values, const json_t *step, size_t nth)
{
	json_t *key = js_object(), *params = json_copy(json_object_get(step, "params"));
	json_t *group = json_object_get(step, "parallel"), *beside = group ? json_copy(group) : json_null();
	char *text;

	if (json_is_object(beside))
		json_object_del(beside, "name");

	for (size_t i = 0; i < ARRAY_SIZE(ignored_params); i++)
		json_object_del(params, ignored_params[i]);
	js_set(key, "values", json_incref((json_t *)values));
	js_set(key, "plugin", json_incref(json_object_get(step, "plugin")));
	js_set(key, "params", params ? params : json_null());
	/* Beside other workloads it is another measurement; what the group is called does not matter. */
	js_set(key, "beside", beside);
	js_set(key, "nth", js_u64(nth));
	text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(key);
	return text ? text : xstrdup("");
}

static enum cell_better cell_direction(const char *better)
{
	return str_eq(better, "higher") ? CELL_HIGHER : str_eq(better, "lower") ? CELL_LOWER : CELL_NEUTRAL;
}

static struct cell *cell_get(struct cells *c, const char *step_id, const json_t *values, const json_t *step,
			     const char *metric, const json_t *m)
{
	char *key = xasprintf("%s %s", step_id, metric);
	json_t *known = json_object_get(c->index, key);

	if (known) {
		free(key);
		return &c->v[json_integer_value(known)];
	}
	js_set(c->index, key, js_u64(c->n));
	c->v = xrealloc(c->v, (c->n + 1) * sizeof(*c->v));
	c->v[c->n] = (struct cell){
		.key = key,
		.variant = cells_variant_text(values),
		.step = xstrdup(js_get_str(step, "name", "")),
		.metric = xstrdup(metric),
		.unit = xstrdup(js_get_str(m, "unit", "")),
		.better = cell_direction(js_get_str(m, "better", "")),
		.primary = json_is_true(json_object_get(m, "primary")),
	};
	return &c->v[c->n++];
}

static void cell_add(struct cell *cell, const json_t *value, uint32_t block, bool good)
{
	if (!good || !json_is_number(value)) {
		cell->failed++;
		return;
	}
	cell->v = xrealloc(cell->v, (cell->n + 1) * sizeof(*cell->v));
	cell->block = xrealloc(cell->block, (cell->n + 1) * sizeof(*cell->block));
	cell->v[cell->n] = json_number_value(value);
	cell->block[cell->n++] = block;
}

static void collect_step(struct cells *c, const json_t *values, const json_t *trial, const json_t *step,
			 json_t *seen)
{
	_cleanup_free_ char *plain = step_key(values, step, 0), *key = NULL;
	size_t nth = (size_t)js_get_u64(seen, plain, 0);
	bool good = str_eq(js_get_str(step, "status", ""), "ok");
	const char *metric;
	json_t *m;

	js_set(seen, plain, js_u64(nth + 1));
	key = step_key(values, step, nth);
	json_object_foreach(json_object_get(step, "metrics"), metric, m)
	{
		cell_add(cell_get(c, key, values, step, metric, m), json_object_get(m, "value"),
			 (uint32_t)js_get_u64(trial, "block", 0), good);
	}
}

void cells_collect(const json_t *doc, struct cells *c)
{
	_cleanup_json_ json_t *by_id = js_object();
	json_t *variant, *trial, *step;
	size_t i, k;

	*c = (struct cells){ .index = js_object() };
	json_array_foreach(json_object_get(doc, "variants"), i, variant)
	{
		js_set(by_id, js_get_str(variant, "id", ""), json_incref(json_object_get(variant, "values")));
	}
	json_array_foreach(json_object_get(doc, "trials"), i, trial)
	{
		const json_t *values = json_object_get(by_id, js_get_str(trial, "variant", ""));
		_cleanup_json_ json_t *seen = js_object();

		json_array_foreach(json_object_get(trial, "steps"), k, step)
		{
			if (values && str_eq(js_get_str(step, "kind", ""), "workload"))
				collect_step(c, values, trial, step, seen);
		}
	}
}

const struct cell *cells_find(const struct cells *c, const char *key)
{
	json_t *known = json_object_get(c->index, key);

	return known ? &c->v[json_integer_value(known)] : NULL;
}

void cells_release(struct cells *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].key);
		free(c->v[i].variant);
		free(c->v[i].step);
		free(c->v[i].metric);
		free(c->v[i].unit);
		free(c->v[i].v);
		free(c->v[i].block);
	}
	free(c->v);
	json_decref(c->index);
	*c = (struct cells){ 0 };
}
