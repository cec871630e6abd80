/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A document's text into a set. Pieces that look the same from document to document (parameters, variants' values)
 * are parsed once and known by their text afterwards.
 */
#include "core/analyse/gather.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/record/result.h"
#include "core/util/jscan.h"
#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/vec.h"

const char *const canary_names[N_CANARIES] = {
	[CANARY_COMPUTE] = "compute",
	[CANARY_RAW] = "raw",
	[CANARY_TMPFS] = "tmpfs",
};

/* Members of an object that are wanted: where to put which. */
struct want {
	const char *key;
	size_t len, offset; /* of a struct jspan */
};
#define WANT(T, member)                                                  \
	{                                                                \
		#member, sizeof(#member) - 1, offsetof(struct T, member) \
	}

struct gather_doc {
	struct jspan format, session, environment, plugins, variants, trials;
};

static const struct want doc_wants[] = {
	WANT(gather_doc, format),
	WANT(gather_doc, session),
	WANT(gather_doc, environment),
	WANT(gather_doc, plugins),
	WANT(gather_doc, variants),
	WANT(gather_doc, trials),
};

struct gather_step {
	struct jspan name, kind, plugin, parallel, status, params, measured, metrics;
};

static const struct want step_wants[] = {
	WANT(gather_step, name),
	WANT(gather_step, kind),
	WANT(gather_step, plugin),
	WANT(gather_step, parallel),
	WANT(gather_step, status),
	WANT(gather_step, params),
	WANT(gather_step, measured),
	WANT(gather_step, metrics),
};

struct gather_trial {
	struct jspan variant, block, status, filesystem, device_settings, canaries;
	VEC(struct gather_step) steps;
};

static const struct want trial_wants[] = {
	WANT(gather_trial, variant),
	WANT(gather_trial, block),
	WANT(gather_trial, status),
	WANT(gather_trial, filesystem),
	WANT(gather_trial, device_settings),
	WANT(gather_trial, canaries),
};

struct gather_variant {
	const char *id, *values, *text;
	bool known; /* its conditions are */
};

/* Equal steps of one trial. */
struct gather_seen {
	const char *step_id;
};

struct gather {
	struct set *set;
	const char *path;
	struct err *e;
	VEC(struct gather_variant) variants;
	VEC(struct gather_seen) seen;
	struct facts facts;
	uint32_t canary_block; /* the last one whose canaries were taken */
	bool failed;
};

static struct want const *want_find(const struct want *wants, size_t n, struct jspan key)
{
	for (size_t i = 0; i < n; i++)
		if (key.len == wants[i].len && memcmp(key.s, wants[i].key, key.len) == 0)
			return &wants[i];
	return NULL;
}

/* The wanted members of the object that comes next. */
static void want_take(struct jscan *j, const struct want *wants, size_t n, void *into)
{
	struct jspan key;

	for (bool in = jscan_object(j); in && jscan_key(j, &key);) {
		const struct want *w = want_find(wants, n, key);

		jscan_value(j, w ? (struct jspan *)((char *)into + w->offset) : NULL);
	}
}

static void sub_init(struct jscan *j, const struct gather *g, struct jspan s)
{
	jscan_init(j, s.s ? s.s : "null", s.s ? s.len : 4, g->path, g->e);
}

/* ---- pieces as texts of the pool ---- */

static json_t *piece(struct gather *g, struct jspan s)
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

/* Of a string its text, of another value its JSON. The pool remembers what was made of which text. */
static const char *piece_text(struct gather *g, struct jspan s)
{
	struct strmap_entry *e;

	if (!s.len)
		return "";
	e = strmap_add(g->set->pool, s.s, s.len, NULL);
	if (!e->value) {
		_cleanup_json_ json_t *v = piece(g, s);
		_cleanup_free_ char *text = json_is_string(v) ? xstrdup(json_string_value(v)) :
								json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);

		e->value = (uintptr_t)strmap_text(g->set->pool, text ? text : "");
	}
	return (const char *)e->value;
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
		_cleanup_json_ json_t *plugin = piece(g, step->plugin), *params = piece(g, step->params);
		_cleanup_json_ json_t *parallel = piece(g, step->parallel);
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
	v->unit = piece_text(g, unit);
	v->better = cells_better(piece_text(g, better));
	v->primary = jspan_is(primary, "true");
	cells_put(&g->set->cells, v);
}

static void gather_metrics(struct gather *g, const struct gather_step *step, struct cell_value *v)
{
	struct jspan key;
	struct jscan j;

	sub_init(&j, g, step->metrics);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);) {
		/* With its quotes, so that escapes are understood. */
		v->metric = piece_text(g, (struct jspan){ key.s - 1, key.len + 2 });
		gather_metric(g, &j, v);
	}
}

static bool is_unsteady(const struct gather *g, const struct gather_step *step)
{
	struct jspan key, steady = { 0 };
	struct jscan j;

	if (!step->measured.len || !memmem(step->measured.s, step->measured.len, "\"steady\"", 8))
		return false;
	sub_init(&j, g, step->measured);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);)
		jscan_value(&j, jspan_is(key, "steady") ? &steady : NULL);
	return jspan_is(steady, "false");
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

static void gather_step(struct gather *g, const struct gather_variant *variant, const struct gather_trial *t,
			const struct gather_step *step, const char *fs)
{
	struct cell_value v = { .values = variant->values, .fs = fs, .trial = g->set->cells.n_trials };

	if (!jspan_is_string(step->kind, "workload"))
		return;
	v.step_id = step_id(g, variant, step);
	v.nth = count_seen(g, v.step_id);
	v.step = piece_text(g, step->name);
	v.block = (uint32_t)strtoul(t->block.s ? t->block.s : "0", NULL, 10);
	v.unsteady = is_unsteady(g, step);
	if (jspan_is_string(step->status, "ok"))
		gather_metrics(g, step, &v);
	else
		cells_put_failure(&g->set->cells, v.step_id, v.nth);
}

/* ---- trials ---- */

static void gather_canary(struct gather *g, struct jscan *j, enum canary_kind which)
{
	struct canary_values *c = &g->set->canary[which];
	struct cell_value v = { 0 };
	struct jspan key, better = { 0 };

	v.v = NAN;
	for (bool in = jscan_object(j); in && jscan_key(j, &key);) {
		if (jspan_is(key, "value"))
			v.v = jscan_number(j);
		else
			jscan_value(j, jspan_is(key, "better") ? &better : NULL);
	}
	if (!(v.v > 0))
		return;
	c->better = cells_better(piece_text(g, better));
	c->v = xreallocarray(c->v, c->n + 1, sizeof(*c->v));
	c->v[c->n++] = v.v;
}

/* They are in each trial of a block, and were measured once. */
static void gather_canaries(struct gather *g, const struct gather_trial *t)
{
	uint32_t block = (uint32_t)strtoul(t->block.s ? t->block.s : "0", NULL, 10);
	struct jspan key;
	struct jscan j;

	if (block == g->canary_block || !t->canaries.len || t->canaries.s[0] != '{')
		return;
	g->canary_block = block;
	sub_init(&j, g, t->canaries);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);) {
		size_t i = 0;

		while (i < N_CANARIES && !jspan_is(key, canary_names[i]))
			i++;
		if (i < N_CANARIES)
			gather_canary(g, &j, (enum canary_kind)i);
		else
			jscan_value(&j, NULL);
	}
}

/* Conditions of a variant: those of its first good trial, as they were the same in all of them. */
static void gather_conditions(struct gather *g, struct gather_variant *variant, const struct gather_trial *t)
{
	if (variant->known || !jspan_is_string(t->status, "ok"))
		return;
	variant->known = true;
	_cleanup_json_ json_t *fs = piece(g, t->filesystem), *settings = piece(g, t->device_settings);

	facts_add_variant(&g->facts, g->set->pool, variant->text, fs, settings);
}

static const char *fs_type(struct gather *g, struct jspan fs)
{
	struct jspan key, type = { 0 };
	struct jscan j;

	if (!fs.len || fs.s[0] != '{')
		return strmap_text(g->set->pool, "");
	sub_init(&j, g, fs);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);) {
		jscan_value(&j, jspan_is(key, "type") ? &type : NULL);
		if (type.len)
			break;
	}
	return piece_text(g, type);
}

static void gather_trial(struct gather *g, struct gather_trial *t)
{
	const char *id = piece_text(g, t->variant), *fs;
	struct gather_variant *variant = NULL;

	for (size_t i = 0; i < g->variants.n && !variant; i++)
		if (g->variants.v[i].id == id)
			variant = &g->variants.v[i];
	if (!variant)
		return;
	g->seen.n = 0;
	fs = fs_type(g, t->filesystem);
	gather_conditions(g, variant, t);
	gather_canaries(g, t);
	for (size_t i = 0; i < t->steps.n; i++)
		gather_step(g, variant, t, &t->steps.v[i], fs);
}

/* Steps are taken apart as they are passed, as they are nearly all of a document. */
static void gather_trials(struct gather *g, struct jscan *j)
{
	struct gather_trial t = { 0 };
	struct jspan key;

	for (bool in = jscan_array(j); in && jscan_element(j);) {
		t = (struct gather_trial){ .steps = t.steps };
		t.steps.n = 0;
		for (bool object = jscan_object(j); object && jscan_key(j, &key);) {
			const struct want *w = want_find(trial_wants, ARRAY_SIZE(trial_wants), key);

			if (!jspan_is(key, "steps")) {
				jscan_value(j, w ? (struct jspan *)((char *)&t + w->offset) : NULL);
				continue;
			}
			for (bool array = jscan_array(j); array && jscan_element(j);) {
				struct gather_step step = { 0 };

				want_take(j, step_wants, ARRAY_SIZE(step_wants), &step);
				vec_push(&t.steps, step);
			}
		}
		if (!j->failed)
			gather_trial(g, &t);
		g->set->cells.n_trials++;
	}
	vec_free(&t.steps);
}

/* ---- the document ---- */

static void gather_variants(struct gather *g, struct jspan variants)
{
	_cleanup_json_ json_t *list = piece(g, variants);
	json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		const json_t *values = json_object_get(v, "values");
		_cleanup_free_ char *json = json_dumps(values, JSON_COMPACT | JSON_ENCODE_ANY);
		_cleanup_free_ char *text = cells_variant_text(values);
		struct gather_variant one = {
			.id = strmap_text(g->set->pool, js_get_str(v, "id", "")),
			.values = strmap_text(g->set->pool, json ? json : "{}"),
			.text = strmap_text(g->set->pool, text),
		};

		vec_push(&g->variants, one);
	}
}

static void gather_head(struct gather *g, const struct gather_doc *doc)
{
	_cleanup_json_ json_t *environment = piece(g, doc->environment), *session = piece(g, doc->session);
	_cleanup_json_ json_t *plugins = piece(g, doc->plugins);
	struct set *s = g->set;
	struct set_doc one = {
		.path = strmap_text(s->pool, g->path),
		.boot = strmap_text(s->pool, js_get_str(session, "boot_id", "")),
		.started = strmap_text(s->pool, js_get_str(session, "started", "")),
		.first_trial = s->cells.n_trials,
	};

	facts_add_result(&g->facts, s->pool, environment, session, plugins);
	s->docs = xreallocarray(s->docs, s->n_docs + 1, sizeof(*s->docs));
	s->docs[s->n_docs++] = one;
}

static bool facts_differ(struct set *s, const struct facts *f)
{
	struct differences d;
	bool differ = false;

	comparable_find(&s->facts, f, &d);
	for (size_t i = 0; i < d.n; i++)
		differ |= d.v[i].confounding || str_eq(d.v[i].what, "kernel");
	if (differ)
		s->mixed = d;
	else
		comparable_release(&d);
	return differ;
}

/* The first document's conditions are the set's, and the others' are held against them. */
static void gather_facts(struct gather *g)
{
	struct set *s = g->set;

	if (s->n_docs == 1) {
		s->facts = g->facts;
		return;
	}
	if (!s->mixed_with && facts_differ(s, &g->facts))
		s->mixed_with = s->docs[s->n_docs - 1].path;
	facts_release(&g->facts);
}

/* Members behind the trials that the trials need are rare: then the trials are gone over once more. */
static void gather_document(struct gather *g, struct jscan *j, struct gather_doc *doc)
{
	struct jspan key;
	bool done = false;

	for (bool in = jscan_object(j); in && jscan_key(j, &key);) {
		const struct want *w = want_find(doc_wants, ARRAY_SIZE(doc_wants), key);

		if (w && w->offset == offsetof(struct gather_doc, trials) && doc->variants.len && doc->session.len &&
		    doc->environment.len) {
			gather_head(g, doc);
			gather_variants(g, doc->variants);
			gather_trials(g, j);
			done = true;
			continue;
		}
		jscan_value(j, w ? (struct jspan *)((char *)doc + w->offset) : NULL);
	}
	if (done || j->failed)
		return;
	gather_head(g, doc);
	gather_variants(g, doc->variants);
	sub_init(j, g, doc->trials);
	gather_trials(g, j);
}

int gather_text(struct set *s, const char *text, size_t len, const char *path, struct err *e)
{
	struct gather g = { .set = s, .path = path, .e = e, .canary_block = UINT32_MAX };
	struct gather_doc doc = { 0 };
	struct jscan j;
	int r;

	jscan_init(&j, text, len, path, e);
	gather_document(&g, &j, &doc);
	r = jscan_end(&j);
	if (r == 0 && !jspan_is_string(doc.format, RESULT_FORMAT))
		r = err_set(e, EINVAL, "%s is not a result document of format %s", path, RESULT_FORMAT);
	if (r == 0 && g.failed)
		r = -EINVAL;
	if (s->n_docs)
		gather_facts(&g);
	else
		facts_release(&g.facts);
	vec_free(&g.variants);
	vec_free(&g.seen);
	return r;
}
