/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking at ${name} in texts, before there is a variant: names, circles, factors. */
#include <errno.h>

#include "core/job/job.h"
#include "core/job/ref.h"
#include "core/job/subst.h"
#include "core/job/subst_piece.h"
#include "core/util/strbuf.h"

/* A variable that is being looked into, and from where. */
struct subst_way {
	const struct subst_way *up;
	size_t var;
	unsigned depth;
};

struct subst_look {
	const struct job *job;
	const struct value *top;
	uint64_t *factors;
	struct diag *d;
	unsigned *budget;
	bool in_vars; /* for the variables' own sake; else what is wrong in them was said */
};

static int subst_look_value(const struct subst_look *l, const struct value *v,
			    const struct subst_way *way);

/* Says that a variable refers to itself, once for each circle. */
static void subst_circle(const struct subst_look *l, const struct subst_way *way, size_t var)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	char *const *names = l->job->vars->u.l.names;
	const struct value *at = l->job->vars->u.l.v[var];
	const struct subst_way *w = way;

	strbuf_addstr(&sb, names[var]);
	for (; w->var != var; w = w->up) {
		_cleanup_free_ char *rest = strbuf_steal(&sb);

		strbuf_addf(&sb, "%s -> %s", names[w->var], rest);
		/* A circle is told from its first variable on. */
		if (w->var < var)
			return;
	}
	if (!w->up)
		diag_add(l->d, at->file, at->line, "%s refers to itself: %s -> %s", names[var],
			 names[var], strbuf_str(&sb));
}

static int subst_look_factor(const struct subst_look *l, const char *name, size_t index,
			     const struct value *at)
{
	if (l->factors) {
		*l->factors |= 1ULL << index;
		return 0;
	}
	diag_add(l->d, at->file, at->line,
		 "${%s} is a factor of the matrix, but this is one for all variants", name);
	return -EINVAL;
}

static int subst_look_ref(const struct subst_look *l, const char *name, const struct value *at,
			  const struct subst_way *way)
{
	struct subst_way down = { .up = way, .depth = way ? way->depth + 1 : 0 };
	bool tell = !way || l->in_vars;
	struct ref r;

	if (++*l->budget > SUBST_REFS_MAX) {
		diag_add(l->d, l->top->file, l->top->line, "more than %d ${} in one value",
			 SUBST_REFS_MAX);
		return -EINVAL;
	}
	if (ref_find(l->job, name, &r)) {
		_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

		ref_explain(l->job, name, &sb);
		if (tell)
			diag_add(l->d, at->file, at->line, "%s", strbuf_str(&sb));
		return -EINVAL;
	}
	if (r.kind == REF_KNOWN)
		return 0;
	if (r.kind == REF_FACTOR)
		return subst_look_factor(l, name, r.index, way ? l->top : at);
	for (const struct subst_way *w = way; w; w = w->up) {
		if (w->var != r.index)
			continue;
		if (l->in_vars)
			subst_circle(l, way, r.index);
		return -EINVAL;
	}
	if (down.depth > SUBST_DEPTH_MAX) {
		if (tell)
			diag_add(l->d, at->file, at->line,
				 "variables refer to each other more than %d deep",
				 SUBST_DEPTH_MAX);
		return -EINVAL;
	}
	down.var = r.index;
	return subst_look_value(l, ref_value(l->job, &r, SUBST_NO_VARIANT), &down);
}

static int subst_look_value(const struct subst_look *l, const struct value *v,
			    const struct subst_way *way)
{
	const char *text, *why;
	struct subst_piece p;
	int ret = 0, more;

	if (v->type == VALUE_LIST || v->type == VALUE_GROUP) {
		for (size_t i = 0; i < v->u.l.n; i++) {
			if (subst_look_value(l, v->u.l.v[i], way))
				ret = -EINVAL;
		}
	}
	if (v->type != VALUE_STR)
		return ret;
	text = v->u.s;
	while ((more = subst_next(&text, &p, &why)) > 0) {
		if (*p.name && subst_look_ref(l, p.name, v, way))
			ret = -EINVAL;
	}
	if (more == 0)
		return ret;
	if (!way || l->in_vars)
		diag_add(l->d, v->file, v->line, "\"%s\": %s", v->u.s, why);
	return -EINVAL;
}

int subst_scan(const struct job *job, const struct value *v, uint64_t *factors, struct diag *d)
{
	unsigned budget = 0;
	const struct subst_look l = {
		.job = job, .top = v, .factors = factors, .d = d, .budget = &budget
	};

	return subst_look_value(&l, v, NULL);
}

void subst_check_vars(const struct job *job, struct diag *d)
{
	uint64_t factors = 0;

	for (size_t i = 0; job->vars && i < job->vars->u.l.n; i++) {
		const struct value *v = job->vars->u.l.v[i];
		unsigned budget = 0;
		const struct subst_look l = { job, v, &factors, d, &budget, true };
		const struct subst_way way = { .var = i };

		/* Who uses it finds out again, and says nothing. */
		(void)subst_look_value(&l, v, &way);
	}
}
