/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The factors of a job and their values. skip.c makes variants of them. */
#include "core/job/matrix.h"

#include <string.h>

#include "core/job/frame.h"
#include "core/job/subst.h"
#include "core/param/number.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

static void matrix_read_factor(struct job *job, const char *name, const struct value *v,
			       struct diag *d)
{
	struct value *list;

	if (job->n_factors == JOB_MAX_FACTORS) {
		diag_add(d, v->file, v->line, "matrix: more than %d factors", JOB_MAX_FACTORS);
		return;
	}
	if (v->type == VALUE_LIST) {
		list = value_copy(v);
	} else {
		list = value_new(VALUE_LIST, v->file, v->line);
		value_add(list, NULL, value_copy(v));
	}
	value_add(job->matrix, name, list);
	job->factors[job->n_factors++] = (struct job_factor){ .values = list,
							      .listed = list,
							      .n = (uint32_t)list->u.l.n };
	if (!list->u.l.n)
		diag_add(d, v->file, v->line, "matrix: %s has no value", name);
}

void matrix_read(struct job *job, const struct value *matrix, struct diag *d)
{
	job->matrix = value_new(VALUE_GROUP, NULL, 0);
	if (matrix && matrix->type != VALUE_GROUP) {
		diag_add(d, matrix->file, matrix->line,
			 "matrix: expects a group of lists, as in "
			 "matrix = { agcount = [2, 4]; };");
		matrix = NULL;
	}
	job->factors = xcalloc(matrix ? matrix->u.l.n + 1 : 1, sizeof(*job->factors));
	for (size_t i = 0; matrix && i < matrix->u.l.n; i++)
		matrix_read_factor(job, matrix->u.l.names[i], matrix->u.l.v[i], d);
	for (size_t f = 0; f < job->n_factors; f++)
		job->factors[f].name = job->matrix->u.l.names[f];
}

static void matrix_bad(struct value **item)
{
	struct value *bad = value_new(VALUE_INT, (*item)->file, (*item)->line);

	bad->bad = true;
	value_free(*item);
	*item = bad;
}

/* Is it a scalar, or a group with a name, like the first one? */
static bool matrix_check_value(const struct job_factor *f, const struct value *v, struct diag *d)
{
	const struct value *first = f->listed->u.l.v[0], *name = value_get(v, "name");

	if (v->type == VALUE_LIST)
		diag_add(d, v->file, v->line,
			 "matrix: %s: a value is a text, a number or a group, not a list", f->name);
	else if (!first->bad && (v->type == VALUE_GROUP) != (first->type == VALUE_GROUP))
		diag_add(d, v->file, v->line, "matrix: %s: either all values are groups or none is",
			 f->name);
	else if (v->type == VALUE_GROUP && (!name || name->type != VALUE_STR || !*name->u.s))
		diag_add(d, v->file, v->line, "matrix: %s: each group needs a name = \"...\"",
			 f->name);
	else
		return true;
	return false;
}

static void matrix_check_twice(const struct job_factor *f, size_t i, struct diag *d)
{
	const struct value *v = f->listed->u.l.v[i];
	_cleanup_free_ char *label = value_label(v);

	for (size_t k = 0; k < i; k++) {
		_cleanup_free_ char *other = f->listed->u.l.v[k]->bad
						     ? NULL
						     : value_label(f->listed->u.l.v[k]);

		if (label && other && str_eq(label, other)) {
			diag_add(d, v->file, v->line, "matrix: %s has the value %s twice", f->name,
				 label);
			return;
		}
	}
}

static void matrix_settle_factor(struct job *job, const struct job_factor *f, struct diag *d)
{
	struct value **v = f->listed->u.l.v;
	size_t n = f->listed->u.l.n;

	for (size_t i = 0; i < n; i++) {
		if (!v[i]->bad && subst_is_needed(v[i])) {
			struct value *put = frame_value(job, v[i], d);

			if (put) {
				value_free(v[i]);
				v[i] = put;
			} else {
				matrix_bad(&v[i]);
			}
		}
		if (v[i]->bad)
			continue;
		if (!matrix_check_value(f, v[i], d))
			matrix_bad(&v[i]);
		else if (n <= 10000)
			matrix_check_twice(f, i, d);
	}
}

/* Is the value that --set names in the list? Else a scalar may stand for all of them. */
static struct value *matrix_pin_value(const struct job *job, const struct job_factor *f,
				      const struct value *pin, struct diag *d)
{
	_cleanup_free_ char *text = value_text(pin);
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	for (int exact = 1; exact >= 0; exact--) {
		for (size_t i = 0; i < f->listed->u.l.n; i++) {
			_cleanup_free_ char *label = value_label(f->listed->u.l.v[i]);

			if (label &&
			    (exact ? str_eq(label, text) : number_same(label, text, &job->names)))
				return value_copy(f->listed->u.l.v[i]);
		}
	}
	if (!f->listed->u.l.n || f->listed->u.l.v[0]->type != VALUE_GROUP)
		return value_copy(pin);
	for (size_t i = 0; i < f->listed->u.l.n; i++) {
		_cleanup_free_ char *label = value_label(f->listed->u.l.v[i]);

		strbuf_addf(&sb, "%s%s", i ? ", " : "", label ? label : "?");
	}
	diag_add(d, NULL, 0, "--set %s=%s: %s is one of %s", f->name, text, f->name,
		 strbuf_str(&sb));
	return NULL;
}

static void matrix_pin(struct job *job, struct job_factor *f, struct diag *d)
{
	struct value *pin = value_get(job->pins, f->name), *value, *list;

	if (!pin)
		return;
	value = matrix_pin_value(job, f, pin, d);
	if (!value)
		return;
	list = value_new(VALUE_LIST, NULL, 0);
	value_add(list, NULL, value);
	for (size_t i = 0; i < job->pins->u.l.n; i++) {
		if (job->pins->u.l.v[i] == pin)
			job->pins->u.l.v[i] = list;
	}
	value_free(pin);
	f->values = list;
	f->n = 1;
}

void matrix_settle(struct job *job, struct diag *d)
{
	for (size_t f = 0; f < job->n_factors; f++) {
		matrix_settle_factor(job, &job->factors[f], d);
		matrix_pin(job, &job->factors[f], d);
	}
}
