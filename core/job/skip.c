/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The product of the factors, less what skip drops. */
#include <errno.h>
#include <string.h>

#include "core/job/frame.h"
#include "core/job/matrix.h"
#include "core/param/number.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

/* One group of skip: for each factor which of its values it takes; NULL: all. */
struct skip_rule {
	bool **takes;
};

typedef VEC(struct skip_rule) skip_rules;

static void skip_free(const struct job *job, skip_rules *rules)
{
	for (size_t r = 0; r < rules->n; r++) {
		for (size_t f = 0; f < job->n_factors; f++)
			free(rules->v[r].takes[f]);
		free(rules->v[r].takes);
	}
	vec_free(rules);
}

static const char *skip_label(const struct value *v)
{
	const struct value *name = v->type == VALUE_GROUP ? value_get(v, "name") : v;

	return name && name->type == VALUE_STR ? name->u.s : NULL;
}

static bool skip_is(const struct job *job, const struct value *v, const char *text)
{
	_cleanup_free_ char *scalar = skip_label(v) ? xstrdup(skip_label(v)) : value_text(v);

	return scalar && !v->bad && number_same(scalar, text, &job->names);
}

/*
 * One value of a key: marks where the factor has it. It must be one of those that the file lists.
 */
static void skip_value(const struct job *job, const struct job_factor *f, const struct value *v,
		       bool *takes, struct diag *d)
{
	_cleanup_free_ char *text = value_text(v);
	bool listed = false;

	if (v->bad)
		return;
	if (!text) {
		diag_add(d, v->file, v->line, "skip: %s: expects a value or a list of values",
			 f->name);
		return;
	}
	for (size_t i = 0; i < f->listed->u.l.n; i++)
		listed = listed || skip_is(job, f->listed->u.l.v[i], text);
	for (uint32_t i = 0; i < f->n; i++) {
		bool same = skip_is(job, f->values->u.l.v[i], text);

		takes[i] = takes[i] || same;
		listed = listed || same;
	}
	if (!listed)
		diag_add(d, v->file, v->line, "skip: %s = %s: the matrix has no such value",
			 f->name, text);
}

static void skip_key(const struct job *job, const char *key, const struct value *written,
		     struct skip_rule *rule, struct diag *d)
{
	_cleanup_free_ const char **names = xcalloc(job->n_factors + 1, sizeof(*names));
	struct value *v;
	size_t f;

	for (f = 0; f < job->n_factors; f++)
		names[f] = job->factors[f].name;
	for (f = 0; f < job->n_factors && !str_eq(names[f], key);)
		f++;
	if (f == job->n_factors) {
		const char *near = str_nearest(key, names, job->n_factors);

		diag_add(d, written->file, written->line,
			 near ? "skip: the matrix has no factor \"%s\"; did you mean \"%s\"?"
			      : "skip: the matrix has no factor \"%s\"",
			 key, near);
		return;
	}
	v = frame_value(job, written, d);
	if (!v)
		return;
	rule->takes[f] = xcalloc(job->factors[f].n + 1, sizeof(bool));
	if (v->type == VALUE_LIST)
		for (size_t i = 0; i < v->u.l.n; i++)
			skip_value(job, &job->factors[f], v->u.l.v[i], rule->takes[f], d);
	else
		skip_value(job, &job->factors[f], v, rule->takes[f], d);
	value_free(v);
}

static void skip_read_rule(const struct job *job, const struct value *group, skip_rules *rules,
			   struct diag *d)
{
	struct skip_rule rule;

	if (group->type != VALUE_GROUP || !group->u.l.n) {
		diag_add(d, group->file, group->line,
			 "skip: expects groups, as in skip = ( { agcount = 2; } );");
		return;
	}
	rule.takes = xcalloc(job->n_factors + 1, sizeof(*rule.takes));
	for (size_t i = 0; i < group->u.l.n; i++)
		skip_key(job, group->u.l.names[i], group->u.l.v[i], &rule, d);
	vec_push(rules, rule);
}

static void skip_read(const struct job *job, const struct value *skip, skip_rules *rules,
		      struct diag *d)
{
	if (skip->type != VALUE_LIST) {
		skip_read_rule(job, skip, rules, d);
		return;
	}
	for (size_t i = 0; i < skip->u.l.n; i++)
		skip_read_rule(job, skip->u.l.v[i], rules, d);
}

/* Strides and the number of cells. */
static int matrix_count(struct job *job, struct diag *d)
{
	uint64_t n = 1;

	for (size_t f = job->n_factors; f-- > 0;) {
		job->factors[f].stride = (uint32_t)n;
		n *= job->factors[f].n;
		if (n > JOB_MAX_CELLS) {
			const struct value *at = job->factors[0].listed;

			diag_add(d, at->file, at->line, "matrix: more than %d combinations",
				 JOB_MAX_CELLS);
			job->n_cells = 0;
			return -EINVAL;
		}
	}
	job->n_cells = (uint32_t)n;
	return 0;
}

static bool skip_drops(const struct job *job, const struct skip_rule *rule, const uint32_t *choice)
{
	for (size_t f = 0; f < job->n_factors; f++) {
		if (rule->takes[f] && !rule->takes[f][choice[f]])
			return false;
	}
	return true;
}

static bool skip_drops_any(const struct job *job, const skip_rules *rules, const uint32_t *choice)
{
	for (size_t r = 0; r < rules->n; r++) {
		if (skip_drops(job, &rules->v[r], choice))
			return true;
	}
	return false;
}

/* The choice of the next cell, the last factor fastest. */
static void matrix_step(const struct job *job, uint32_t *choice)
{
	for (size_t f = job->n_factors; f-- > 0;) {
		if (++choice[f] < job->factors[f].n)
			return;
		choice[f] = 0;
	}
}

void matrix_expand(struct job *job, const struct value *skip, struct diag *d)
{
	uint32_t choice[JOB_MAX_FACTORS] = { 0 };
	skip_rules rules = VEC_INIT;
	size_t before = d->n;

	/* Half-settled values would not be found by skip. */
	if (skip)
		skip_read(job, skip, &rules, d);
	if (!matrix_count(job, d)) {
		job->variants = xcalloc(job->n_cells + 1UL, sizeof(*job->variants));
		/*
		 * A rule with an error drops nothing, so that what it says stays the only finding.
		 */
		if (d->n > before)
			skip_free(job, &rules);
		for (uint32_t i = 0; i < job->n_cells; i++) {
			if (!skip_drops_any(job, &rules, choice))
				job->variants[job->n_variants++] = i;
			matrix_step(job, choice);
		}
		if (!job->n_variants && job->n_cells && skip)
			diag_add(d, skip->file, skip->line, "skip: drops every variant");
	}
	skip_free(job, &rules);
}
