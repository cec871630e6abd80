/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin as JSON, from its tables. */
#include "core/cli/plugins.h"
#include "core/util/json.h"

static const char *plugins_json_better(uint32_t better)
{
	return better == FST_HIGHER ? "higher" : better == FST_LOWER ? "lower" : "neutral";
}

static json_t *plugins_json_metrics(const struct fstrial_plugin *d)
{
	json_t *array = js_array();

	for (uint32_t i = 0; i < d->n_metrics; i++) {
		json_t *o = js_object();
		struct fst_metric m;

		plugin_metric(d, i, &m);
		js_set(o, "name", js_str(m.name));
		js_set(o, "unit", js_str(m.unit));
		js_set(o, "better", js_str(plugins_json_better(m.better)));
		js_set(o, "primary", js_bool(m.flags & FST_PRIMARY));
		js_push(array, js_set(o, "doc", js_str(m.doc)));
	}
	return array;
}

static json_t *plugins_json_ops(const struct fstrial_plugin *d)
{
	json_t *array = js_array();

	for (uint32_t i = 0; i < d->n_ops; i++) {
		json_t *o = js_object();
		struct fst_op_kind op;

		plugin_op(d, i, &op);
		js_set(o, "name", js_str(op.name));
		js_push(array, js_set(o, "doc", js_str(op.doc)));
	}
	return array;
}

static json_t *plugins_json_tools(const struct fstrial_plugin *d)
{
	json_t *array = js_array();

	for (uint32_t i = 0; i < d->n_tools; i++) {
		json_t *o = js_object();
		struct fst_tool t;

		plugin_tool(d, i, &t);
		js_set(o, "program", js_str(t.program));
		js_push(array, js_set(o, "package", js_str(t.package)));
	}
	return array;
}

json_t *plugins_json(const struct plugin *p)
{
	const struct fstrial_plugin *d = &p->desc;
	json_t *o = js_object();

	js_set(o, "kind", js_str(plugin_kind_name(d->kind)));
	js_set(o, "name", js_str(d->name));
	js_set(o, "version", js_str(d->version));
	js_set(o, "summary", js_str(d->summary));
	js_set(o, "description", js_str(d->description));
	js_set(o, "file", js_str(p->file));
	js_set(o, "abi", js_u64(d->abi));
	js_set(o, "data_workload", js_bool(plugin_is_data_workload(p)));
	js_set(o, "needs_root", js_bool((d->flags & FST_NEEDS_ROOT) != 0));
	js_set(o, "needs_device", js_bool((d->flags & FST_NEEDS_DEVICE) != 0));
	js_set(o, "destroys_device", js_bool((d->flags & FST_DESTROYS_DEVICE) != 0));
	js_set(o, "on_device", js_bool((d->flags & FST_ON_DEVICE) != 0));
	js_set(o, "params", param_table_json(d->params, d->n_params, d->param_size));
	js_set(o, "metrics", plugins_json_metrics(d));
	js_set(o, "declares_metrics", js_bool((d->flags & FST_DECLARES_METRICS) != 0));
	js_set(o, "ops", plugins_json_ops(d));
	return js_set(o, "tools", plugins_json_tools(d));
}

json_t *plugins_json_table(const struct core_table *t)
{
	json_t *o = js_object();

	js_set(o, "name", js_str(t->name));
	js_set(o, "doc", js_str(t->doc));
	return js_set(o, "params", param_table_json(t->v, t->n, sizeof(*t->v)));
}
