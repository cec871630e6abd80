/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a job as written. */
#include "core/job/step_list.h"

#include <errno.h>
#include <string.h>

#include "core/job/expr.h"
#include "core/job/frame.h"
#include "core/job/parallel.h"
#include "core/job/step_keys.h"
#include "core/plugin/registry.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* A text of the step that is the same in all variants; NULL when it is none. Caller frees. */
static char *step_text(const struct job *job, const struct value *v, const char *key,
		       struct diag *d)
{
	struct value *put = v->bad ? NULL : frame_value(job, v, d);
	char *text = NULL;

	if (put && put->type == VALUE_STR && *put->u.s)
		text = xstrdup(put->u.s);
	else if (put)
		diag_add(d, v->file, v->line, "%s: expects a text", key);
	value_free(put);
	return text;
}

static void step_find_plugin(const struct job *job, struct job_step *s, const struct value *at,
			     struct diag *d)
{
	char why[1024];

	s->plugin_name = step_text(job, at, plugin_kind_name(s->kind), d);
	if (!s->plugin_name)
		return;
	s->plugin = registry_find(job->registry, s->kind, s->plugin_name);
	if (!s->plugin)
		diag_add(d, at->file, at->line, "%s",
			 registry_explain(job->registry, s->kind, s->plugin_name, why,
					  sizeof(why)));
}

/* Which of setup and workload the step is; false when it is neither. */
static bool step_read_kind(const struct job *job, struct job_step *s, struct diag *d)
{
	const struct value *setup = value_get(s->group, "setup"),
			   *workload = value_get(s->group, "workload");

	if (!setup == !workload) {
		diag_add(d, s->file, s->line,
			 setup ? "a step is either a setup or a workload, not both"
			       : "a step needs setup = \"...\" or workload = \"...\"");
		return false;
	}
	s->kind = setup ? FST_SETUP : FST_WORKLOAD;
	if (s->once && workload) {
		diag_add(d, workload->file, workload->line,
			 "a workload cannot stand in `once`: it has setup steps only");
		return false;
	}
	step_find_plugin(job, s, setup ? setup : workload, d);
	return s->plugin != NULL;
}

static void step_read_name(const struct job *job, struct job_step *s, struct diag *d)
{
	const struct value *name = value_get(s->group, "name");

	if (name) {
		s->name = step_text(job, name, "name", d);
		s->broken = s->broken || !s->name;
	}
	if (!s->name && s->plugin_name)
		s->name = xstrdup(s->plugin_name);
}

static void step_read_when(const struct job *job, struct job_step *s, struct diag *d)
{
	const struct value *when = value_get(s->group, "when");

	if (!when || when->bad)
		return;
	if (s->once) {
		diag_add(d, when->file, when->line,
			 "`when` has no meaning in `once`: no variant has begun");
		s->broken = true;
		return;
	}
	s->when = expr_parse(job, when, &s->factors, d);
	s->broken = s->broken || !s->when;
}

static void step_read(struct job *job, const struct value *v, bool once,
		      const struct job_parallel *group, struct diag *d)
{
	struct job_step *s = &job->steps[job->n_steps++];

	*s = (struct job_step){
		.group = v, .once = once, .parallel = group, .file = v->file, .line = v->line
	};
	if (group) {
		s->factors = group->factors;
		s->broken = !parallel_takes(s, d);
		if (s->broken)
			return;
	}
	if (v->type != VALUE_GROUP) {
		diag_add(d, v->file, v->line, "a step is a group: { setup = \"...\"; }");
		s->broken = true;
		return;
	}
	s->broken = !step_read_kind(job, s, d);
	step_read_name(job, s, d);
	d->prefix = s->name;
	step_read_when(job, s, d);
	if (s->plugin)
		step_keys_check(job, s, d);
	d->prefix = NULL;
}

/* Its members, one after the other. */
static void step_read_parallel(struct job *job, const struct value *v, bool once, struct diag *d)
{
	struct job_parallel *g = parallel_read(job, v, once, d);

	for (; g && g->n < parallel_count(v); g->n++)
		step_read(job, value_get(v, "parallel")->u.l.v[g->n], once, g, d);
}

static size_t step_list_count(const struct value *list)
{
	size_t n = list->u.l.n;

	for (size_t i = 0; i < list->u.l.n; i++)
		n += parallel_count(list->u.l.v[i]);
	return n;
}

static void step_list_read(struct job *job, const struct value *list, bool once, struct diag *d)
{
	if (!list)
		return;
	if (list->type != VALUE_LIST) {
		diag_add(d, list->file, list->line,
			 "%s: expects a list of groups: ( { setup = \"...\"; }, ... )",
			 once ? "once" : "steps");
		return;
	}
	job->steps = xreallocarray(job->steps, job->n_steps + step_list_count(list) + 1,
				   sizeof(*job->steps));
	for (size_t i = 0; i < list->u.l.n; i++) {
		const struct value *v = list->u.l.v[i];

		if (parallel_is(v))
			step_read_parallel(job, v, once, d);
		else
			step_read(job, v, once, NULL, d);
	}
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool step_list_has(const struct job *job, const char *name, size_t but)
{
	for (size_t i = 0; i < job->n_steps; i++) {
		if (i != but && job->steps[i].name && str_eq(job->steps[i].name, name))
			return true;
	}
	return false;
}

/* The second drop_caches is "drop_caches-2", when nobody gave it a name. */
static void step_number(struct job *job, size_t i)
{
	struct job_step *s = &job->steps[i];

	for (unsigned n = 2;; n++) {
		char *name = xasprintf("%s-%u", s->plugin_name, n);

		if (!step_list_has(job, name, i)) {
			free(s->name);
			s->name = name;
			return;
		}
		free(name);
	}
}

static void step_list_check_names(struct job *job, struct diag *d)
{
	for (size_t i = 0; i < job->n_steps; i++) {
		struct job_step *s = &job->steps[i];
		size_t k = 0;

		while (k < i && !str_eq(job->steps[k].name, s->name))
			k++;
		if (k == i || !s->name)
			continue;
		if (s->kind == FST_SETUP && !value_get(s->group, "name"))
			step_number(job, i);
		else
			diag_add(d, s->file, s->line, "two steps are called %s: give each a name",
				 s->name);
	}
}

void step_list_load(struct job *job, const struct value *root, struct diag *d)
{
	const struct value *steps = value_get(root, "steps");

	job->global = value_get(root, "global");
	if (job->global && job->global->type != VALUE_GROUP) {
		diag_add(d, job->global->file, job->global->line,
			 "global: expects a group: { bs = \"1MiB\"; }");
		job->global = NULL;
	}
	step_list_read(job, value_get(root, "once"), true, d);
	job->n_once = job->n_steps;
	step_list_read(job, steps, false, d);
	if (!steps)
		diag_add(d, job->file, 0, "steps is needed: what the job does");
	else if (steps->type == VALUE_LIST && !steps->u.l.n)
		diag_add(d, steps->file, steps->line, "steps: the list is empty");
	step_list_check_names(job, d);
	parallel_settle(job, d);
	step_keys_check_global(job, d);
}

void step_list_release(struct job *job)
{
	for (size_t i = 0; i < job->n_steps; i++) {
		free(job->steps[i].plugin_name);
		free(job->steps[i].name);
		expr_free(job->steps[i].when);
	}
	free(job->steps);
	parallel_release(job);
}
