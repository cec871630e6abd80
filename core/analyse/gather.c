/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A document's text into a set. Pieces that look the same from document to document (parameters, variants' values)
 * are parsed once and known by their text afterwards.
 */
#include "core/analyse/gather_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/record/result.h"
#include "core/util/macro.h"
#include "core/util/str.h"

const char *const canary_names[N_CANARIES] = {
	[CANARY_COMPUTE] = "compute",
	[CANARY_RAW] = "raw",
	[CANARY_TMPFS] = "tmpfs",
};

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

static const struct want trial_wants[] = {
	WANT(gather_trial, variant),
	WANT(gather_trial, block),
	WANT(gather_trial, status),
	WANT(gather_trial, filesystem),
	WANT(gather_trial, device_settings),
	WANT(gather_trial, canaries),
};

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
	c->better = cells_better(gather_piece_text(g, better));
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
	gather_sub(&j, g, t->canaries);
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
	gather_variant_facts(g, variant->text, t);
}

static const char *fs_type(struct gather *g, struct jspan fs)
{
	struct jspan key, type = { 0 };
	struct jscan j;

	if (!fs.len || fs.s[0] != '{')
		return strmap_text(g->set->pool, "");
	gather_sub(&j, g, fs);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);) {
		jscan_value(&j, jspan_is(key, "type") ? &type : NULL);
		if (type.len)
			break;
	}
	return gather_piece_text(g, type);
}

static void gather_trial(struct gather *g, struct gather_trial *t)
{
	const char *id = gather_piece_text(g, t->variant), *fs;
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
		gather_put_step(g, variant, t, &t->steps.v[i], fs);
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
			const struct want *w = gather_want(trial_wants, ARRAY_SIZE(trial_wants), key);

			if (!jspan_is(key, "steps")) {
				jscan_value(j, w ? (struct jspan *)((char *)&t + w->offset) : NULL);
				continue;
			}
			for (bool array = jscan_array(j); array && jscan_element(j);) {
				struct gather_step step = { 0 };

				gather_take_step(j, &step);
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

/* "agcount=2 bs=16KiB" of values as JSON; the pool remembers it. */
static const char *variant_text(struct gather *g, const char *values)
{
	_cleanup_free_ char *key = xasprintf("variant %s", values);
	struct strmap_entry *e = strmap_add(g->set->pool, key, strlen(key), NULL);

	if (!e->value) {
		_cleanup_json_ json_t *v = json_loads(values, JSON_DECODE_ANY, NULL);
		_cleanup_free_ char *text = cells_variant_text(v);

		e->value = (uintptr_t)strmap_text(g->set->pool, text);
	}
	return (const char *)e->value;
}

static void gather_variants(struct gather *g, struct jspan variants)
{
	struct jscan j;

	gather_sub(&j, g, variants);
	for (bool in = jscan_array(&j); in && jscan_element(&j);) {
		struct gather_variant one = { .values = "{}" };
		struct jspan key, v;

		for (bool object = jscan_object(&j); object && jscan_key(&j, &key);) {
			jscan_value(&j, &v);
			if (jspan_is(key, "id") && v.len && v.s[0] == '"')
				one.id = gather_piece_text(g, v);
			else if (jspan_is(key, "values") && v.len)
				one.values = gather_piece_text(g, v);
		}
		one.values = strmap_text(g->set->pool, one.values);
		one.text = variant_text(g, one.values);
		vec_push(&g->variants, one);
	}
}

static void gather_head(struct gather *g, const struct gather_doc *doc)
{
	_cleanup_json_ json_t *environment = gather_piece(g, doc->environment), *session = gather_piece(g, doc->session);
	_cleanup_json_ json_t *plugins = gather_piece(g, doc->plugins);
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
		const struct want *w = gather_want(doc_wants, ARRAY_SIZE(doc_wants), key);

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
	gather_sub(j, g, doc->trials);
	gather_trials(g, j);
}

int gather_text(struct set *s, const char *text, size_t len, const char *path, struct err *e)
{
	struct gather g = { .set = s, .path = path, .e = e, .canary_block = UINT32_MAX, .first_block = s->n_blocks };
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
