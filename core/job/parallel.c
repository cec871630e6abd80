/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of workloads that run at the same time. */
#include "core/job/parallel.h"

#include <string.h>

#include "core/job/expr.h"
#include "core/job/frame.h"
#include "core/util/log.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

#define PARALLEL_NAME "parallel"
#define PARALLEL_ALL_WORD "all"
#define PARALLEL_FIRST_WORD "first"

static const char *const parallel_keys[] = { "parallel", "stop", "name", "when", "shared_files" };

bool parallel_is(const struct value *v)
{
	return v->type == VALUE_GROUP && value_get(v, "parallel");
}

size_t parallel_count(const struct value *v)
{
	const struct value *list = v->type == VALUE_GROUP ? value_get(v, "parallel") : NULL;

	return list && list->type == VALUE_LIST ? list->u.l.n : 0;
}

/* ---- its keys -------------------------------------------------------------------------------- */

static void parallel_check_keys(const struct value *v, struct diag *d)
{
	for (size_t i = 0; i < v->u.l.n; i++) {
		const char *key = v->u.l.names[i];
		const struct value *at = v->u.l.v[i];
		bool known = false;

		for (size_t k = 0; k < ARRAY_SIZE(parallel_keys); k++)
			known = known || str_eq(parallel_keys[k], key);
		if (str_eq(key, "setup") || str_eq(key, "workload"))
			diag_add(d, at->file, at->line,
				 "a group is either a step or `parallel`, which holds steps");
		else if (!known)
			frame_unknown(at, key, parallel_keys, ARRAY_SIZE(parallel_keys), d);
	}
}

/* A text that is the same in all variants; NULL when it is not given, or is none. */
static char *parallel_text(const struct job *job, const struct value *v, const char *key,
			   struct diag *d)
{
	const struct value *at = value_get(v, key);
	struct value *put = at && !at->bad ? frame_value(job, at, d) : NULL;
	char *text = NULL;

	if (put && put->type == VALUE_STR && *put->u.s)
		text = xstrdup(put->u.s);
	else if (put)
		diag_add(d, at->file, at->line, "%s: expects a text", key);
	value_free(put);
	return text;
}

static void parallel_read_shared(const struct job *job, struct job_parallel *g,
				 const struct value *v, struct diag *d)
{
	const struct value *at = value_get(v, "shared_files");
	struct value *put = at && !at->bad ? frame_value(job, at, d) : NULL;

	if (put && put->type == VALUE_BOOL)
		g->shared_files = put->u.b;
	else if (put)
		diag_add(d, at->file, at->line, "shared_files: expects true or false");
	value_free(put);
}

struct job_parallel *parallel_read(struct job *job, const struct value *v, bool once,
				   struct diag *d)
{
	const struct value *list = value_get(v, "parallel"), *when = value_get(v, "when");
	struct job_parallel *g;

	if (once) {
		diag_add(d, v->file, v->line,
			 "`parallel` cannot stand in `once`: it has setup steps only");
		return NULL;
	}
	parallel_check_keys(v, d);
	if (list->type != VALUE_LIST || !list->u.l.n) {
		diag_add(d, list->file, list->line,
			 list->type == VALUE_LIST ? "parallel: the list is empty"
						  : "parallel: expects a list of groups: ( { "
						    "workload = \"...\"; }, ... )");
		return NULL;
	}
	g = xcalloc(1, sizeof(*g));
	*g = (struct job_parallel){
		.group = v,
		.first = job->n_steps,
		.stop_word = PARALLEL_ALL_WORD,
		.file = v->file,
		.line = v->line,
	};
	job->parallels = xreallocarray(job->parallels, job->n_parallels + 1,
				       sizeof(*job->parallels));
	job->parallels[job->n_parallels++] = g;
	g->name = parallel_text(job, v, "name", d);
	parallel_read_shared(job, g, v, d);
	if (when && !when->bad)
		g->when = expr_parse(job, when, &g->factors, d);
	if (list->u.l.n == 1)
		log_warning("%s:%u: parallel: one workload alone runs beside nothing", v->file,
			    v->line);
	return g;
}

/* ---- its members ----------------------------------------------------------------------------- */

bool parallel_takes(const struct job_step *s, struct diag *d)
{
	if (s->group->type != VALUE_GROUP)
		return true; /* said otherwise */
	if (value_get(s->group, "parallel"))
		diag_add(d, s->file, s->line, "`parallel` cannot stand in `parallel`");
	else if (value_get(s->group, "setup"))
		diag_add(d, s->file, s->line,
			 "a setup step cannot stand in `parallel`: it has workloads only");
	else
		return true;
	return false;
}

/* It is a directory's name, too, and must not be a word of `stop`. */
static void parallel_check_member(const struct job_parallel *g, const struct job_step *s,
				  struct diag *d)
{
	if (!s->name)
		return;
	if (!g->shared_files && (*s->name == '.' || strchr(s->name, '/') || strlen(s->name) > 100))
		diag_add(
			d, s->file, s->line,
			"name = \"%s\": in `parallel` a name has 1 to 100 characters, no \"/\" and "
			"no \".\" in front: the files are in a directory of that name",
			s->name);
	if (str_eq(s->name, PARALLEL_ALL_WORD) || str_eq(s->name, PARALLEL_FIRST_WORD))
		diag_add(d, s->file, s->line, "name = \"%s\" is a word of stop in `parallel`",
			 s->name);
}

static void parallel_stop_unknown(const struct job *job, const struct job_parallel *g,
				  const char *stop, const struct value *at, struct diag *d)
{
	const char **names = xcalloc(g->n + 2, sizeof(*names)), *near;
	struct strbuf sb = STRBUF_INIT;
	size_t n = 0;

	names[n++] = PARALLEL_ALL_WORD;
	names[n++] = PARALLEL_FIRST_WORD;
	for (size_t i = 0; i < g->n; i++) {
		if (!job->steps[g->first + i].name)
			continue;
		names[n++] = job->steps[g->first + i].name;
	}
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&sb, "%s%s", i ? ", " : "", names[i]);
	near = str_nearest(stop, names, n);
	if (near)
		diag_add(d, at->file, at->line, "stop = \"%s\": did you mean \"%s\"?", stop, near);
	else
		diag_add(d, at->file, at->line, "stop = \"%s\": there are: %s", stop,
			 strbuf_str(&sb));
	strbuf_free(&sb);
	free(names);
}

static void parallel_set_stop(const struct job *job, struct job_parallel *g, struct diag *d)
{
	_cleanup_free_ char *stop = parallel_text(job, g->group, "stop", d);
	const struct value *at = value_get(g->group, "stop");
	const struct job_step *s;
	size_t i = 0;

	if (!stop || str_eq(stop, PARALLEL_ALL_WORD))
		return;
	if (str_eq(stop, PARALLEL_FIRST_WORD)) {
		g->stop = PARALLEL_FIRST;
		g->stop_word = PARALLEL_FIRST_WORD;
		return;
	}
	while (i < g->n && !str_eq(job->steps[g->first + i].name, stop))
		i++;
	if (i == g->n) {
		parallel_stop_unknown(job, g, stop, at, d);
		return;
	}
	g->stop = PARALLEL_NAMED;
	g->stop_at = g->first + i;
	s = &job->steps[g->stop_at];
	g->stop_word = s->name;
	if (s->when)
		diag_add(d, at->file, at->line,
			 "stop = \"%s\": that step has a `when`: without it nothing would stop the "
			 "others",
			 stop);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool parallel_has(const struct job *job, const char *name, size_t but)
{
	for (size_t i = 0; i < job->n_parallels; i++) {
		if (i != but && str_eq(job->parallels[i]->name, name))
			return true;
	}
	return false;
}

/* "parallel", "parallel-2" for those that have no name. */
static void parallel_set_name(struct job *job, size_t i, struct diag *d)
{
	struct job_parallel *g = job->parallels[i];
	char *name;

	if (g->name) {
		if (parallel_has(job, g->name, i))
			diag_add(d, g->file, g->line, "two groups are called %s", g->name);
		return;
	}
	name = xstrdup(PARALLEL_NAME);
	for (unsigned n = 2; parallel_has(job, name, i); n++) {
		free(name);
		name = xasprintf(PARALLEL_NAME "-%u", n);
	}
	g->name = name;
}

void parallel_settle(struct job *job, struct diag *d)
{
	for (size_t i = 0; i < job->n_parallels; i++) {
		struct job_parallel *g = job->parallels[i];

		parallel_set_name(job, i, d);
		for (size_t k = 0; k < g->n; k++)
			parallel_check_member(g, &job->steps[g->first + k], d);
		parallel_set_stop(job, g, d);
	}
}

void parallel_release(struct job *job)
{
	for (size_t i = 0; i < job->n_parallels; i++) {
		expr_free(job->parallels[i]->when);
		free(job->parallels[i]->name);
		free(job->parallels[i]);
	}
	free(job->parallels);
}
