/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose parameters a step has: the core's tables in front of those of its plugin and engine. */
#include <errno.h>

#include "core/job/step_layer.h"
#include "core/plugin/registry.h"
#include "core/util/str.h"

/* In core_tables. */
enum { LAYER_STEP, LAYER_WORKLOAD, LAYER_IO, LAYER_DEVICE };

const char *const step_reserved[5] = { "setup", "workload", "name", "when", "expect" };

bool step_is_reserved(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(step_reserved); i++) {
		if (str_eq(step_reserved[i], key))
			return true;
	}
	return false;
}

static struct param_layer step_core_layer(size_t table)
{
	const struct core_table *t = &core_tables[table];

	return (struct param_layer){
		.owner = t->name, .table = t->v, .n = t->n, .stride = sizeof(*t->v)
	};
}

static struct param_layer step_plugin_layer(const struct plugin *p)
{
	return (struct param_layer){ .owner = p->desc.name,
				     .table = p->desc.params,
				     .n = p->desc.n_params,
				     .stride = p->desc.param_size };
}

uint32_t step_layers(const struct plugin *plugin, const struct plugin *engine,
		     struct param_layer *layers)
{
	uint32_t n = 0;

	layers[n++] = step_core_layer(LAYER_STEP);
	if (plugin->desc.kind == FST_WORKLOAD)
		layers[n++] = step_core_layer(LAYER_WORKLOAD);
	if (plugin_is_data_workload(plugin))
		layers[n++] = step_core_layer(LAYER_IO);
	if (plugin_is_data_workload(plugin) && (plugin->desc.flags & FST_ON_DEVICE))
		layers[n++] = step_core_layer(LAYER_DEVICE);
	layers[n++] = step_plugin_layer(plugin);
	if (engine)
		layers[n++] = step_plugin_layer(engine);
	return n;
}

bool step_is_io(const struct param_layer *l)
{
	return l->table == core_tables[LAYER_IO].v;
}

bool step_is_io_key(const char *key)
{
	const struct param_layer l = step_core_layer(LAYER_IO);
	uint32_t at;

	return !param_find(&l, key, &at);
}

bool step_is_device(const struct param_layer *l)
{
	return l->table == core_tables[LAYER_DEVICE].v;
}

int step_find(const struct param_layer *layers, uint32_t n, const char *key, uint32_t *layer,
	      uint32_t *entry)
{
	for (*layer = 0; *layer < n; ++*layer) {
		if (!param_find(&layers[*layer], key, entry))
			return 0;
	}
	return -ENOENT;
}

static int step_check_name(const struct param_layer *layers, uint32_t n, const char *name,
			   struct err *e)
{
	uint32_t layer, entry;

	if (!name)
		return 0;
	if (step_is_reserved(name))
		return err_set(e, EINVAL, "parameter \"%s\" of plugin %s is a word of job files",
			       name, layers[n].owner);
	if (!step_find(layers, n, name, &layer, &entry))
		return err_set(e, EINVAL, "parameter \"%s\" of plugin %s is one of \"%s\" already",
			       name, layers[n].owner, layers[layer].owner);
	return 0;
}

int step_check_layers(const struct param_layer *layers, uint32_t n, struct err *e)
{
	int ret = 0;

	for (uint32_t k = 0; k < n; k++) {
		for (uint32_t i = 0; !ret && i < layers[k].n; i++) {
			struct fst_param p;

			param_entry(&layers[k], i, &p);
			ret = step_check_name(layers, k, p.name, e);
			if (!ret)
				ret = step_check_name(layers, k, p.alias, e);
		}
	}
	return ret;
}
