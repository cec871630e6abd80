/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of a document: what was done, and the numbers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/gather_private.h"
#include "core/util/macro.h"
#include "core/util/strbuf.h"

static const struct want step_wants[] = {
	WANT(gather_step, name),
	WANT(gather_step, kind),
	WANT(gather_step, plugin),
	WANT(gather_step, parallel),
	WANT(gather_step, status),
	WANT(gather_step, params),
	WANT(gather_step, notes),
	WANT(gather_step, measured),
	WANT(gather_step, data),
	WANT(gather_step, metrics),
};

const struct want *gather_want(const struct want *wants, size_t n, struct jspan key)
{
	for (size_t i = 0; i < n; i++)
		if (key.len == wants[i].len && memcmp(key.s, wants[i].key, key.len) == 0)
			return &wants[i];
	return NULL;
}

void gather_take_step(struct jscan *j, struct gather_step *step)
{
	struct jspan key;

	for (bool in = jscan_object(j); in && jscan_key(j, &key);) {
		const struct want *w = gather_want(step_wants, ARRAY_SIZE(step_wants), key);

		jscan_value(j, w ? (struct jspan *)((char *)step + w->offset) : NULL);
	}
}

void gather_sub(struct jscan *j, const struct gather *g, struct jspan s)
{
	jscan_init(j, s.s ? s.s : "null", s.s ? s.len : 4, g->path, g->e);
}

/* ---- pieces as texts of the pool ---- */

json_t *gather_piece(struct gather *g, struct jspan s)
{
	json_error_t where;
	json_t *v = s.s ? json_loadb(s.s, s.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &where) : json_null();

	if (!v) {
		(void)err_set(g->e, EINVAL, "%s: %s", g->path, where.text);
		g->failed = true;
		v = json_null();
	}
	return v;
}

const char *gather_piece_text(struct gather *g, struct jspan s)
{
	struct strmap_entry *e;

	if (!s.len)
		return "";
	e = strmap_add(g->set->pool, s.s, s.len, NULL);
	if (!e->value) {
		_cleanup_json_ json_t *v = gather_piece(g, s);
		_cleanup_free_ char *text = json_is_string(v) ? xstrdup(json_string_value(v)) : js_dump(v);

		e->value = (uintptr_t)strmap_text(g->set->pool, text);
	}
	return (const char *)e->value;
}

const char *gather_key_text(struct gather *g, struct jspan key)
{
	return gather_piece_text(g, (struct jspan){ key.s - 1, key.len + 2 });
}

/* What a step did, remembered by its pieces as they are written. */
static const char *step_id(struct gather *g, const struct gather_variant *variant, const struct gather_step *step)
{
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;
	struct strmap_entry *e;

	strbuf_add(&key, &variant->values, sizeof(variant->values));
	strbuf_add(&key, step->plugin.s, step->plugin.len);
	strbuf_addch(&key, '\0');
	strbuf_add(&key, step->parallel.s, step->parallel.len);
	strbuf_addch(&key, '\0');
	strbuf_add(&key, step->params.s, step->params.len);
	e = strmap_add(g->set->pool, key.buf, key.len, NULL);
	if (!e->value) {
		_cleanup_json_ json_t *values = json_loads(variant->values, JSON_DECODE_ANY, NULL);
		_cleanup_json_ json_t *plugin = gather_piece(g, step->plugin), *params = gather_piece(g, step->params);
		_cleanup_json_ json_t *parallel = gather_piece(g, step->parallel);
		_cleanup_free_ char *id = cells_step_id(values, plugin, params, parallel);

		e->value = (uintptr_t)strmap_text(g->set->pool, id);
	}
	return (const char *)e->value;
}

/* ---- steps ---- */

static void gather_metric(struct gather *g, struct jscan *j, struct cell_value *v)
{
	struct jspan key, unit = { 0 }, better = { 0 }, primary = { 0 };

	v->v = NAN;
	for (bool in = jscan_object(j); in && jscan_key(j, &key);) {
		if (jspan_is(key, "value"))
			v->v = jscan_number(j);
		else
			jscan_value(j, jspan_is(key, "unit")	? &unit :
				       jspan_is(key, "better")	? &better :
				       jspan_is(key, "primary") ? &primary :
								  NULL);
	}
	v->unit = gather_piece_text(g, unit);
	v->better = cells_better(gather_piece_text(g, better));
	v->primary = jspan_is(primary, "true");
	cells_put(&g->set->cells, v);
}

static void gather_metrics(struct gather *g, const struct gather_step *step, struct cell_value *v)
{
	struct jspan key;
	struct jscan j;

	gather_sub(&j, g, step->metrics);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);) {
		v->metric = gather_key_text(g, key);
		gather_metric(g, &j, v);
	}
}

static bool is_unsteady(const struct gather *g, const struct gather_step *step)
{
	struct jspan key, steady = { 0 };
	struct jscan j;

	if (!step->measured.len || !memmem(step->measured.s, step->measured.len, "\"steady\"", 8))
		return false;
	gather_sub(&j, g, step->measured);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);)
		jscan_value(&j, jspan_is(key, "steady") ? &steady : NULL);
	return jspan_is(steady, "false");
}

/* As the step itself said: too short to be trusted. Every step has it, so that it is looked for as text. */
static bool is_brief(const struct gather_step *step)
{
	static const char name[] = "\"too_short\"";
	const char *at = step->measured.len ? memmem(step->measured.s, step->measured.len, name, strlen(name)) : NULL;

	if (!at)
		return false;
	at += strlen(name);
	at += strspn(at, " \t\n:");
	return strncmp(at, "true", 4) == 0;
}

/* On a device past its file system, if there is one on it. */
static bool is_on_device(const struct gather *g, const struct gather_step *step)
{
	struct jspan key, device = { 0 };
	struct jscan j;

	if (!step->data.len || !memmem(step->data.s, step->data.len, "\"device\"", 8))
		return false;
	gather_sub(&j, g, step->data);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);)
		jscan_value(&j, jspan_is(key, "device") ? &device : NULL);
	return device.len && *device.s == '{';
}

/* How many equal steps were before it in the trial. */
static size_t count_seen(struct gather *g, const char *id)
{
	size_t n = 0;

	for (size_t i = 0; i < g->seen.n; i++)
		n += g->seen.v[i].step_id == id;
	vec_push(&g->seen, (struct gather_seen){ id });
	return n;
}

void gather_put_step(struct gather *g, const struct gather_variant *variant, const struct gather_trial *t,
		     const struct gather_step *step, const char *fs)
{
	struct cell_value v = { .values = variant->values, .fs = fs, .trial = g->set->cells.n_trials };

	if (!jspan_is_string(step->kind, "workload"))
		return;
	v.step_id = step_id(g, variant, step);
	v.nth = count_seen(g, v.step_id);
	v.step = gather_piece_text(g, step->name);
	v.block = g->first_block + (uint32_t)strtoul(t->block.s ? t->block.s : "0", NULL, 10);
	g->set->n_blocks = MAX(g->set->n_blocks, v.block + 1);
	v.unsteady = is_unsteady(g, step);
	v.brief = is_brief(step);
	if (is_on_device(g, step))
		v.fs = "";
	if (jspan_is_string(step->status, "ok"))
		gather_metrics(g, step, &v);
	else
		cells_put_failure(&g->set->cells, v.step_id, v.nth);
}
