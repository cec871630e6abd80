/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables, and what the command line sets. */
#include <string.h>

#include "core/job/frame.h"
#include "core/job/subst.h"
#include "core/param/number.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

/* Puts item in the place of the group's member name. */
static void vars_replace(struct value *group, const char *name, struct value *item)
{
	for (size_t i = 0; i < group->u.l.n; i++) {
		if (!str_eq(group->u.l.names[i], name))
			continue;
		value_free(group->u.l.v[i]);
		group->u.l.v[i] = item;
		return;
	}
	value_add(group, name, item);
}

static void vars_no_such(const struct job *job, const char *name, struct diag *d)
{
	VEC(const char *) names = VEC_INIT;
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	const char *near;

	for (size_t i = 0; i < job->vars->u.l.n; i++)
		vec_push(&names, job->vars->u.l.names[i]);
	for (size_t i = 0; i < job->n_factors; i++)
		vec_push(&names, job->factors[i].name);
	near = str_nearest(name, names.v, names.n);
	strbuf_addf(&sb, "--set %s: the job has no variable or factor of that name", name);
	if (near)
		strbuf_addf(&sb, "; did you mean \"%s\"?", near);
	else
		strbuf_addstr(&sb, names.n ? "; there are: " : ", nor any other");
	for (size_t i = 0; !near && i < names.n; i++)
		strbuf_addf(&sb, "%s%s", i ? ", " : "", names.v[i]);
	diag_add(d, NULL, 0, "%s", strbuf_str(&sb));
	vec_free(&names);
}

static void vars_set(struct job *job, const char *set, struct diag *d)
{
	const char *eq = strchr(set, '=');
	_cleanup_free_ char *name = eq ? xstrndup(set, (size_t)(eq - set)) : NULL;
	bool known = false;

	if (!name || !*name) {
		diag_add(d, NULL, 0, "--set %s: NAME=VALUE is expected", set);
		return;
	}
	if (value_get(job->vars, name)) {
		vars_replace(job->vars, name, value_from_text(eq + 1));
		return;
	}
	for (size_t i = 0; i < job->n_factors; i++)
		known = known || str_eq(job->factors[i].name, name);
	if (known)
		vars_replace(job->pins, name, value_from_text(eq + 1));
	else
		vars_no_such(job, name, d);
}

void frame_load_vars(struct job *job, const struct value *vars, const struct job_options *opt,
		     struct diag *d)
{
	if (vars && vars->type != VALUE_GROUP) {
		diag_add(d, vars->file, vars->line,
			 "vars: expects a group: vars = { name = value; };");
		vars = NULL;
	}
	job->vars = vars ? value_copy(vars) : value_new(VALUE_GROUP, NULL, 0);
	job->pins = value_new(VALUE_GROUP, NULL, 0);
	for (size_t i = 0; opt && i < opt->n_set; i++)
		vars_set(job, opt->set[i], d);
}
