/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a step's numbers must be. */
#include "core/job/expect.h"

#include <errno.h>
#include <string.h>

#include "core/io/hist.h"
#include "core/io/loop.h"
#include "core/job/subst.h"
#include "core/param/number.h"
#include "core/plugin/registry.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

typedef VEC(const char *) expect_names;

static const char *const expect_fields[] = { "min", "max", "mean", "count" };

static const struct {
	const char *sign;
	enum expect_cmp cmp;
} expect_signs[] = {
	/* Longer ones first. */
	{ "<=", EXPECT_LE }, { ">=", EXPECT_GE }, { "==", EXPECT_EQ },
	{ "!=", EXPECT_NE }, { "<", EXPECT_LT },  { ">", EXPECT_GT },
};

/* One that is being read. */
struct expect_work {
	struct step_work *w;
	const struct value *at;
	struct expect x;
};

static int _printf_(2, 3) expect_fail(const struct expect_work *k, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&sb, fmt, ap);
	va_end(ap);
	diag_add(k->w->d, k->at->file, k->at->line, "expect = \"%s\": %s", k->x.text,
		 strbuf_str(&sb));
	strbuf_free(&sb);
	k->w->failed = true;
	return -EINVAL;
}

/* `no metric "x"; did you mean "y"?`, or a list of what there is. */
static int expect_unknown(const struct expect_work *k, const char *what, const char *name,
			  const expect_names *names)
{
	const char *near = str_nearest(name, names->v, names->n);
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < names->n; i++)
		strbuf_addf(&sb, "%s%s", i ? ", " : "", names->v[i]);
	if (near)
		expect_fail(k, "unknown %s \"%s\"; did you mean \"%s\"?", what, name, near);
	else
		expect_fail(k, "unknown %s \"%s\"; there are: %s", what, name,
			    names->n ? strbuf_str(&sb) : "none");
	strbuf_free(&sb);
	return -EINVAL;
}

/* ---- the left side --------------------------------------------------------------------------- */

static void expect_op_names(const struct plugin *p, expect_names *names)
{
	for (uint32_t i = 0; i < p->desc.n_ops; i++) {
		struct fst_op_kind op;

		plugin_op(&p->desc, i, &op);
		vec_push(names, op.name);
	}
	for (uint32_t i = 0; plugin_is_data_workload(p) && i < LOOP_KINDS; i++)
		vec_push(names, loop_kind_names[i]);
}

static bool expect_has(const expect_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (str_eq(names->v[i], name))
			return true;
	}
	return false;
}

static int expect_metric(struct expect_work *k, const char *name)
{
	const struct fstrial_plugin *desc = &k->w->out->plugin->desc;
	expect_names names = VEC_INIT, ops = VEC_INIT;
	int ret = 0;

	expect_op_names(k->w->out->plugin, &ops);
	if ((desc->flags & FST_DECLARES_METRICS) && !expect_has(&ops, name)) {
		k->x.field = param_arena_add(&k->w->out->arena, xstrdup(name));
		k->x.names = &k->w->job->names;
	}
	for (uint32_t i = 0; i < desc->n_metrics && !k->x.field; i++) {
		struct fst_metric m;

		plugin_metric(desc, i, &m);
		vec_push(&names, m.name);
		if (str_eq(m.name, name)) {
			k->x.field = m.name;
			k->x.unit = m.unit;
		}
	}
	if (!k->x.field && expect_has(&ops, name)) {
		ret = expect_fail(k, "%s is a latency: say what of it, as %s.p99, %s.max", name,
				  name, name);
	} else if (!k->x.field) {
		for (size_t i = 0; i < ops.n; i++)
			vec_push(&names, ops.v[i]);
		ret = expect_unknown(k, "metric", name, &names);
	}
	vec_free(&names);
	vec_free(&ops);
	return ret;
}

/* A call's name for the core's own syncs, where the step makes that call. */
static int expect_sync_call(struct expect_work *k, const char *name)
{
	const struct io_params *io = &k->w->out->io;
	bool data = str_eq(name, "fdatasync");

	if (data ? io->fdatasync : (io->fsync && !io->fdatasync) || io->end_fsync) {
		k->x.op = loop_kind_names[LOOP_SYNC];
		return 0;
	}
	return expect_fail(k, "the step has no %s = N; syncs of the workload's own are \"%s\"",
			   name, loop_kind_names[LOOP_SYNC]);
}

static int expect_op(struct expect_work *k, const char *name)
{
	const struct plugin *p = k->w->out->plugin;
	expect_names names = VEC_INIT;
	int ret = 0;

	expect_op_names(p, &names);
	for (size_t i = 0; i < names.n && !k->x.op; i++) {
		if (str_eq(names.v[i], name))
			k->x.op = names.v[i];
	}
	if (!k->x.op && plugin_is_data_workload(p) &&
	    (str_eq(name, "fsync") || str_eq(name, "fdatasync")))
		ret = expect_sync_call(k, name);
	else if (!k->x.op)
		ret = expect_unknown(k, "latency", name, &names);
	vec_free(&names);
	return ret;
}

static int expect_field(struct expect_work *k, const char *name)
{
	expect_names names = VEC_INIT;
	struct param_arena *a = &k->w->out->arena;
	const char *key;
	int ret = 0;

	if (str_eq(name, "median"))
		name = "p50";
	k->x.unit = str_eq(name, "count") ? "count" : "ns";
	for (size_t i = 0; i < ARRAY_SIZE(expect_fields); i++) {
		vec_push(&names, expect_fields[i]);
		if (str_eq(expect_fields[i], name))
			k->x.field = expect_fields[i];
	}
	for (size_t i = 0; !k->x.field && (key = hist_percentile_key(i)); i++) {
		vec_push(&names, param_arena_add(a, xasprintf("p%s", key)));
		if (*name == 'p' && str_eq(name + 1, key)) {
			k->x.field = key;
			k->x.percentile = true;
		}
	}
	if (!k->x.field)
		ret = expect_unknown(k, "field", name, &names);
	vec_free(&names);
	return ret;
}

static int expect_left(struct expect_work *k, const char *left)
{
	const char *dot = strchr(left, '.');
	_cleanup_free_ char *op = dot ? xstrndup(left, (size_t)(dot - left)) : NULL;
	int ret;

	if (!*left)
		return expect_fail(k, "a name is missing: write.p99 < 10ms");
	if (!dot)
		return expect_metric(k, left);
	ret = expect_op(k, op);
	return ret ? ret : expect_field(k, dot + 1);
}

/* ---- the right side -------------------------------------------------------------------------- */

static int expect_number(const char *unit, const char *text, const struct param_names *names, double *out,
			 struct err *e)
{
	bool time = str_eq(unit, "ns");
	uint64_t whole = 0;
	int ret;

	if (!time && !str_starts(unit, "bytes"))
		return number_parse_f64(text, names, out, e);
	ret = time ? number_parse_time(text, names, &whole, e)
		   : number_parse_size(text, names, &whole, e);
	*out = (double)whole;
	return ret;
}

static int expect_read_right(struct expect *x, const char *name, char *right, const struct param_names *names,
			     struct err *e)
{
	static const struct {
		const char *unit, *phrase;
	} phrases[] = {
		{ "ns", "a time, as 10ms" },
		{ "bytes", "a size, as 4MiB" },
		{ "bytes/s", "a rate, as 100MiB/s" },
		{ "ops/s", "a rate without a unit, as 5000" },
	};
	const char *phrase = "a number without a unit";
	struct err why = { 0 };
	size_t len = strlen(right);

	if (str_ends(x->unit, "/s") && str_ends(right, "/s")) {
		right[len - 2] = '\0';
		right = str_trim(right);
	}
	if (!expect_number(x->unit, right, names, &x->value, &why))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++) {
		if (str_eq(phrases[i].unit, x->unit))
			phrase = phrases[i].phrase;
	}
	return err_set(e, EINVAL, "%s is compared with %s: %s", name, phrase, why.text);
}

static int expect_right(struct expect_work *k, const char *name, char *right)
{
	struct err e = { 0 };

	if (!*right)
		return expect_fail(k, "a number is missing behind the sign");
	if (!k->x.unit) {
		k->x.right = param_arena_add(&k->w->out->arena, xstrdup(right));
		return 0;
	}
	if (expect_read_right(&k->x, name, right, &k->w->job->names, &e))
		return expect_fail(k, "%s", e.text);
	return 0;
}

int expect_settle(struct expect *x, const char *unit, struct err *e)
{
	_cleanup_free_ char *right = x->right ? xstrdup(x->right) : NULL;
	struct err why = { 0 };

	if (x->unit)
		return 0;
	x->unit = unit;
	if (!expect_read_right(x, x->field, right, x->names, &why))
		return 0;
	x->unit = NULL;
	return err_set(e, EINVAL, "expect = \"%s\": %s", x->text, why.text);
}

/* ---- one, and all ---------------------------------------------------------------------------- */

static int expect_parse(struct expect_work *k)
{
	_cleanup_free_ char *copy = xstrdup(k->x.text);
	char *sign = strpbrk(copy, "<>=!"), *left;
	size_t len = 0;

	for (size_t i = 0; sign && !len && i < ARRAY_SIZE(expect_signs); i++) {
		if (!str_starts(sign, expect_signs[i].sign))
			continue;
		len = strlen(expect_signs[i].sign);
		k->x.cmp = expect_signs[i].cmp;
	}
	if (!len)
		return expect_fail(k, "one of < <= > >= == != is needed");
	*sign = '\0';
	left = str_trim(copy);
	if (expect_left(k, left))
		return -EINVAL;
	return expect_right(k, left, str_trim(sign + len));
}

static void expect_add(struct step_work *w, const struct value *at)
{
	struct step *out = w->out;
	struct expect_work k = { .w = w, .at = at };

	if (at->type != VALUE_STR) {
		diag_add(w->d, at->file, at->line,
			 "expect: expects a text or a list of texts: \"write.p99 < 10ms\"");
		w->failed = true;
		return;
	}
	k.x.text = param_arena_add(&out->arena, xstrdup(at->u.s));
	if (expect_parse(&k))
		return;
	out->expects = xreallocarray(out->expects, out->n_expects + 1, sizeof(*out->expects));
	out->expects[out->n_expects++] = k.x;
}

void expect_resolve(struct step_work *w)
{
	const struct value *v = value_get(w->def->group, "expect"), *use = v;
	struct value *put = NULL;

	if (!v || v->bad)
		return;
	if (w->def->kind != FST_WORKLOAD) {
		diag_add(w->d, v->file, v->line,
			 "expect is for workloads: a setup step has no numbers");
		w->failed = true;
		return;
	}
	if (subst_value(w->job, w->variant, v, &put, w->d)) {
		w->failed = true;
		return;
	}
	use = put;
	for (size_t i = 0; use->type == VALUE_LIST && i < use->u.l.n; i++)
		expect_add(w, use->u.l.v[i]);
	if (use->type != VALUE_LIST)
		expect_add(w, use);
	value_free(put);
}

bool expect_met(const struct expect *e, double value)
{
	switch (e->cmp) {
	case EXPECT_LT:
		return value < e->value;
	case EXPECT_LE:
		return value <= e->value;
	case EXPECT_GT:
		return value > e->value;
	case EXPECT_GE:
		return value >= e->value;
	case EXPECT_EQ:
		return value == e->value;
	case EXPECT_NE:
		return value != e->value;
	}
	return false;
}
