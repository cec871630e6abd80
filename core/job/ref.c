/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a name in a job stands for. */
#include "core/job/ref.h"

#include <errno.h>
#include <string.h>

#include "core/job/job.h"
#include "core/param/param_names.h"
#include "core/util/str.h"
#include "core/util/vec.h"

/* Member "a.b" of a group, or NULL. */
static const struct value *ref_member(const struct value *v, const char *path)
{
	while (v && path) {
		const char *dot = strchr(path, '.');
		size_t len = dot ? (size_t)(dot - path) : strlen(path);
		_cleanup_free_ char *name = xstrndup(path, len);

		v = value_get(v, name);
		path = dot ? dot + 1 : NULL;
	}
	return v;
}

static bool ref_factor_has(const struct job_factor *f, const char *path)
{
	for (size_t i = 0; path && i < f->listed->u.l.n; i++) {
		if (ref_member(f->listed->u.l.v[i], path))
			return true;
	}
	return !path;
}

static bool ref_is(const char *whole, const char *name, size_t len)
{
	return strncmp(whole, name, len) == 0 && !whole[len];
}

int ref_find(const struct job *job, const char *name, struct ref *r)
{
	size_t len = strcspn(name, ".");

	*r = (struct ref){ .path = name[len] ? name + len + 1 : NULL };
	for (size_t i = 0; i < job->n_factors; i++) {
		if (!ref_is(job->factors[i].name, name, len))
			continue;
		r->kind = REF_FACTOR;
		r->index = i;
		return ref_factor_has(&job->factors[i], r->path) ? 0 : -ENOENT;
	}
	for (size_t i = 0; job->vars && i < job->vars->u.l.n; i++) {
		if (!ref_is(job->vars->u.l.names[i], name, len))
			continue;
		r->kind = REF_VAR;
		r->index = i;
		return ref_member(job->vars->u.l.v[i], r->path) ? 0 : -ENOENT;
	}
	for (size_t i = 0; i < ARRAY_SIZE(param_names_known); i++) {
		if (!str_eq(param_names_known[i], name))
			continue;
		*r = (struct ref){ .kind = REF_KNOWN, .index = i };
		return 0;
	}
	return -ENOENT;
}

const struct value *ref_value(const struct job *job, const struct ref *r, uint32_t variant)
{
	const struct value *v = NULL;

	if (r->kind == REF_FACTOR)
		v = job->factors[r->index]
			    .values->u.l.v[job_variant_choice(job, variant, r->index)];
	else if (r->kind == REF_VAR)
		v = job->vars->u.l.v[r->index];
	return ref_member(v, r->path);
}

typedef VEC(char *) ref_names;

static void ref_add_members(ref_names *names, const char *name, const struct value *group)
{
	for (size_t i = 0; group->type == VALUE_GROUP && i < group->u.l.n; i++)
		vec_push(names, xasprintf("%s.%s", name, group->u.l.names[i]));
}

void ref_explain(const struct job *job, const char *name, struct strbuf *sb)
{
	ref_names names = VEC_INIT;
	const char *near;

	for (size_t i = 0; i < job->n_factors; i++) {
		const struct job_factor *f = &job->factors[i];

		vec_push(&names, xstrdup(f->name));
		for (size_t k = 0; k < f->listed->u.l.n; k++)
			ref_add_members(&names, f->name, f->listed->u.l.v[k]);
	}
	for (size_t i = 0; job->vars && i < job->vars->u.l.n; i++) {
		vec_push(&names, xstrdup(job->vars->u.l.names[i]));
		ref_add_members(&names, job->vars->u.l.names[i], job->vars->u.l.v[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(param_names_known); i++)
		vec_push(&names, xstrdup(param_names_known[i]));
	near = str_nearest(name, (const char *const *)names.v, names.n);
	strbuf_addf(sb, "unknown name \"%s\"", name);
	if (near)
		strbuf_addf(sb, "; did you mean \"%s\"?", near);
	for (size_t i = 0; i < names.n; i++)
		free(names.v[i]);
	vec_free(&names);
}

static void ref_check_name(const char *name, const struct value *at, const char *where,
			   struct diag *d)
{
	if (strchr(name, '*'))
		diag_add(d, at->file, at->line,
			 "%s: \"%s\" is no name: letters, digits, _ and - are", where, name);
	if (str_eq(name, "ram") || str_eq(name, "cpus") || str_eq(name, "target"))
		diag_add(d, at->file, at->line, "%s: \"%s\" is a known name, take another", where,
			 name);
}

void ref_check_names(const struct job *job, struct diag *d)
{
	for (size_t i = 0; job->matrix && i < job->matrix->u.l.n; i++)
		ref_check_name(job->matrix->u.l.names[i], job->matrix->u.l.v[i], "matrix", d);
	for (size_t i = 0; job->vars && i < job->vars->u.l.n; i++) {
		const char *name = job->vars->u.l.names[i];
		const struct value *at = job->vars->u.l.v[i];

		ref_check_name(name, at, "vars", d);
		if (value_get(job->matrix, name))
			diag_add(d, at->file, at->line,
				 "vars: \"%s\" is a factor of the matrix, too", name);
	}
}
