/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Are the tables of a plugin's descriptor sound? Each element is looked at in a copy of our
 * size.
 */
#include <errno.h>
#include <string.h>

#include "core/param/param.h"
#include "core/plugin/element.h"
#include "core/plugin/registry.h"
#include "core/plugin/validate.h"
#include "core/util/str.h"

/* More is not a table. */
#define COUNT_MAX 4096u
#define STRIDE_MAX 4096u
#define PARAM_FLAGS_KNOWN ((uint32_t)(FST_REQUIRED | FST_DEPRECATED))
#define METRIC_FLAGS_KNOWN ((uint32_t)FST_PRIMARY)

static const char *const metric_units[] = { "ops/s", "bytes/s", "ns", "bytes", "count", "ratio" };

/*
 * A table before it is read: what, for messages; min and known: sizes of an element in ABI 1
 * and here.
 */
struct table {
	const char *what, *size_field;
	const void *base;
	uint32_t n, stride;
	size_t min, known;
};

static int table_check(const struct table *t, struct err *e)
{
	if (!t->n)
		return 0;
	if (!t->base)
		return err_set(e, EINVAL, "says it has %u %ss but has no table of them", t->n,
			       t->what);
	if (t->n > COUNT_MAX)
		return err_set(e, EINVAL, "says it has %u %ss, more than %u", t->n, t->what,
			       COUNT_MAX);
	if (t->stride < t->min)
		return err_set(e, EINVAL, "%s %u is too small, ABI %u has at least %zu",
			       t->size_field, t->stride, FST_ABI, t->min);
	if (t->stride > STRIDE_MAX || t->stride % _Alignof(void *))
		return err_set(e, EINVAL, "%s %u is not the size of a table's element",
			       t->size_field, t->stride);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!element_tail_is_zero((const char *)t->base + (size_t)i * t->stride, t->stride,
					  t->known))
			return err_set(e, EINVAL, "its %s %u " VALIDATE_NEWER, t->what, i + 1);
	}
	return 0;
}

/* The first bytes of an element are the pointer to its name, in every table. */
static const char *table_name(const struct table *t, uint32_t i)
{
	const char *name;

	memcpy(&name, (const char *)t->base + (size_t)i * t->stride, sizeof(name));
	return name;
}

static int table_check_names(const struct table *t, struct err *e)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const char *name = table_name(t, i);

		if (!name || !*name)
			return err_set(e, EINVAL, "its %s %u has no name", t->what, i + 1);
		for (uint32_t j = 0; j < i; j++) {
			if (!strcmp(name, table_name(t, j)))
				return err_set(e, EINVAL, "has the %s \"%s\" twice", t->what, name);
		}
	}
	return 0;
}

static int table_check_words(const struct table *t, struct err *e)
{
	int ret = table_check_names(t, e);

	for (uint32_t i = 0; !ret && i < t->n; i++) {
		if (!validate_word(table_name(t, i)))
			ret = err_set(
				e, EINVAL,
				"the name of its %s \"%.64s\" is not of the form [a-z][a-z0-9_]*",
				t->what, table_name(t, i));
	}
	return ret;
}

static int validate_choices(const struct fst_param *p, struct err *e)
{
	const struct table t = { "choice",
				 "choice_size",
				 p->choices,
				 p->n_choices,
				 p->choice_size,
				 FIELD_END(struct fst_choice, doc),
				 sizeof(struct fst_choice) };

	if (!table_check(&t, e))
		return 0;
	err_prefix(e, "parameter \"%s\"", p->name ? p->name : "");
	return -EINVAL;
}

static int validate_params(const struct fstrial_plugin *d, struct err *e)
{
	const struct table t = { "parameter",
				 "param_size",
				 d->params,
				 d->n_params,
				 d->param_size,
				 FIELD_END(struct fst_param, doc),
				 sizeof(struct fst_param) };
	int ret = table_check(&t, e);

	for (uint32_t i = 0; !ret && i < d->n_params; i++) {
		struct fst_param p;

		element_copy(d->params, i, d->param_size, &p, sizeof(p));
		if (p.flags & ~PARAM_FLAGS_KNOWN)
			return err_set(
				e, EINVAL,
				"parameter \"%s\" sets flags 0x%x that this fstrial does not know",
				p.name ? p.name : "", p.flags & ~PARAM_FLAGS_KNOWN);
		ret = validate_choices(&p, e);
	}
	if (ret || !d->n_params)
		return ret;
	return param_check_table(d->name, d->params, d->n_params, d->param_size, d->cfg_size, e);
}

static bool metric_unit_is_known(const char *unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(metric_units); i++) {
		if (str_eq(unit, metric_units[i]))
			return true;
	}
	return false;
}

int validate_metric(const struct fst_metric *m, struct err *e)
{
	if (!m->unit || !*m->unit)
		return err_set(e, EINVAL, "metric \"%s\" has no unit", m->name);
	if (!metric_unit_is_known(m->unit))
		return err_set(e, EINVAL,
			       "metric \"%s\": unit \"%.64s\" is none of ops/s, bytes/s, ns, "
			       "bytes, count, ratio",
			       m->name, m->unit);
	if (m->better > FST_LOWER)
		return err_set(e, EINVAL, "metric \"%s\": better %u is unknown", m->name,
			       m->better);
	if (m->agg > FST_MIN)
		return err_set(e, EINVAL, "metric \"%s\": agg %u is unknown", m->name, m->agg);
	if (m->flags & ~METRIC_FLAGS_KNOWN)
		return err_set(e, EINVAL,
			       "metric \"%s\" sets flags 0x%x that this fstrial does not know",
			       m->name, m->flags & ~METRIC_FLAGS_KNOWN);
	if (m->reserved)
		return err_set(e, EINVAL, "metric \"%s\" " VALIDATE_NEWER " (reserved is %u)",
			       m->name, m->reserved);
	if (!m->doc || !*m->doc)
		return err_set(e, EINVAL, "metric \"%s\" has no doc", m->name);
	return 0;
}

static int validate_metrics(const struct fstrial_plugin *d, struct err *e)
{
	const struct table t = { "metric",
				 "metric_size",
				 d->metrics,
				 d->n_metrics,
				 d->metric_size,
				 FIELD_END(struct fst_metric, doc),
				 sizeof(struct fst_metric) };
	int ret = table_check(&t, e);

	if (!ret)
		ret = table_check_words(&t, e);
	for (uint32_t i = 0; !ret && i < d->n_metrics; i++) {
		struct fst_metric m;

		plugin_metric(d, i, &m);
		ret = validate_metric(&m, e);
	}
	return ret;
}

/* The core's own keys of latencies of a data workload. */
static int validate_op_name(const struct fstrial_plugin *d, const char *name, struct err *e)
{
	static const char *const own[] = { "read", "write", "trim", "sync" };

	for (size_t i = 0; d->next && i < ARRAY_SIZE(own); i++) {
		if (!strcmp(own[i], name))
			return err_set(
				e, EINVAL,
				"operation \"%s\" has the name of one that is counted anyway",
				name);
	}
	return 0;
}

static int validate_ops(const struct fstrial_plugin *d, struct err *e)
{
	const struct table t = { "operation",
				 "op_size",
				 d->ops,
				 d->n_ops,
				 d->op_size,
				 FIELD_END(struct fst_op_kind, doc),
				 sizeof(struct fst_op_kind) };
	int ret;

	if (d->n_ops && !d->run && !d->next)
		return err_set(e, EINVAL, "has operations without \"run\" or \"next\"");
	ret = table_check(&t, e);
	if (!ret)
		ret = table_check_words(&t, e);
	for (uint32_t i = 0; !ret && i < d->n_ops; i++) {
		struct fst_op_kind op;

		plugin_op(d, i, &op);
		if (!op.doc || !*op.doc)
			return err_set(e, EINVAL, "operation \"%s\" has no doc", op.name);
		ret = validate_op_name(d, op.name, e);
	}
	return ret;
}

static int validate_tools(const struct fstrial_plugin *d, struct err *e)
{
	const struct table t = { "tool",
				 "tool_size",
				 d->tools,
				 d->n_tools,
				 d->tool_size,
				 FIELD_END(struct fst_tool, package),
				 sizeof(struct fst_tool) };
	int ret = table_check(&t, e);

	if (!ret)
		ret = table_check_names(&t, e);
	for (uint32_t i = 0; !ret && i < d->n_tools; i++) {
		struct fst_tool tool;

		plugin_tool(d, i, &tool);
		if (!tool.package || !*tool.package)
			return err_set(e, EINVAL, "tool \"%s\" has no package", tool.program);
	}
	return ret;
}

int validate_tables(const struct fstrial_plugin *d, struct err *e)
{
	int ret = validate_params(d, e);

	if (!ret)
		ret = validate_metrics(d, e);
	if (!ret)
		ret = validate_ops(d, e);
	if (!ret)
		ret = validate_tools(d, e);
	return ret;
}
