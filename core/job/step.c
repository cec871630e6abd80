/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A step, resolved for a variant: configurations filled from its own values, `global`, and
 * defaults.
 */
#include <errno.h>
#include <string.h>

#include "core/job/expect.h"
#include "core/job/step_check.h"
#include "core/job/step_keys.h"
#include "core/job/step_layer.h"
#include "core/job/subst.h"
#include "core/plugin/registry.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define HOUR_NS (3600ULL * 1000000000)

static const struct value *resolve_global(const struct step_work *w)
{
	return w->def->kind == FST_WORKLOAD ? w->job->global : NULL;
}

/* Binds the layer to its configuration and stores the defaults. */
static void resolve_bind(struct step_work *w, struct param_layer *l, void *base)
{
	struct param_arena *a = &w->out->arena;

	l->base = base;
	l->given = param_arena_add(a, xcalloc(l->n / 64 + 1, sizeof(*l->given)));
	param_set_defaults(l, &w->job->names, a);
}

static void *resolve_cfg(struct step_work *w, const struct plugin *p)
{
	return param_arena_add(&w->out->arena, xcalloc(1, p->desc.cfg_size + 1));
}

/* Sets one parameter from v, as written in group; remembers the place its value comes from. */
static void resolve_set(struct step_work *w, struct param_layer *l, uint32_t entry,
			const struct value *v, bool own)
{
	struct value *put = NULL;
	const struct value *use = v;
	struct fst_param p;
	int ret = 0;

	param_entry(l, entry, &p);
	if (subst_is_needed(v)) {
		ret = subst_value(w->job, w->variant, v, &put, w->d);
		use = put ? put : v;
	} else if (!own) {
		/* Wrong for all steps alike: said once. */
		w->d->prefix = "global";
	}
	if (!ret)
		ret = param_set(l, entry, use, &w->job->names, w->job->dir, &w->out->arena, w->d);
	w->failed = w->failed || ret;
	if (w->n_places < ARRAY_SIZE(w->places))
		w->places[w->n_places++] = (struct step_place){ p.name, use->file, use->line,
								ret != 0 };
	w->d->prefix = w->def->name;
	value_free(put);
}

static void resolve_keys(struct step_work *w, const struct value *group, bool own)
{
	struct step *out = w->out;

	for (size_t i = 0; group && i < group->u.l.n; i++) {
		const struct value *v = group->u.l.v[i];
		const char *key = group->u.l.names[i];
		uint32_t layer, entry;

		/*
		 * What no layer knows was looked at when the job was read; another variant's engine
		 * may.
		 */
		if ((own ? step_is_reserved(key) : !step_keys_is_meant(w->job, w->def, key)) ||
		    step_find(out->layers, out->n_layers, key, &layer, &entry))
			continue;
		if (str_eq(key, "ioengine") && step_is_io(&out->layers[layer]))
			continue;
		if (!param_is_given(&out->layers[layer], entry)) {
			resolve_set(w, &out->layers[layer], entry, v, own);
		} else if (own) {
			struct fst_param p;

			param_entry(&out->layers[layer], entry, &p);
			diag_add(w->d, v->file, v->line,
				 "%s is another name of %s, which is given, too", key,
				 str_eq(key, p.name) ? p.alias : p.name);
			w->failed = true;
		}
	}
}

/* The engine comes first: it brings parameters of its own. */
static void resolve_engine(struct step_work *w, struct param_layer *io)
{
	const struct value *own = value_get(w->def->group, "ioengine");
	const struct value *v = own ? own : value_get(resolve_global(w), "ioengine");
	const struct step_place *at;
	uint32_t entry;
	char why[1024];

	if (v && !param_find(io, "ioengine", &entry))
		resolve_set(w, io, entry, v, own != NULL);
	if (w->failed)
		return;
	w->out->engine = registry_find(w->job->registry, FST_ENGINE, w->out->io.ioengine);
	if (w->out->engine)
		return;
	at = step_place(w, "ioengine");
	diag_add(w->d, at->file, at->line, "ioengine = \"%s\": %s", w->out->io.ioengine,
		 registry_explain(w->job->registry, FST_ENGINE, w->out->io.ioengine, why,
				  sizeof(why)));
	w->failed = true;
}

static void resolve_layers(struct step_work *w)
{
	struct step *out = w->out;

	out->n_layers = step_layers(out->plugin, NULL, out->layers);
	out->cfg = resolve_cfg(w, out->plugin);
	for (uint32_t i = 0; i < out->n_layers; i++) {
		struct param_layer *l = &out->layers[i];

		if (i == out->n_layers - 1)
			resolve_bind(w, l, out->cfg);
		else
			resolve_bind(w, l,
				     step_is_io(l) || step_is_device(l) ? (void *)&out->io
									: (void *)&out->opt);
		if (step_is_io(l))
			resolve_engine(w, l);
	}
	if (out->engine) {
		struct param_layer *l = &out->layers[out->n_layers];

		*l = (struct param_layer){ .owner = out->engine->desc.name,
					   .table = out->engine->desc.params,
					   .n = out->engine->desc.n_params,
					   .stride = out->engine->desc.param_size };
		out->engine_cfg = resolve_cfg(w, out->engine);
		resolve_bind(w, l, out->engine_cfg);
		out->n_layers++;
	}
}

/* Is there an unknown key that was probably meant as name? Then that was said, and is enough. */
static bool resolve_misspelt(const struct step_work *w, const struct value *group, const char *name)
{
	for (size_t i = 0; group && i < group->u.l.n; i++) {
		const char *key = group->u.l.names[i];
		uint32_t layer, entry;

		if (!step_is_reserved(key) &&
		    step_find(w->out->layers, w->out->n_layers, key, &layer, &entry) &&
		    str_nearest(key, &name, 1))
			return true;
	}
	return false;
}

/* Without a size: the plugin has parameters of its own for that, or a device has one. */
static bool resolve_sizes_itself(const struct step_work *w)
{
	return (w->out->plugin->desc.flags & FST_SIZES_ITSELF) || io_on_device(&w->out->io);
}

/* Every parameter that must be given and is not. */
static void resolve_required(struct step_work *w)
{
	for (uint32_t k = 0; k < w->out->n_layers; k++) {
		const struct param_layer *l = &w->out->layers[k];

		if (param_missing(l) < 0)
			continue;
		for (uint32_t i = 0; i < l->n; i++) {
			struct fst_param p;

			param_entry(l, i, &p);
			if (!(p.flags & FST_REQUIRED) || step_is_given(w, p.name) ||
			    (step_is_io(l) && str_eq(p.name, "size") && resolve_sizes_itself(w)) ||
			    resolve_misspelt(w, w->def->group, p.name) ||
			    resolve_misspelt(w, resolve_global(w), p.name))
				continue;
			diag_add(w->d, w->def->file, w->def->line, "%s is needed", p.name);
			w->failed = true;
		}
	}
}

int job_step_resolve(const struct job *job, size_t step, uint32_t variant, struct step *out,
		     struct diag *d)
{
	const char *prefix = d->prefix;
	struct step_work w = {
		.job = job, .def = &job->steps[step], .variant = variant, .out = out, .d = d
	};

	*out = (struct step){ .def = w.def, .plugin = w.def->plugin };
	if (w.def->broken || !out->plugin)
		return -EINVAL;
	d->prefix = w.def->name;
	resolve_layers(&w);
	resolve_keys(&w, w.def->group, true);
	resolve_keys(&w, resolve_global(&w), false);
	if (!out->opt.timeout_ns)
		out->opt.timeout_ns = (w.def->kind == FST_SETUP ? 1 : 24) * HOUR_NS;
	resolve_required(&w);
	step_check(&w);
	expect_resolve(&w);
	if (plugin_is_data_workload(out->plugin))
		out->io_public = io_options_of(&out->io, &out->opt);
	d->prefix = prefix;
	return w.failed ? -EINVAL : 0;
}

void step_release(struct step *s)
{
	param_arena_free(&s->arena);
	free(s->expects);
	*s = (struct step){ 0 };
}

json_t *step_params_json(const struct step *s)
{
	json_t *object = json_object();

	for (uint32_t i = 0; i < s->n_layers; i++)
		param_json_all(&s->layers[i], object);
	return object;
}
