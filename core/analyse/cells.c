/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From trials to cells. */
#include "core/analyse/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

/* Parameters that change no measurement: how long to wait for it, and which random numbers. */
static const char *const ignored_params[] = { "timeout", "randseed" };

struct strmap *cells_pool(struct cells *c)
{
	return c->pool ? c->pool : &c->own;
}

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

enum cell_better cells_better(const char *better)
{
	return str_eq(better, "higher") ? CELL_HIGHER : str_eq(better, "lower") ? CELL_LOWER : CELL_NEUTRAL;
}

char *cells_step_id(const json_t *values, const json_t *plugin, const json_t *params, const json_t *parallel)
{
	_cleanup_json_ json_t *key = js_object();
	json_t *own = params ? json_copy((json_t *)params) : json_null();
	json_t *beside = parallel ? json_copy((json_t *)parallel) : json_null();
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(ignored_params); i++)
		json_object_del(own, ignored_params[i]);
	/* Beside other workloads it is another measurement; what the group is called does not matter. */
	json_object_del(beside, "name");
	js_set(key, "values", values ? json_incref((json_t *)values) : json_null());
	js_set(key, "plugin", plugin ? json_incref((json_t *)plugin) : json_null());
	js_set(key, "params", own);
	js_set(key, "beside", beside);
	text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
	return text ? text : xstrdup("");
}

/* ---- putting values in ---- */

/* Pointers of the pool stand for their texts. */
struct cell_id {
	const char *step, *metric;
	size_t nth;
};

/* Number of a key in c->v, from 1. */
static size_t cells_number(const struct cells *c, const void *key, size_t len)
{
	const struct strmap_entry *e = strmap_find(&c->index, key, len);

	return e ? (size_t)e->value : 0;
}

/* like with no values; the texts are of the same pool. */
static struct cell *cells_append(struct cells *c, const struct cell *like)
{
	struct cell *cell;

	if (!c->v || c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 32;
		c->v = xreallocarray(c->v, c->cap, sizeof(*c->v));
	}
	cell = &c->v[c->n++];
	*cell = (struct cell){
		.key = like->key,
		.values = like->values,
		.variant = like->variant,
		.step = like->step,
		.metric = like->metric,
		.unit = like->unit,
		.fs = like->fs,
		.better = like->better,
		.primary = like->primary,
	};
	strmap_add(&c->index, &cell->key, sizeof(cell->key), NULL)->value = c->n;
	return cell;
}

static struct cell *cells_new(struct cells *c, const struct cell_id *id, const struct cell_value *v)
{
	struct strmap *pool = cells_pool(c);
	_cleanup_free_ char *key = xasprintf("%s #%zu\n%s", id->step, id->nth, id->metric);
	_cleanup_json_ json_t *values = json_loads(v->values, JSON_DECODE_ANY, NULL);
	_cleanup_free_ char *variant = cells_variant_text(values);
	const struct cell like = {
		.key = strmap_text(pool, key),
		.values = v->values,
		.variant = strmap_text(pool, variant),
		.step = v->step,
		.metric = id->metric,
		.unit = strmap_text(pool, v->unit),
		.fs = v->fs,
		.better = v->better,
		.primary = v->primary,
	};
	struct cell *cell = cells_append(c, &like);

	strmap_add(&c->index, id, sizeof(*id), NULL)->value = c->n;
	return cell;
}

static void cell_reserve(struct cell *cell)
{
	if (cell->n < cell->cap)
		return;
	cell->cap = cell->cap ? cell->cap * 2 : 5;
	cell->v = xreallocarray(cell->v, cell->cap, sizeof(*cell->v));
	cell->block = xreallocarray(cell->block, cell->cap, sizeof(*cell->block));
	cell->trial = xreallocarray(cell->trial, cell->cap, sizeof(*cell->trial));
}

void cells_put(struct cells *c, const struct cell_value *v)
{
	const struct cell_id id = { v->step_id, strmap_text(cells_pool(c), v->metric), v->nth };
	size_t number = cells_number(c, &id, sizeof(id));
	struct cell *cell = number ? &c->v[number - 1] : cells_new(c, &id, v);

	cell->unsteady += v->unsteady;
	cell->brief += v->brief;
	if (isnan(v->v)) {
		cell->failed++;
		return;
	}
	cell_reserve(cell);
	cell->v[cell->n] = v->v;
	cell->block[cell->n] = v->block;
	cell->trial[cell->n++] = v->trial;
}

void cells_put_failure(struct cells *c, const char *step_id, size_t nth)
{
	_cleanup_free_ char *key = xasprintf("%s #%zu\n", step_id, nth);

	strmap_add(&c->failures, key, strlen(key), NULL)->value++;
}

/* Of the key of a cell, what is the step's: all but the metric. */
static size_t cells_step_part(const char *key)
{
	return (size_t)(strrchr(key, '\n') + 1 - key);
}

void cells_finish(struct cells *c)
{
	for (size_t i = 0; c->failures.n && i < c->n; i++) {
		const char *key = c->v[i].key;
		const struct strmap_entry *e = strmap_find(&c->failures, key, cells_step_part(key));

		c->v[i].failed += e ? (size_t)e->value : 0;
	}
}

/* ---- from a document ---- */

static void collect_metrics(struct cells *c, struct cell_value *v, const json_t *step)
{
	const char *metric;
	json_t *m;

	json_object_foreach(json_object_get(step, "metrics"), metric, m)
	{
		v->metric = metric;
		v->unit = js_get_str(m, "unit", "");
		v->better = cells_better(js_get_str(m, "better", ""));
		v->primary = json_is_true(json_object_get(m, "primary"));
		v->v = js_get_real(m, "value", NAN);
		cells_put(c, v);
	}
}

static void collect_step(struct cells *c, const json_t *values, const json_t *trial, const json_t *step, json_t *seen)
{
	const json_t *device = json_object_get(json_object_get(step, "data"), "device");
	/* A step on the device itself is past the file system. */
	const json_t *fs = json_is_object(device) ? NULL : json_object_get(trial, "filesystem");
	_cleanup_free_ char *id = cells_step_id(values, json_object_get(step, "plugin"), json_object_get(step, "params"),
						json_object_get(step, "parallel"));
	_cleanup_free_ char *text = json_dumps(values, JSON_COMPACT);
	struct strmap *pool = cells_pool(c);
	struct cell_value v = {
		.step_id = strmap_text(pool, id),
		.nth = (size_t)js_get_u64(seen, id, 0),
		.values = strmap_text(pool, text ? text : ""),
		.step = strmap_text(pool, js_get_str(step, "name", "")),
		.fs = strmap_text(pool, js_get_str(fs, "type", "")),
		.unsteady = json_is_false(json_object_get(json_object_get(step, "measured"), "steady")),
		.brief = json_is_true(json_object_get(json_object_get(step, "measured"), "too_short")),
		.block = (uint32_t)js_get_u64(trial, "block", 0),
		.trial = c->n_trials,
	};

	js_set(seen, id, js_u64(v.nth + 1));
	if (str_eq(js_get_str(step, "status", ""), "ok"))
		collect_metrics(c, &v, step);
	else
		cells_put_failure(c, v.step_id, v.nth);
}

void cells_collect(const json_t *doc, struct cells *c)
{
	_cleanup_json_ json_t *by_id = js_object();
	json_t *variant, *trial, *step;
	size_t i, k;

	*c = (struct cells){ 0 };
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
		c->n_trials++;
	}
	cells_finish(c);
}

/* ---- looking up ---- */

const struct cell *cells_find(const struct cells *c, const char *key)
{
	const struct strmap_entry *e = strmap_find(c->pool ? c->pool : &c->own, key, strlen(key));
	size_t number = e ? cells_number(c, &e->key, sizeof(e->key)) : 0;

	return number ? &c->v[number - 1] : NULL;
}

void cells_add_failed(struct cells *c, const struct cells *like)
{
	for (size_t i = 0; c->failures.n && i < like->n; i++) {
		const struct cell *cell = &like->v[i];
		const struct strmap_entry *e = strmap_find(&c->failures, cell->key, cells_step_part(cell->key));

		if (!e || cells_find(c, cell->key))
			continue;
		cells_append(c, cell);
		c->v[c->n - 1].failed = (size_t)e->value;
	}
}

void cells_release(struct cells *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].v);
		free(c->v[i].block);
		free(c->v[i].trial);
	}
	free(c->v);
	strmap_free(&c->index);
	strmap_free(&c->failures);
	strmap_free(&c->own);
	*c = (struct cells){ 0 };
}
