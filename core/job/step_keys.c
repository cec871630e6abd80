/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a step know its keys? */
#include "core/job/step_keys.h"

#include <errno.h>
#include <string.h>

#include "core/job/step_layer.h"
#include "core/job/subst.h"
#include "core/plugin/registry.h"
#include "core/util/log.h"
#include "core/util/str.h"
#include "core/util/vec.h"

#define STEP_DEFAULT_ENGINE "psync"

typedef VEC(const char *) key_names;

/* What global gives to a step: nothing to setup steps. */
static const struct value *step_global(const struct job *job, const struct job_step *s)
{
	return s->kind == FST_WORKLOAD ? job->global : NULL;
}

bool step_keys_is_meant(const struct job *job, const struct job_step *s, const char *key)
{
	if (plugin_is_data_workload(s->plugin) || !step_is_io_key(key))
		return true;
	for (size_t i = 0; i < job->n_steps; i++)
		if (job->steps[i].plugin && plugin_is_data_workload(job->steps[i].plugin))
			return false;
	return true;
}

const struct plugin *step_keys_engine(const struct job *job, const struct job_step *s, bool *any)
{
	const struct value *v = value_get(s->group, "ioengine");
	const char *name = STEP_DEFAULT_ENGINE;
	const struct plugin *engine;

	*any = false;
	if (!plugin_is_data_workload(s->plugin))
		return NULL;
	if (!v)
		v = value_get(step_global(job, s), "ioengine");
	if (v && v->type == VALUE_STR && !subst_is_needed(v))
		name = v->u.s;
	else if (v)
		name = NULL;
	engine = name ? registry_find(job->registry, FST_ENGINE, name) : NULL;
	*any = !engine;
	return engine;
}

/*
 * Does an engine, one that a variant may choose, know the key? Adds its names to names (may be
 * NULL).
 */
static bool key_of_an_engine(const struct job *job, const char *key, key_names *names)
{
	bool found = false;

	for (size_t i = 0; i < job->registry->n; i++) {
		const struct fstrial_plugin *desc = &job->registry->v[i]->desc;
		const struct param_layer l = { .table = desc->params,
					       .n = desc->n_params,
					       .stride = desc->param_size };
		uint32_t at;

		if (desc->kind != FST_ENGINE)
			continue;
		found = found || !param_find(&l, key, &at);
		for (at = 0; names && at < l.n; at++) {
			struct fst_param p;

			param_entry(&l, at, &p);
			vec_push(names, p.name);
		}
	}
	return found;
}

/* Does the step know the key, in any variant? Adds the names it knows to names (may be NULL). */
static bool key_is_known(const struct job *job, const struct job_step *s, const char *key,
			 key_names *names, struct fst_param *p)
{
	struct param_layer layers[STEP_MAX_LAYERS];
	uint32_t n, layer, entry;
	bool any;

	n = step_layers(s->plugin, step_keys_engine(job, s, &any), layers);
	*p = (struct fst_param){ 0 };
	if (!step_find(layers, n, key, &layer, &entry)) {
		param_entry(&layers[layer], entry, p);
		return true;
	}
	for (layer = 0; names && layer < n; layer++) {
		for (entry = 0; entry < layers[layer].n; entry++) {
			struct fst_param other;

			param_entry(&layers[layer], entry, &other);
			vec_push(names, other.name);
		}
	}
	return any && key_of_an_engine(job, key, names);
}

static void key_unknown(const struct job_step *s, const struct value *at, const char *key,
			key_names *names, struct diag *d)
{
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(step_reserved); i++)
		vec_push(names, step_reserved[i]);
	near = str_nearest(key, names->v, names->n);
	if (near)
		diag_add(d, at->file, at->line, "unknown key \"%s\"; did you mean \"%s\"?", key,
			 near);
	else
		diag_add(d, at->file, at->line,
			 "unknown key \"%s\"; `fstrial plugins %s` lists what there is", key,
			 s->plugin_name);
}

static void key_check(const struct job *job, struct job_step *s, const char *key,
		      const struct value *v, struct diag *d)
{
	key_names names = VEC_INIT;
	struct fst_param p;

	if (!key_is_known(job, s, key, &names, &p)) {
		key_unknown(s, v, key, &names, d);
	} else if (!subst_scan(job, v, s->once ? NULL : &s->factors, d) &&
		   (p.flags & FST_DEPRECATED)) {
		log_warning("%s:%u: %s: %s is deprecated: %s", v->file, v->line, s->name, key,
			    p.doc);
	}
	vec_free(&names);
}

/* Do names of plugin, engine and core collide? */
static bool keys_collide(const struct job_step *s, const struct plugin *engine, struct diag *d)
{
	struct param_layer layers[STEP_MAX_LAYERS];
	struct err e = { 0 };

	if (!step_check_layers(layers, step_layers(s->plugin, engine, layers), &e))
		return false;
	diag_add(d, s->file, s->line, "%s", e.text);
	return true;
}

static bool keys_collide_any(const struct job *job, const struct job_step *s, struct diag *d)
{
	bool any;
	bool collide = keys_collide(s, step_keys_engine(job, s, &any), d);

	for (size_t i = 0; any && i < job->registry->n; i++) {
		if (job->registry->v[i]->desc.kind == FST_ENGINE &&
		    keys_collide(s, job->registry->v[i], d))
			collide = true;
	}
	return collide;
}

static bool step_has_key(const struct job *job, const struct job_step *s, const char *key)
{
	return value_get(s->group, key) || value_get(step_global(job, s), key);
}

/*
 * Whether a cold start can be had depends on which mounts there are; whether the trial's device may be written, and
 * how large it is, on which devices are made, too.
 */
static uint64_t step_place_factors(const struct job *job, const struct job_step *s)
{
	uint64_t factors = 0, flags = 0;

	if (s->kind == FST_WORKLOAD && step_has_key(job, s, "cold"))
		flags |= FST_PROVIDES_DIR;
	if (s->kind == FST_WORKLOAD && step_has_key(job, s, "filename"))
		flags |= FST_PROVIDES_DIR | FST_PROVIDES_DEVICE;
	for (const struct job_step *k = job->steps; k < s; k++)
		if (k->plugin && (k->plugin->desc.flags & flags))
			factors |= k->factors;
	return factors;
}

void step_keys_check(const struct job *job, struct job_step *s, struct diag *d)
{
	const struct value *global = step_global(job, s);

	s->broken = keys_collide_any(job, s, d) || s->broken;
	s->factors |= step_place_factors(job, s);
	for (size_t i = 0; i < s->group->u.l.n; i++) {
		const char *key = s->group->u.l.names[i];

		/* Of the words of job files the only one that may hold factors. */
		if (str_eq(key, "expect") && subst_scan(job, s->group->u.l.v[i], &s->factors, d))
			s->broken = true;
		if (step_is_reserved(key))
			continue;
		key_check(job, s, key, s->group->u.l.v[i], d);
	}
	for (size_t i = 0; global && i < global->u.l.n; i++) {
		const char *key = global->u.l.names[i];
		struct diag said_later = { 0 };
		struct fst_param p;

		if (value_get(s->group, key) || !key_is_known(job, s, key, NULL, &p))
			continue;
		/* For its factors only. */
		if (subst_scan(job, global->u.l.v[i], &s->factors, &said_later))
			diag_free(&said_later);
	}
}

/* ---- global ---------------------------------------------------------------------------------- */

static void global_unknown(const struct job *job, const struct value *at, const char *key,
			   const key_names *names, struct diag *d)
{
	const char *near = str_nearest(key, names->v, names->n);
	struct fst_param p;

	for (size_t i = 0; i < job->n_steps; i++) {
		const struct job_step *s = &job->steps[i];

		if (!s->plugin || s->kind != FST_SETUP || !key_is_known(job, s, key, NULL, &p))
			continue;
		diag_add(d, at->file, at->line,
			 "%s is a parameter of the setup step %s: global is for workloads only",
			 key, s->name);
		return;
	}
	if (near)
		diag_add(d, at->file, at->line, "unknown key \"%s\"; did you mean \"%s\"?", key,
			 near);
	else
		diag_add(d, at->file, at->line,
			 "unknown key \"%s\": no workload of this job has it", key);
}

static void global_check_key(const struct job *job, const char *key, const struct value *v,
			     struct diag *d)
{
	bool known = false, unsure = false;
	key_names names = VEC_INIT;
	uint64_t factors = 0;
	struct fst_param p;

	for (size_t i = job->n_once; !known && i < job->n_steps; i++) {
		const struct job_step *s = &job->steps[i];

		/* A workload that we have not may have it. */
		if (!s->plugin)
			unsure = true;
		else if (s->kind == FST_WORKLOAD)
			known = key_is_known(job, s, key, &names, &p);
	}
	if (!known && (!unsure || str_nearest(key, names.v, names.n)))
		global_unknown(job, v, key, &names, d);
	else if (subst_scan(job, v, &factors, d))
		known = false; /* said */
	vec_free(&names);
}

void step_keys_check_global(const struct job *job, struct diag *d)
{
	d->prefix = "global";
	for (size_t i = 0; job->global && i < job->global->u.l.n; i++)
		global_check_key(job, job->global->u.l.names[i], job->global->u.l.v[i], d);
	d->prefix = NULL;
}
